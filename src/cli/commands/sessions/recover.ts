import { openCatalog } from '../../../app/open-catalog.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderFault } from '../../render/sessions.js';
import { KIND_OPTION, parseKind } from '../../session-kinds.js';

export default defineCommand({
  usage: 'sessions recover <session>',
  summary: 'Repair a damaged session',
  details:
    'Everything that is intact is kept, what is damaged is set aside under another name, nothing is deleted. Exit code\n' +
    '8 when something is still damaged afterwards.',
  options: KIND_OPTION,
  examples: ['holdfast sessions recover session-2026', 'holdfast sessions recover 3f2a --json'],
  async run({ services, terminal, isJson }, { positionals: [typed = ''], values }) {
    const catalog = openCatalog(services);
    const session = await catalog.find(typed, parseKind(values.kind));
    const { found, told, keptAt, left } = await catalog.recover(session);
    if (isJson) terminal.write(visibleJson({ ...session, found, told, keptAt, left }));
    else {
      for (const fault of found) terminal.note(`found: ${renderFault(fault)}`);
      terminal.write(`${session.kind} ${visibleLine(session.id)}: ${visibleLine(told)}`);
      if (keptAt !== null) terminal.note(`The damaged file is kept as ${visibleLine(keptAt)}`);
      for (const fault of left) terminal.complain(`still damaged: ${renderFault(fault)}`);
    }
    return left.length > 0 ? ExitCode.damaged : ExitCode.done;
  },
});
