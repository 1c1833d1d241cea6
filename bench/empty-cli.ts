// The quick commands with one more, which does nothing: what every one of them costs before it does its own work.
import { defineCommand } from '../src/cli/command.js';
import { ExitCode } from '../src/cli/exit-codes.js';
import { quickMain } from '../src/cli/programs/quick-main.js';
import { quick } from '../src/cli/programs/quick-table.js';

const empty = defineCommand({
  usage: 'empty',
  summary: 'Do nothing',
  options: {},
  examples: [],
  run: async () => ExitCode.done,
});

export const main = quickMain({
  holdfast: { ...quick.holdfast, empty: async () => ({ commands: [empty] }) },
});
