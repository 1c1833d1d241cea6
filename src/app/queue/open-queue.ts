import { join } from 'node:path';
import { isHoldfastError } from '../../foundation/index.js';
import {
  type Admission,
  type DeskParts,
  type Entry,
  type EntryWait,
  FileQueue,
  type OrderFacts,
  QueueDesk,
  type QueueView,
  type SlotLimits,
  viewFiles,
} from '../../queue/index.js';
import { listWorktreeRecords, runOfWorktree } from '../../run/index.js';
import {
  entryRunner,
  listWorkers,
  markWorker,
  type WorkerReport,
  type WorkerView,
  work,
} from '../../worker/index.js';
import { openRunAdmission } from '../agents/accounts.js';
import { openAgents } from '../agents/open-agents.js';
import { isFleetKnown } from '../fleet/fleet-known.js';
import type { MayPushBase } from '../fleet/shared-repository.js';
import { type LibraryOptions, libraryServices } from '../library-services.js';
import { openRunStatus } from '../run/open-run-status.js';
import { runServices } from '../run/run-services.js';
import { builtOnce, type SelfCommand, type Services, servicesAt } from '../services.js';
import { projectDirectoryOf } from '../sessions/open-loops.js';
import { workbenchOf } from '../sessions/open-processes.js';
import type { Served, WorkOptions } from './work-options.js';

/** The queue of this user and, if there is one, of the fleet, for one command. */
export function openQueuesIn(
  services: Services,
  {
    isLocal = false,
    mayPushBase,
  }: { readonly isLocal?: boolean; readonly mayPushBase?: MayPushBase | undefined } = {},
): QueueDesk {
  if (!isFleetKnown(services)) return openQueueIn(services);
  const open = async () =>
    (await import('../fleet/open-fleet-queue.js')).openFleetQueue(services, { mayPushBase });
  return openQueueIn(services, openRunAdmission(services), { open, isLocal });
}

/** The queue of this user, as used from the directory of these services. */
export function openQueueIn(
  services: Services,
  admission: Admission = openRunAdmission(services),
  fleet?: DeskParts['fleet'],
): QueueDesk {
  const { tools, clock, config, workingDirectory } = services;
  return new QueueDesk({
    queue: fileQueue(services),
    fleet,
    clock,
    ...rulesOf(services, admission),
    place: () => ({
      fileSystem: tools.fileSystem,
      workingDirectory,
      // In the worktree of a run this is the top of the worktree.
      project: config.worktree?.path ?? projectDirectoryOf(services),
      workspace: workbenchOf(services),
    }),
    checkAgent: (name) => void openAgents(services).chooseInstalled(name),
    checkCost: async (options) => (await import('./check-cost.js')).checkCost(services, options),
    waitOf: (entry) => waitOfRun(services, entry),
  });
}

/** The rules by which entries are taken here. */
export function queueRules(services: Services): Pick<OrderFacts, 'limits' | 'admission' | 'agentOf'> {
  return rulesOf(services, openRunAdmission(services));
}

/** The queue of this machine as shown to people, read in one go. */
export function viewLocalQueue(services: Services): QueueView {
  const { tools, clock } = services;
  const rules = rulesOf(services, openRunAdmission(services));
  return viewFiles(fileQueue(services), tools, { now: clock.now(), ...rules });
}

async function waitOfRun(services: Services, { runId, project, fleet }: Entry): Promise<EntryWait | null> {
  const { tools, log, config } = services;
  try {
    const records = listWorktreeRecords({ fileSystem: tools.fileSystem, log }, config.layout);
    const known = records.find((one) => runOfWorktree(one) === runId)?.path;
    // A run of another machine has no directory here.
    if (known === undefined && fleet !== undefined) return null;
    const directory = known ?? project;
    const { report } = await openRunStatus(servicesAt(services, directory)).status();
    if (report?.sessionId !== runId || report.waitsFor === null) return null;
    const { reason, until, question } = report.waitsFor;
    return { reason, until, question: question?.id ?? null };
  } catch (error) {
    // It is just starting or just ended; the list shows the rest.
    if (!isHoldfastError(error)) throw error;
    return null;
  }
}

/** The workers of this user that are alive on this machine. */
export function workersOf({ tools, config }: Services): WorkerView[] {
  return listWorkers(tools, workersPlace(config));
}

const SLOTS = 2;

/** Takes what may run from the queue of this user and runs it until the signal fires or nothing is left to do. */
export async function workIn(services: Services, options: WorkOptions): Promise<WorkerReport> {
  const { tools, config } = services;
  const { slots = SLOTS, signal, onIdentity } = options;
  using _mark = markWorker(tools, workersPlace(config), slots);
  const total = { done: 0, failed: 0, left: 0 };
  for (let isFirst = true; ; isFirst = false) {
    await using fleet = await serveFleet(services, { ...options, slots });
    if (!isFirst) onIdentity?.(fleet?.machine);
    const report = await workOn(services, { ...options, slots }, fleet);
    for (const what of ['done', 'failed', 'left'] as const) total[what] += report[what];
    if (signal.aborted || fleet?.changed.aborted !== true) return total;
  }
}

function workOn(
  services: Services,
  options: WorkOptions & { readonly slots: number },
  fleet: Served | undefined,
): Promise<WorkerReport> {
  const { clock, log, questions } = services;
  const { slots, isOnce = false, until, admission = openRunAdmission(services), signal, onEvent } = options;
  const local = fileQueue(services);
  const { queue, runner } = fleet ?? { queue: local, runner: entryRunner(runServices(services), local) };
  return work({
    queue,
    runner,
    questions,
    clock,
    log,
    slots,
    rules: rulesOf(services, admission),
    isOnce,
    until,
    signal: fleet === undefined ? signal : AbortSignal.any([signal, fleet.changed]),
    ...(onEvent === undefined ? {} : { onEvent }),
  });
}

/** Both queues if this machine is in a fleet; otherwise no fleet code is loaded. */
async function serveFleet(
  services: Services,
  options: WorkOptions & { readonly slots: number },
): Promise<Served | undefined> {
  if (!isFleetKnown(services)) return undefined;
  const { serveBothQueues } = await import('../fleet/open-fleet-queue.js');
  return serveBothQueues(services, options, fileQueue(services));
}

/** One queue for all readers: it remembers what it has read. */
function fileQueue({ tools, config }: Services): FileQueue {
  return builtOnce(tools, 'queue', () => new FileQueue(tools, config.layout.queue));
}

function rulesOf(
  services: Services,
  admission: Admission,
): Pick<OrderFacts, 'limits' | 'admission' | 'agentOf'> {
  const { config } = services;
  const limits: SlotLimits = {
    perAgent: config.get('queue.agentSlots'),
    perAccount: slotsOfAccounts(config.accounts),
  };
  const usual = () => builtOnce(services, 'usual-agent', () => usualAgent(services));
  const agentOf = ({ options: { agent } }: Entry) => agent ?? usual();
  return { limits, admission, agentOf };
}

function slotsOfAccounts(accounts: Services['config']['accounts']): SlotLimits['perAccount'] {
  return Object.fromEntries(
    Object.entries(accounts).flatMap(([name, { slots }]) => (slots === undefined ? [] : [[name, slots]])),
  );
}

function usualAgent(services: Services): string {
  try {
    return openAgents(services).choose(undefined).name;
  } catch (error) {
    // No agent is installed: whoever runs the entry gets that error.
    if (!isHoldfastError(error)) throw error;
    return '';
  }
}

function workersPlace({ layout }: Services['config']): string {
  return join(layout.queue, 'workers');
}

export type { MayPushBase } from '../fleet/shared-repository.js';
export type { WorkOptions } from './work-options.js';

export interface OpenQueueOptions extends LibraryOptions {
  /** Where plans are looked up and queued entries run; the working directory if absent. */
  readonly directory?: string | undefined;
  readonly admission?: Admission | undefined;
}

/** Opens the queue as the command line does. Throws CONFIG_INVALID. */
export function openQueue(options: OpenQueueOptions = {}): QueueDesk {
  return openQueueIn(libraryServices(options, options.directory), options.admission);
}

export interface StartWorkerOptions extends LibraryOptions, Omit<WorkOptions, 'signal'> {
  /** How runs are started; `holdfast` from PATH if absent. */
  readonly holdfast?: SelfCommand | undefined;
}

/** A worker in this process. Runs are separate processes and outlive it. */
export interface StartedWorker {
  /** Resolves when it has ended: by `stop`, after `until`, or with `isOnce` when nothing is left to do. */
  readonly ended: Promise<WorkerReport>;
  /** Takes nothing more and lets go of its runs; another worker continues them. */
  stop(): Promise<WorkerReport>;
}

/** Starts a worker as `holdfast worker` does. Throws CONFIG_INVALID. */
export function startWorker(options: StartWorkerOptions = {}): StartedWorker {
  const services = libraryServices(options, undefined, options.holdfast);
  const stopping = new AbortController();
  const ended = workIn(services, { ...options, signal: stopping.signal });
  return {
    ended,
    stop() {
      stopping.abort();
      return ended;
    },
  };
}
