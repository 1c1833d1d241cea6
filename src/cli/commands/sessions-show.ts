import { openCatalog } from '../../app/open-catalog.js';
import { visibleJson } from '../../foundation/index.js';
import { defineCommand } from '../command.js';
import { ExitCode } from '../exit-codes.js';
import { renderSession } from '../render/sessions.js';
import { KIND_OPTION, parseKind } from '../session-kinds.js';

export default defineCommand({
  usage: 'sessions show <session>',
  summary: 'Show one session of any kind',
  details: 'Of a conversation the last 10 turns.',
  options: KIND_OPTION,
  examples: ['holdfast sessions show 3f2a', 'holdfast sessions show session-2026 --json'],
  async run({ services, terminal, isJson }, { positionals: [typed = ''], values }) {
    const catalog = openCatalog(services);
    const session = await catalog.find(typed, parseKind(values.kind));
    const shown = await catalog.show(session);
    if (isJson) terminal.write(visibleJson({ ...(await catalog.summarize(session)), detail: shown.detail }));
    else terminal.write(renderSession(shown, services.clock.now(), terminal.style));
    return ExitCode.done;
  },
});
