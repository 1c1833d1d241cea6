import { openProcesses, type Services } from '../../../app/index.js';
import { visibleLine } from '../../../foundation/index.js';
import {
  listProcesses,
  type ProcessParts,
  showProcess,
  stopProcess,
} from '../../../sessions/process/index.js';
import { commandOf } from '../../command-of.js';
import { parseDuration } from '../../duration.js';
import { renderProcess, renderProcessList } from '../../render/processes.js';

const parts = (services: Services): ProcessParts => ({ processes: openProcesses(services) });

const list = commandOf(listProcesses, {
  usage: 'processes list',
  details: 'Without --all: what is running, interrupted or resumable.',
  options: { all: { type: 'boolean', about: 'also those that are over' } },
  examples: ['holdfast processes', 'holdfast processes list --all --json'],
  parts,
  input: ({ values }) => ({ isAll: values.all }),
  render(infos, { services, terminal, values }) {
    if (infos.length > 0) return renderProcessList(infos, services.clock.now(), terminal.style);
    return values.all ? 'No agent was ever started.' : 'No agent is running and none can be resumed.';
  },
});

const show = commandOf(showProcess, {
  usage: 'processes show <session>',
  options: {},
  examples: ['holdfast processes show ses_3f2a', 'holdfast processes show ses_3f2a --json'],
  parts,
  input: ({ positionals: [session = ''] }) => ({ session }),
  render: (info, { terminal }) => renderProcess(info, terminal.style),
});

const stop = commandOf(stopProcess, {
  usage: 'processes stop <session>',
  details:
    'Its owner ends it: goodbye, grace, SIGTERM, SIGKILL, and no process of its tree survives. A session whose owner\n' +
    'is gone is closed, so it cannot be resumed.',
  options: {
    now: { type: 'boolean', about: 'at once, without grace' },
    wait: { type: 'string', value: '<duration>', about: 'how long to wait for the owner (default 30s)' },
  },
  examples: ['holdfast processes stop ses_3f2a', 'holdfast processes stop ses_3f2a --now'],
  parts(services) {
    services.programs.endOrphans();
    return parts(services);
  },
  input: ({ positionals: [session = ''], values: { now, wait } }) => ({
    session,
    isAtOnce: now,
    patienceMs: wait === undefined ? undefined : parseDuration(wait),
  }),
  render: ({ id, state, ended }) =>
    `${id} is ${state}${ended === null ? '' : `: ${visibleLine(ended.reason)}`}`,
  json: (info) => ({ success: true, ...info }),
});

export const commands = [list, show, stop];
