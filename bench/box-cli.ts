// The command line with one more command, which shows one box: what any full-screen command of ours costs.
import { defineCommand } from '../src/cli/command.js';
import { ExitCode } from '../src/cli/exit-codes.js';
import { GROUPS } from '../src/cli/programs/holdfast-table.js';

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

GROUPS.push({ title: 'Bench', words: { box: async () => ({ commands: [box] }) } });

export { main } from '../src/cli/programs/main.js';
