import { isFleetKnown } from '../../../app/fleet/fleet-known.js';
import { openQueuesIn, workIn } from '../../../app/queue/open-queue.js';
import { startWorkerApart } from '../../../app/queue/start-worker.js';
import type { LinkState } from '../../../fleet/index.js';
import { visibleExcerpt, visibleJson, visibleLabel, visibleLine } from '../../../foundation/index.js';
import { nextMoment } from '../../../queue/index.js';
import type { WorkerEvent } from '../../../worker/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { holdLink } from '../../fleet.js';
import { openNotices } from '../../open-notices.js';
import { renderQueue } from '../../render/queue.js';
import { labelsOf } from './labels.js';

const worker = defineCommand({
  usage: 'worker',
  summary: 'Run what is queued, each entry in a worktree of its own',
  details:
    'Runs are processes of their own and outlive the worker: another one, or the next, continues them, and resumes those that\n' +
    'died. Several workers share one queue. Ctrl+C stops the worker, not the runs.\n' +
    'In a fleet it serves the queue of the fleet as well: entries of your own login, and of those in fleet.trust. These run\n' +
    'under a lease: Ctrl+C suspends them and gives them back.\n' +
    'Exit codes: 0 it ended, or with --once: everything is done; 3 with --once: something failed.',
  options: {
    slots: {
      type: 'number',
      value: '<n>',
      about: 'how many runs at once (2); 0 only keeps a machine of a fleet in step',
    },
    labels: {
      type: 'string',
      value: '<a,b>',
      about: 'what this machine has, for entries of the fleet that ask for it',
    },
    unit: { type: 'boolean', about: 'print a systemd unit that keeps such a worker running; start nothing' },
    once: { type: 'boolean', about: 'end when nothing is running here and nothing more may run now' },
    until: {
      type: 'string',
      value: '<time>',
      about: 'take nothing after this time, such as 07:00; end when the last run does',
    },
    detach: { type: 'boolean', about: 'in the background' },
    dryRun: { type: 'boolean', about: 'show what would run when; take nothing' },
  },
  examples: [
    'holdfast worker',
    'holdfast worker --slots 4 --until 07:00 --detach',
    'holdfast worker --once',
    'holdfast worker --labels linux,docker --unit > ~/.config/systemd/user/holdfast-worker.service',
  ],
  async run(context, { values }) {
    const { services, terminal, signal, isJson } = context;
    const slots = values.slots ?? 2;
    if (!Number.isInteger(slots) || slots < 0) throw new UsageError('--slots must be a whole number');
    const labels = labelsOf(values.labels) ?? [];
    if (values.unit) return printUnit(context, { slots, labels });
    if (slots === 0) return keepInStep(context, { isDetached: values.detach });
    const until = values.until === undefined ? undefined : nextMoment(values.until, services.clock.now());
    if (values.dryRun) return showPlan(context);
    if (values.detach) return detach(context, { ...values, slots, until, labels });
    await using _link = await holdLink(context, onlyChanges(tellWhereOut(context)));
    await using _notices = await openNotices(context);
    const left = { here: 0, fleet: 0 };
    const report = await workIn(services, {
      slots,
      isOnce: values.once,
      until,
      labels,
      signal,
      onFleetTrouble: (reason) => {
        if (isJson) terminal.write(visibleJson({ type: 'fleet', trouble: reason ?? null }));
        else if (reason !== undefined)
          terminal.complain(`The queue of the fleet is left out: ${visibleLine(reason)}`);
        else terminal.note('The queue of the fleet is served again.');
      },
      onIdentity: (machine) => {
        if (isJson) terminal.write(visibleJson({ type: 'identity', machine: machine ?? null }));
        else if (machine !== undefined) terminal.note(`Continuing as ${visibleLine(machine)} in the fleet.`);
        else terminal.note('This machine left its fleet; its own queue is served.');
      },
      onEvent(event) {
        if (event.type === 'left') left[event.entry.fleet === undefined ? 'here' : 'fleet'] += 1;
        terminal.write(isJson ? visibleJson(event) : describeEvent(event));
      },
    });
    if (isJson) terminal.write(visibleJson({ type: 'worker-end', ...report }));
    else if (report.left > 0) for (const words of leftWords(left)) terminal.note(words);
    else if (values.once && report.done + report.failed === 0)
      terminal.note(
        'Nothing that is queued may run now. See what is waiting, and for what: holdfast queue list',
      );
    return values.once && report.failed > 0 ? ExitCode.needsPerson : ExitCode.done;
  },
});

export const commands = [worker];

/** `--slots 0`: takes nothing, but holds this machine's link to its fleet until stopped. */
async function keepInStep(
  context: CommandContext,
  { isDetached }: { readonly isDetached: boolean },
): Promise<ExitCode> {
  const { services, terminal, signal, isJson } = context;
  if (!isFleetKnown(services))
    throw new UsageError('--slots 0 keeps a machine of a fleet in step, and this one is in none', {
      hint: 'Join first: holdfast fleet join <url>; or give a number above 0.',
    });
  if (isDetached) return detach(context, { slots: 0, once: false, until: undefined, labels: [] });
  const { holdFleetLink } = await import('../../../app/fleet/open-fleet.js');
  await using _notices = await openNotices(context);
  const tell = (state: LinkState) => {
    if (isJson) terminal.write(visibleJson({ type: 'link', ...state }));
    else if (state.is === 'down' && state.isOut) terminal.complain(outWords(state.reason));
    else if (state.is === 'down') terminal.complain(`cut off from the fleet: ${visibleLine(state.reason)}`);
    else if (state.hears) terminal.note('in step with the fleet');
    else terminal.note('in step with the fleet, by polling every 5 seconds: NOTIFY does not arrive');
  };
  await using link = holdFleetLink(services, onlyChanges(tell));
  if (link === undefined)
    throw new UsageError('This machine has not joined its fleet', { hint: 'holdfast fleet join' });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return ExitCode.done;
}

/** Passes on each state once, although the link keeps retrying. */
function onlyChanges(tell: (state: LinkState) => void): (state: LinkState) => void {
  let said = '';
  return (state) => {
    const now = JSON.stringify(state);
    if (now !== said) tell(state);
    said = now;
  };
}

/** Reports that this machine is out of its fleet. An unreachable queue is reported by the code that serves it. */
function tellWhereOut({ terminal, isJson }: CommandContext): (state: LinkState) => void {
  return (state) => {
    if (!isJson && state.is === 'down' && state.isOut) terminal.complain(outWords(state.reason));
  };
}

function outWords(reason: string): string {
  return `Not in the fleet: ${visibleLine(reason)}. It continues by itself when this machine joins again: holdfast fleet join`;
}

/** What became of the runs that a stopped worker had. */
function leftWords({ here, fleet }: { readonly here: number; readonly fleet: number }): string[] {
  return [
    ...(here === 0 ? [] : ['Runs of this machine continue; the next worker here takes care of them.']),
    ...(fleet === 0
      ? []
      : ['Runs of the fleet are suspended and given back; the next worker that fits continues them.']),
  ];
}

async function showPlan({ services, terminal, isJson }: CommandContext): Promise<ExitCode> {
  const view = await openQueuesIn(services).listClosely();
  const open = { ...view, entries: view.entries.filter(({ status }) => status !== 'done') };
  terminal.write(isJson ? visibleJson(open) : renderQueue(open, services.clock.now(), terminal.style));
  return ExitCode.done;
}

interface WorkerWords {
  readonly slots: number;
  readonly labels: readonly string[];
}

function workerWords({ slots, labels }: WorkerWords): string[] {
  return ['worker', `--slots=${slots}`, ...(labels.length === 0 ? [] : [`--labels=${labels.join(',')}`])];
}

async function printUnit(
  { services, terminal, isJson }: CommandContext,
  words: WorkerWords,
): Promise<ExitCode> {
  const { printWorkerUnit } = await import('../../../app/queue/open-service.js');
  const text = printWorkerUnit(services, [...workerWords(words), '--quiet']);
  terminal.write(isJson ? visibleJson({ text }) : text.trimEnd());
  return ExitCode.done;
}

async function detach(
  { services, terminal, isJson }: CommandContext,
  { slots, once, until, labels }: WorkerWords & { once: boolean; until: Date | undefined },
): Promise<ExitCode> {
  const args = [
    ...workerWords({ slots, labels }),
    '--quiet',
    ...(once ? ['--once'] : []),
    ...(until === undefined ? [] : [`--until=${until.toISOString()}`]),
  ];
  const { pid, log } = await startWorkerApart(services, args);
  if (isJson) terminal.write(visibleJson({ pid, log }));
  else
    terminal.write(`worker started in the background (process ${pid}); its output is in ${visibleLine(log)}`);
  return ExitCode.done;
}

function describeEvent(event: WorkerEvent): string {
  const { entry } = event;
  const name = `${entry.id.slice(0, 8)} ${visibleLine(entry.plan.name)}`;
  const run = entry.runId?.slice(0, 8) ?? '';
  if (event.type === 'taken') return `${name}: ${takenWords(event)}, run ${run}`;
  if (event.type === 'left' && entry.fleet !== undefined)
    return `${name}: given back, run ${run} is suspended here (${visibleExcerpt(event.reason, 200)})`;
  if (event.type === 'left')
    return `${name}: left, run ${run} continues (${visibleExcerpt(event.reason, 200)})`;
  const reason = entry.reason === null ? '' : `: ${visibleExcerpt(entry.reason, 300)}`;
  return `${name}: ${entry.status}${reason}`;
}

function takenWords({ isTakenOver, before }: Extract<WorkerEvent, { type: 'taken' }>): string {
  if (!isTakenOver) return 'taken';
  if (before === undefined) return 'taken over from a worker that is gone';
  const { machine, isMoved, isHere } = before;
  if (isMoved) return `moved from ${visibleLabel(machine)}`;
  return isHere ? 'taken over from an earlier worker here' : `taken over from ${visibleLabel(machine)}`;
}
