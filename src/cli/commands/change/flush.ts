import { visibleJson } from '../../../foundation/index.js';
import { flushChange } from '../../../sessions/change/index.js';
import { openScope, SCOPE_OPTIONS } from '../../change-scope.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'change flush',
  summary: 'Write what was learned into design.md, end the session',
  details:
    'The change is free then. Without anything learned design.md stays as it is. Again is the same reply.',
  options: { session: SCOPE_OPTIONS.session },
  examples: ['holdfast change flush', 'holdfast change flush --session 3f2a'],
  async run({ services, terminal, isJson }, { values }) {
    const { changes, scope } = openScope(services, values);
    const report = await flushChange.run({ changes }, { sessionId: scope.sessionId });
    const text = `The session has ended; learnings in design.md: ${report.learnings_written}`;
    terminal.write(isJson ? visibleJson(report) : text);
    return ExitCode.done;
  },
});
