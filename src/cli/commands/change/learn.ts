import { visibleJson } from '../../../foundation/index.js';
import { recordLearning } from '../../../sessions/change/index.js';
import { openScope, SCOPE_OPTIONS } from '../../change-scope.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'change learn <text>',
  summary: 'Keep something learned until the flush',
  options: { ...SCOPE_OPTIONS, task: { type: 'string', value: '<id>', about: 'the task it is about' } },
  examples: ['holdfast change learn "The tests need a database" --task 1.2'],
  async run({ services, terminal, isJson }, { positionals: [text = ''], values }) {
    const { changes, scope } = openScope(services, values);
    const report = await recordLearning.run({ changes }, { text, task: values.task, ...scope });
    terminal.write(
      isJson ? visibleJson(report) : `Kept; ${report.total_learnings} will be written by the flush`,
    );
    return ExitCode.done;
  },
});
