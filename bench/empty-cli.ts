// The quick commands with one more, which does nothing: what every one of them costs before it does its own work.
import { defineCommand } from '../src/cli/command.js';
import { ExitCode } from '../src/cli/exit-codes.js';
import { QUICK_COMMANDS } from '../src/cli/quick-table.js';

const empty = defineCommand({
  usage: 'empty',
  summary: 'Do nothing',
  options: {},
  examples: [],
  run: async () => ExitCode.done,
});

Object.assign(QUICK_COMMANDS, { empty: async () => ({ default: empty }) });

export { main } from '../src/cli/quick.js';
