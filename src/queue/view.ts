import { arrange, type OrderFacts, type Standing } from './order.js';
import type { PlanPlace } from './plan-content.js';
import { looksTheSame, readAgain } from './plan-content.js';
import type { Queue } from './port.js';
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
  readonly entries: readonly EntryView[];
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

/** Reads all of it. */
export function viewQueue(
  queue: Queue,
  place: Pick<PlanPlace, 'fileSystem'>,
  facts: Pick<OrderFacts, 'now' | 'limits' | 'admission' | 'agentOf'>,
): QueueView {
  const { entries, pausedAt, damaged } = queue.read();
  const isHeld = (id: string) => queue.ownerOf(id) !== undefined;
  const placed = arrange(entries, { ...facts, pausedAt, isHeld });
  return {
    pausedAt,
    damaged,
    // What is added comes first: V8 takes twice as long for what comes behind a spread, which counts in a long list.
    entries: placed.map(({ entry, standing }) => ({
      standing,
      planNote: entry.status === 'queued' || entry.status === 'paused' ? notePlan(place, entry) : null,
      ...entry,
      runId: entry.status === 'failed' && queue.reportOf(entry.id) === undefined ? null : entry.runId,
    })),
  };
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
