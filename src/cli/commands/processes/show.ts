import { openProcesses } from '../../../app/index.js';
import { visibleJson } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderProcess } from '../../render/processes.js';

export default defineCommand({
  usage: 'processes show <session>',
  summary: 'Show one agent process and its session',
  options: {},
  examples: ['holdfast processes show ses_3f2a', 'holdfast processes show ses_3f2a --json'],
  async run({ services, terminal, isJson }, { positionals: [session = ''] }) {
    const processes = openProcesses(services);
    const info = processes.get(processes.resolve(session));
    terminal.write(isJson ? visibleJson(info) : renderProcess(info, terminal.style));
    return ExitCode.done;
  },
});
