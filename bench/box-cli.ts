// The file of the inbox with two more commands, which show one box: what any screen of ours costs, and what a box costs that is no screen.
import { defineCommand } from '../src/cli/command.js';
import { ExitCode } from '../src/cli/exit-codes.js';
import { loadScreen } from '../src/cli/load-screen.js';
import { quickMain } from '../src/cli/programs/quick-main.js';
import { inbox } from '../src/cli/programs/screen-table.js';

const box = defineCommand({
  usage: 'box',
  summary: 'Show one box on a screen of its own',
  options: {},
  examples: [],
  async run({ services, signal }) {
    const { openBox, noteTerminal } = await loadScreen(services, () => import('./one-box.js'));
    const { stdin, stdout, stderr } = process;
    await openBox({ stdin, stdout, stderr, signal, noteTerminal });
    return ExitCode.done;
  },
});

const plainBox = defineCommand({
  usage: 'plain-box',
  summary: 'Show one box',
  options: {},
  examples: [],
  async run() {
    const engine = import('../src/tui/stand-ins/index.js').then(({ loadLayoutEngine }) => loadLayoutEngine());
    const [{ drawBox }] = await Promise.all([import('./one-box.js'), engine]);
    drawBox();
    return ExitCode.done;
  },
});

export const { isLongLived } = inbox;
export const main = quickMain({
  isLongLived,
  holdfast: {
    ...inbox.holdfast,
    box: async () => ({ commands: [box] }),
    'plain-box': async () => ({ commands: [plainBox] }),
  },
});
