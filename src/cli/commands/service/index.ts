import type { Services } from '../../../app/base.js';
import { openService, startServiceRuns } from '../../../app/queue/open-service.js';
import { startServiceWorker } from '../../../app/queue/start-worker.js';
import { counted, visibleJson, visibleLine } from '../../../foundation/index.js';
import type { RestartOutcome, RestartPlan } from '../../../run/index.js';
import {
  type InstallReport,
  installService,
  removeService,
  type ServiceChange,
  type ServiceParts,
  type ServiceReport,
  showService,
} from '../../../service/index.js';
import { defineCommand } from '../../command.js';
import { commandOf, perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { openNotices } from '../../open-notices.js';

const parts = (services: Services): ServiceParts => ({ service: openService(services) });

const install = defineCommand({
  operation: installService,
  usage: 'service install',
  details:
    'Writes holdfast.service into the systemd directory of your user, and enables it; nothing is started now. After a\n' +
    'reboot, runs that were working continue; those that waited, were paused or were stopped by you stay as they are. A run with\n' +
    '--permissions bypass, or whose agent lacks an environment variable, asks you first. A unit of this name that\n' +
    'Holdfast did not write is never overwritten.',
  options: {
    print: { type: 'boolean', about: 'print the unit; write nothing' },
    dryRun: { type: 'boolean', about: 'the same' },
  },
  examples: ['holdfast service install', 'holdfast service install --print'],
  async run(context, { values }) {
    const { services, terminal, isJson } = context;
    const { service } = parts(services);
    if (values.print || values.dryRun) {
      const unit = service.print();
      terminal.write(isJson ? visibleJson(unit) : unit.text.trimEnd());
      if (!isJson) terminal.note(`It would be written to ${visibleLine(unit.path)}`);
      return ExitCode.done;
    }
    const report = await perform(context, installService, { service }, {});
    terminal.write(isJson ? visibleJson(report) : describeInstall(report));
    return exitCodeOf(report);
  },
});

const remove = commandOf(removeService, {
  usage: 'service remove',
  details: 'Runs that it started continue. A unit that Holdfast did not write is left alone.',
  options: {},
  examples: ['holdfast service remove'],
  parts,
  input: () => ({}),
  render: (change) =>
    [
      change.isChanged
        ? `Removed ${visibleLine(change.path)}`
        : `Not installed: there is no ${visibleLine(change.path)}`,
      ...describeLeft(change),
    ].join('\n'),
  exitCode: exitCodeOf,
});

const status = commandOf(showService, {
  usage: 'service status',
  details:
    'Then come the runs without a process: which would continue at the next start, which are waiting, and why.\n' +
    'Exit codes: 0 installed, 4 not installed.',
  options: {},
  examples: ['holdfast service status', 'holdfast service status --json'],
  parts,
  input: () => ({}),
  render: describeStatus,
  exitCode: ({ unit }) => (unit === 'none' || unit === 'other' ? ExitCode.notFound : ExitCode.done),
});

const start = defineCommand({
  usage: 'service run',
  summary: 'What the unit runs: restart the runs that were working',
  details:
    'You need not type it; it does the same by hand. It ends when the runs are started, and leaves them alone.\n' +
    'If something is queued and there is no worker, it starts one (holdfast worker).\n' +
    'What only you can start becomes a question in the inbox. Exit code 0, even if a run could not be started.',
  options: {},
  examples: ['holdfast service run', 'systemctl --user start holdfast'],
  async run(context) {
    const { services, terminal, signal, isJson } = context;
    await using _notices = await openNotices(context);
    const report = await startServiceRuns(services, {
      signal,
      onRun: (outcome) => (isJson ? undefined : terminal.write(describeOutcome(outcome))),
    });
    if (isJson) terminal.write(visibleJson(report));
    for (const { project, reason } of report.unreadable)
      terminal.complain(`${visibleLine(project)}: ${visibleLine(reason)}`);
    if (report.isTaken && !isJson) terminal.write('Another process is already starting the runs.');
    else if (report.runs.length === 0 && !isJson) terminal.write('There is no run to start.');
    const worker = report.isTaken || signal.aborted ? undefined : await startServiceWorker(services);
    if (worker !== undefined && !isJson)
      terminal.write(`a worker is running what is queued (process ${worker})`);
    return ExitCode.done;
  },
});

export const commands = [install, remove, status, start];

function exitCodeOf({ isTold }: ServiceChange): ExitCode {
  return isTold === false ? ExitCode.failed : ExitCode.done;
}

function describeInstall(report: InstallReport): string {
  const { path, isChanged, isTold, isLingering, lingerCommand, runs } = report;
  const going = runs.filter(({ does }) => does === 'start');
  return [
    `${isChanged ? 'Wrote' : 'Already there:'} ${visibleLine(path)}`,
    ...(isTold === true ? ['Enabled: it starts when you log in.'] : []),
    ...describeLeft(report),
    ...(isLingering === true
      ? ['Lingering is on: it starts with the machine.']
      : [`To start it with the machine, without a login: ${lingerCommand}`]),
    ...(going.length === 0 ? [] : [`${counted(going.length, 'run')} would continue at the next start:`]),
    ...going.map(describePlan),
  ].join('\n');
}

/** The commands that systemd did not get, for a person to run. */
function describeLeft({ isTold, reason, commands }: ServiceChange): string[] {
  const why =
    isTold === null ? 'There is no systemctl here' : `systemctl refused: ${visibleLine(reason ?? '')}`;
  return commands.length === 0
    ? []
    : [`${why}. Run this where systemd is:`, ...commands.map((line) => `  ${line}`)];
}

const UNIT_WORDS: Readonly<Record<ServiceReport['unit'], string>> = {
  installed: 'installed',
  outdated: 'installed, but outdated: run `holdfast service install` again',
  other: 'not installed: there is another unit of this name',
  none: 'not installed: `holdfast service install`',
};

function describeStatus(report: ServiceReport): string {
  const { path, unit, enabled, active, isLingering, lingerCommand, runs } = report;
  const lingering = isLingering === null ? 'not known' : isLingering ? 'on' : `off: ${lingerCommand}`;
  return [
    `unit: ${UNIT_WORDS[unit]} (${visibleLine(path)})`,
    `enabled: ${enabled ?? 'not known'}`,
    `active: ${active ?? 'not known'}`,
    `lingering: ${lingering}`,
    ...(runs.length === 0 ? ['No run would be started.'] : runs.map(describePlan)),
  ].join('\n');
}

const PLANNED: Readonly<Record<RestartPlan['does'], string>> = {
  start: 'would continue',
  wait: 'is waiting',
  ask: 'would ask you',
};

function describePlan(plan: RestartPlan): string {
  return `  ${nameOf(plan)} ${PLANNED[plan.does]}: ${visibleLine(plan.why)}`;
}

const BECAME: Readonly<Record<RestartOutcome['became'], string>> = {
  started: 'continues',
  running: 'is run by another process',
  waits: 'is waiting',
  asks: 'asks you',
};

function describeOutcome(outcome: RestartOutcome): string {
  const { became, why, pid } = outcome;
  return `${nameOf(outcome)} ${BECAME[became]}${pid === null ? '' : ` (process ${pid})`}: ${visibleLine(why)}`;
}

function nameOf({ sessionId, plan, project }: Pick<RestartPlan, 'sessionId' | 'plan' | 'project'>): string {
  return `${sessionId.slice(0, 8)} ${visibleLine(plan)} in ${visibleLine(project)}`;
}
