import { visibleJson } from '../../../foundation/index.js';
import { showStoryContext } from '../../../sessions/change/index.js';
import { openScope, SCOPE_OPTIONS } from '../../change-scope.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderContext } from '../../render/changes.js';

export default defineCommand({
  usage: 'change context',
  summary: 'Show everything about the story in scope',
  details:
    'Its tasks, scenarios, what was learned so far, and how the project is probably checked; with --json also the proposal and the design.',
  options: SCOPE_OPTIONS,
  examples: ['holdfast change context', 'holdfast change context --story 2 --json'],
  async run({ services, terminal, isJson }, { values }) {
    const { changes, scope } = openScope(services, values);
    const report = await showStoryContext.run({ changes }, scope);
    terminal.write(isJson ? visibleJson(report) : renderContext(report, terminal.style));
    return ExitCode.done;
  },
});
