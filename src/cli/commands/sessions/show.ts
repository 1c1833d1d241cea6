import { openCatalog } from '../../../app/open-catalog.js';
import { visibleJson } from '../../../foundation/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderSession } from '../../render/sessions.js';
import { KIND_OPTION, parseKind } from '../../session-kinds.js';

export default defineCommand({
  usage: 'sessions show <session>',
  summary: 'Show one session of any kind',
  details:
    'Of a conversation the last 10 turns, with --json all of them. Every record is checked, and damage is reported.\n' +
    '`last` is the session that was active last.',
  options: {
    turns: {
      type: 'number',
      value: '<count>',
      about: 'of a conversation: only this many turns, the last ones',
    },
    ...KIND_OPTION,
  },
  examples: [
    'holdfast sessions show 3f2a',
    'holdfast sessions show last --kind conversation',
    'holdfast sessions show session-2026 --json --turns 20',
  ],
  async run({ services, terminal, isJson }, { positionals: [typed = ''], values }) {
    const catalog = openCatalog(services);
    const session = await catalog.find(typed, parseKind(values.kind));
    if (values.turns !== undefined && !Number.isSafeInteger(values.turns))
      throw new UsageError('--turns is a whole number');
    const shown = await catalog.show(session, { turns: values.turns ?? (isJson ? 'all' : undefined) });
    if (isJson) terminal.write(visibleJson({ ...(await catalog.summarize(session)), detail: shown.detail }));
    else terminal.write(renderSession(shown, services.clock.now(), terminal.style));
    return ExitCode.done;
  },
});
