import { visibleJson } from '../../../foundation/index.js';
import { initChange } from '../../../sessions/change/index.js';
import { openScope, SCOPE_OPTIONS } from '../../change-scope.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderStart } from '../../render/changes.js';

export default defineCommand({
  usage: 'change init <change>',
  summary: 'Start a session that holds a change',
  details:
    'The change is held until the session is flushed or the change is released. The same session again gets the\nsame reply.',
  options: {
    session: { ...SCOPE_OPTIONS.session, about: 'the id of the session; else RALPH_SESSION, else a new one' },
  },
  examples: ['holdfast change init add-login', 'holdfast change init add-login --session nightly'],
  async run({ services, terminal, isJson }, { positionals: [change = ''], values }) {
    const { changes, scope } = openScope(services);
    const sessionId = values.session ?? scope.sessionId;
    const report = await initChange.run({ changes }, { change, sessionId });
    terminal.write(isJson ? visibleJson(report) : renderStart(report));
    return ExitCode.done;
  },
});
