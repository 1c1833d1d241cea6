import type { FileQueue } from './file-queue.js';
import { arrange, type OrderFacts, type Standing } from './order.js';
import type { PlanPlace } from './plan-content.js';
import { looksTheSame, readAgain } from './plan-content.js';
import type { Queue, QueueContent } from './port.js';
import type { Entry } from './schema.js';

/** What a run that is at work waits for. */
export interface EntryWait {
  readonly reason: string;
  /** When it goes on by itself; null where nobody knows. */
  readonly until: string | null;
  /** What a person is to answer; null where it waits for nobody. */
  readonly question: string | null;
}

/** An entry as a list and a page show it. `runId` is null where it failed before there was a run to look at. */
export interface EntryView extends Entry {
  readonly standing: Standing;
  /** Where its run waits, and somebody looked at the run. */
  readonly runWait?: EntryWait;
  /** What became of the plan where the person has it; null where it is as it was queued, or no longer matters. */
  readonly planNote: 'changed' | 'gone' | null;
}

/** The queue as people see it, in the order in which entries come. */
export interface QueueView {
  readonly pausedAt: string | null;
  /** Of the queue that machines share; absent without a fleet. */
  readonly fleetPausedAt?: string | null;
  /** Why the fleet's queue could not be read; what is of this machine is there all the same. */
  readonly trouble?: string;
  readonly entries: readonly EntryView[];
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

type Facts = Pick<OrderFacts, 'now' | 'limits' | 'admission' | 'agentOf'>;

/** What is known of entries beside their records. */
interface Known {
  isHeld(id: string): boolean;
  hasReport(id: string): boolean;
}

/** Reads all of it. */
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

/** The same of files, at once. */
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

/** Key by key: V8 takes five times as long for a spread with something beside it, which counts in a long list. */
function withKeys(
  entry: Entry,
  standing: Standing,
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

/** Its plan matters still, and is on this machine. */
function isWaiting({ status, fleet }: Entry): boolean {
  return fleet === undefined && (status === 'queued' || status === 'paused');
}

/** A plan that was edited since is said, and never taken unasked. */
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
    return undefined; // what cannot be read any more is as good as gone; the kept one runs
  }
}
