import { openProcesses } from '../../../app/index.js';
import { visibleJson } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderProcessList } from '../../render/processes.js';

export default defineCommand({
  usage: 'processes list',
  summary: 'List agent processes and their sessions',
  details: 'Without --all: what is running, interrupted or resumable.',
  options: { all: { type: 'boolean', about: 'also those that are over' } },
  examples: ['holdfast processes', 'holdfast processes list --all --json'],
  async run({ services, terminal, isJson }, { values }) {
    const infos = openProcesses(services)
      .stored()
      .filter((info) => values.all || info.standing !== 'over');
    if (isJson) terminal.write(visibleJson(infos));
    else if (infos.length > 0) terminal.write(renderProcessList(infos, services.clock.now(), terminal.style));
    else
      terminal.write(
        values.all ? 'No agent was ever started.' : 'No agent is running and none can be resumed.',
      );
    return ExitCode.done;
  },
});
