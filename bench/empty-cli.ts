// The command line with one more command, which does nothing: what every command costs before it does its own work.
import { defineCommand } from '../src/cli/command.js';
import { COMMANDS } from '../src/cli/command-table.js';
import { ExitCode } from '../src/cli/exit-codes.js';

const empty = defineCommand({
  usage: 'empty',
  summary: 'Do nothing',
  options: {},
  examples: [],
  run: async () => ExitCode.done,
});

Object.assign(COMMANDS, { empty: async () => ({ default: empty }) });

export { main } from '../src/cli/main.js';
