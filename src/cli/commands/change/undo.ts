import { visibleJson } from '../../../foundation/index.js';
import { undoTask } from '../../../sessions/change/index.js';
import { openScope, SCOPE_OPTIONS } from '../../change-scope.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'change undo <task>',
  summary: 'Untick a task of the story in scope',
  details: 'For a task of the story in scope that is not done after all. Only its box changes in tasks.md.',
  options: SCOPE_OPTIONS,
  examples: ['holdfast change undo 1.2'],
  async run({ services, terminal, isJson }, { positionals: [task = ''], values }) {
    const { changes, scope } = openScope(services, values);
    const report = await undoTask.run({ changes }, { task, ...scope });
    const text = `Task ${report.task_id} is open again; left in the story: ${report.remaining.join(', ')}`;
    terminal.write(isJson ? visibleJson(report) : text);
    return ExitCode.done;
  },
});
