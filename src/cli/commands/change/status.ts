import { visibleJson } from '../../../foundation/index.js';
import { showProgress } from '../../../sessions/change/index.js';
import { openScope, SCOPE_OPTIONS } from '../../change-scope.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderProgress } from '../../render/changes.js';

export default defineCommand({
  usage: 'change status',
  summary: 'Show the progress of the story and the change',
  options: SCOPE_OPTIONS,
  examples: ['holdfast change status', 'holdfast change status --json'],
  async run({ services, terminal, isJson }, { values }) {
    const { changes, scope } = openScope(services, values);
    const report = await showProgress.run({ changes }, scope);
    terminal.write(isJson ? visibleJson(report) : renderProgress(report));
    return ExitCode.done;
  },
});
