import type { FileQueue } from './file-queue.js';
import { arrange, type EntryStanding, type OrderFacts } from './order.js';
import type { PlanPlace } from './plan-content.js';
import { looksTheSame, readAgain } from './plan-content.js';
import type { Queue, QueueContent } from './port.js';
import type { Entry } from './schema.js';

/** What a running entry's run is waiting for. */
export interface EntryWait {
  readonly reason: string;
  /** When it continues without help; null if that is unknown. */
  readonly until: string | null;
  /** What a person has to answer; null if it waits for nobody. */
  readonly question: string | null;
}

/** An entry as a list or a page shows it. `runId` is null if it failed before there was a run to look at. */
export interface EntryView extends Entry {
  readonly standing: EntryStanding;
  /** What its run is waiting for, if somebody looked at the run. */
  readonly runWait?: EntryWait;
  /** What became of the person's copy of the plan; null if it is unchanged or no longer matters. */
  readonly planNote: 'changed' | 'gone' | null;
}

/** The queue as people see it, in queue order. */
export interface QueueView {
  readonly pausedAt: string | null;
  /** When the shared queue was paused; absent without a fleet. */
  readonly fleetPausedAt?: string | null;
  /** Why the fleet's queue could not be read; this machine's own entries are listed all the same. */
  readonly trouble?: string;
  readonly entries: readonly EntryView[];
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

type Facts = Pick<OrderFacts, 'now' | 'limits' | 'admission' | 'agentOf'>;

/** What is known about entries beside their records. */
interface Known {
  isHeld(id: string): boolean;
  hasReport(id: string): boolean;
}

/** Reads the whole queue. */
export async function viewQueue(
  queue: Queue,
  place: Pick<PlanPlace, 'fileSystem'>,
  facts: Facts,
): Promise<QueueView> {
  const content = await queue.read();
  const held = new Set<string>();
  const reported = new Set<string>();
  for (const { id, status } of content.entries) {
    if (status === 'running' && (await queue.ownerOf(id)) !== undefined) held.add(id);
    if (status === 'failed' && (await queue.reportOf(id)) !== undefined) reported.add(id);
  }
  return viewOf(content, place, facts, {
    isHeld: (id) => held.has(id),
    hasReport: (id) => reported.has(id),
  });
}

/** The same for a queue on files, synchronously. */
export function viewFiles(queue: FileQueue, place: Pick<PlanPlace, 'fileSystem'>, facts: Facts): QueueView {
  return viewOf(queue.read(), place, facts, {
    isHeld: (id) => queue.ownerOf(id) !== undefined,
    hasReport: (id) => queue.reportOf(id) !== undefined,
  });
}

function viewOf(
  { entries, pausedAt, damaged }: QueueContent,
  place: Pick<PlanPlace, 'fileSystem'>,
  facts: Facts,
  { isHeld, hasReport }: Known,
): QueueView {
  const placed = arrange(entries, { ...facts, pausedAt, isHeld });
  return {
    pausedAt,
    damaged,
    entries: placed.map(({ entry, standing }) => {
      const planNote = isWaiting(entry) ? notePlan(place, entry) : null;
      const runId = entry.status === 'failed' && !hasReport(entry.id) ? null : entry.runId;
      return withKeys(entry, standing, planNote, runId);
    }),
  };
}

/** Key by key: in V8 a spread followed by more keys takes five times as long, which matters in a long list. */
function withKeys(
  entry: Entry,
  standing: EntryStanding,
  planNote: EntryView['planNote'],
  runId: string | null,
): EntryView {
  return {
    standing,
    planNote,
    version: entry.version,
    id: entry.id,
    status: entry.status,
    plan: entry.plan,
    project: entry.project,
    repository: entry.repository,
    base: entry.base,
    continues: entry.continues,
    isInPlace: entry.isInPlace,
    options: entry.options,
    after: entry.after,
    notBefore: entry.notBefore,
    priority: entry.priority,
    position: entry.position,
    onFailure: entry.onFailure,
    retriesLeft: entry.retriesLeft,
    addedAt: entry.addedAt,
    runId,
    worker: entry.worker,
    startedAt: entry.startedAt,
    endedAt: entry.endedAt,
    reason: entry.reason,
    worktree: entry.worktree,
    question: entry.question,
    fleet: entry.fleet,
  } satisfies { [Key in Exclude<keyof EntryView, 'runWait'>]: EntryView[Key] };
}

/** Whether its plan still matters and is on this machine. */
function isWaiting({ status, fleet }: Entry): boolean {
  return fleet === undefined && (status === 'queued' || status === 'paused');
}

/** A plan that was edited since is reported, and never taken unasked. */
function notePlan(
  { fileSystem }: Pick<PlanPlace, 'fileSystem'>,
  { plan, project, addedAt }: Entry,
): EntryView['planNote'] {
  if (readQuietly(() => looksTheSame(fileSystem, plan, addedAt)) === true) return null;
  const now = readQuietly(() => readAgain({ fileSystem, project, workingDirectory: project }, plan));
  if (now === undefined) return 'gone';
  return now.plan.hash === plan.hash ? null : 'changed';
}

function readQuietly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined; // what can no longer be read counts as gone; the kept plan runs
  }
}
