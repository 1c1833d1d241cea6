import { openProcesses } from '../../../app/index.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { parseDuration } from '../../duration.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'processes stop <session>',
  summary: 'End an agent process, whoever started it',
  details:
    'Its owner ends it: goodbye, grace, SIGTERM, SIGKILL, and no process of its tree survives. A session whose owner\n' +
    'is gone is closed, so that it cannot be resumed.',
  options: {
    now: { type: 'boolean', about: 'at once, without grace' },
    wait: { type: 'string', value: '<duration>', about: 'how long to wait for the owner (default 30s)' },
  },
  examples: ['holdfast processes stop ses_3f2a', 'holdfast processes stop ses_3f2a --now'],
  async run({ services, terminal, signal, isJson }, { positionals: [session = ''], values }) {
    services.programs.endOrphans();
    const processes = openProcesses(services);
    const id = processes.resolve(session);
    const patience = AbortSignal.timeout(parseDuration(values.wait ?? '30s'));
    const stop = AbortSignal.any([signal, patience]);
    const info = await processes.stop(id, values.now ? 'terminate' : 'end', stop);
    terminal.write(
      isJson
        ? visibleJson({ success: true, ...info })
        : `${id} is ${info.state}${info.ended === null ? '' : `: ${visibleLine(info.ended.reason)}`}`,
    );
    return ExitCode.done;
  },
});
