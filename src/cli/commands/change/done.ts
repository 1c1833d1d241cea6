import { visibleJson } from '../../../foundation/index.js';
import { completeTask } from '../../../sessions/change/index.js';
import { openScope, SCOPE_OPTIONS } from '../../change-scope.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'change done <task>',
  summary: 'Tick a task of the story in scope',
  details: 'Only the box of that task changes in tasks.md. A task that is already ticked stays ticked.',
  options: SCOPE_OPTIONS,
  examples: ['holdfast change done 1.2'],
  async run({ services, terminal, isJson }, { positionals: [task = ''], values }) {
    const { changes, scope } = openScope(services, values);
    const report = await completeTask.run({ changes }, { task, ...scope });
    const left = report.story_complete
      ? 'the story is complete'
      : `left in the story: ${report.remaining.join(', ')}`;
    terminal.write(isJson ? visibleJson(report) : `Task ${report.task_id} is done; ${left}`);
    return ExitCode.done;
  },
});
