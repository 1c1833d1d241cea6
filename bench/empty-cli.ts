// The quick commands with one more, which does nothing: what every one of them costs before it does its own work.
import { defineCommand } from '../src/cli/command.js';
import { ExitCode } from '../src/cli/exit-codes.js';
import { QUICK } from '../src/cli/programs/quick-table.js';

const empty = defineCommand({
  usage: 'empty',
  summary: 'Do nothing',
  options: {},
  examples: [],
  run: async () => ExitCode.done,
});

Object.assign(QUICK, { empty: async () => ({ commands: [empty] }) });

export { main } from '../src/cli/programs/quick.js';
