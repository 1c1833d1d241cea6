// The command line with one more command, which shows one box: what any full-screen command of ours costs.
import { defineCommand } from '../src/cli/command.js';
import { COMMANDS } from '../src/cli/command-table.js';
import { ExitCode } from '../src/cli/exit-codes.js';

const box = defineCommand({
  usage: 'box',
  summary: 'Show one box',
  options: {},
  examples: [],
  async run() {
    await import('./one-box.js');
    return ExitCode.done;
  },
});

Object.assign(COMMANDS, { box: async () => ({ default: box }) });

export { main } from '../src/cli/main.js';
