// The file of the inbox with one more command, which shows one box: what any full-screen command of ours costs.
import { defineCommand } from '../src/cli/command.js';
import { ExitCode } from '../src/cli/exit-codes.js';
import { loadInk } from '../src/cli/load-ink.js';
import { quickMain } from '../src/cli/programs/quick-main.js';
import { inbox } from '../src/cli/programs/work-table.js';

const box = defineCommand({
  usage: 'box',
  summary: 'Show one box',
  options: {},
  examples: [],
  async run() {
    const { openBox } = await loadInk(() => import('./one-box.js'));
    openBox();
    return ExitCode.done;
  },
});

export const { isLongLived } = inbox;
export const main = quickMain({
  isLongLived,
  holdfast: { ...inbox.holdfast, box: async () => ({ commands: [box] }) },
});
