import { isHoldfastError, messageOf, sleepOrHint, visibleExcerpt } from '../foundation/index.js';
import type { Entry, EntryEnd, Queue, Taken } from '../queue/index.js';
import {
  type DetachedRun,
  findRun,
  isAskedHow,
  type RunReport,
  type RunServices,
  readRunRecords,
  recallStart,
  reportRun,
  startDetachedRun,
} from '../run/index.js';
import type { LoopView } from '../sessions/loop/index.js';
import { type EntryPlace, preparePlace } from './run-place.js';
import { resumeWords, startWords } from './run-words.js';
import { judgeStopped } from './stopped-verdict.js';

/** Brings the run of an entry to its end. */
export interface EntryRunner {
  /** Undefined if `signal` or `taken.lost` fired first: the run then continues without us. */
  run(taken: Taken, signal: AbortSignal): Promise<EntryEnd | undefined>;
}

/** A process that dies leaves no trace on disk, so the runner looks for it this often. */
const LOOK_MS = 1_000;

/** Prepares the place an entry runs in. */
export type Prepare = (taken: Taken, signal: AbortSignal) => Promise<EntryPlace>;

/**
 * Runs entries as `holdfast run` does, each in a process of its own that outlives the worker. It picks up whatever is
 * left of a run: it watches one that is working, resumes one that died, and reports one that ended.
 */
export function entryRunner(services: RunServices, queue: Queue): EntryRunner {
  return runnerIn(({ entry }, signal) => preparePlace(entry, { queue, services, signal }));
}

/** The same, with a place prepared by somebody else. */
export function runnerIn(prepare: Prepare): EntryRunner {
  return {
    async run(taken, signal) {
      const stop = AbortSignal.any([signal, taken.lost]);
      try {
        const place = await prepare(taken, stop);
        return await attend(taken, place, stop);
      } catch (error) {
        if (stop.aborted) return undefined;
        if (!isHoldfastError(error)) throw error;
        return failed(messageOf(error), null);
      }
    },
  };
}

async function attend(taken: Taken, place: EntryPlace, stop: AbortSignal): Promise<EntryEnd | undefined> {
  const { entry } = taken;
  const { services, worktree } = place;
  // An entry that came back into the queue, by itself or because a person said so, is another try.
  let isAgain = !taken.isTakenOver || wasGivenBack(taken, services);
  let isMoved = place.isMoved ?? false;
  for (;;) {
    if (stop.aborted) return undefined;
    const isFree = !isHeld(services);
    const loop = services.openLoops().get();
    const isOurs = loop?.sessionId === entry.runId;
    // A run holds the tree: ours at work, ours starting, or somebody else's. They run one after the other.
    if (!isFree || loop?.owner.hold === 'held') {
      isAgain &&= !isOurs;
      await untilLeft(services, stop);
      continue;
    }
    if (loop === undefined || !isOurs) {
      const refusal = await start(entry, place);
      if (refusal !== undefined && !isHeld(services)) return failed(refusal, worktree);
      isAgain = false;
      continue;
    }
    const verdict = judgeStopped({
      loop,
      isAgain,
      isMoved,
      isDecided: loop.status === 'halted' && (await isAskedHow(services.questions, loop.sessionId)),
      bootId: services.tools.identity.bootId,
    });
    if (verdict === 'over') return endOf(entry, place, loop);
    if (verdict === 'rests') {
      await untilLeft(services, stop);
      continue;
    }
    isAgain = false;
    isMoved = false;
    const refusal = await resume(entry, place, verdict === 'reset');
    if (refusal !== undefined) return failed(refusal, worktree, await endOf(entry, place, loop));
  }
}

/** Between machines, a worker that gives an entry back suspends its run first; nothing else does that. */
function wasGivenBack({ entry }: Taken, services: RunServices): boolean {
  const loop = services.openLoops().get();
  return entry.fleet !== undefined && loop?.sessionId === entry.runId && loop?.status === 'suspended';
}

/** Starts the run; returns why it was refused. A run that began counts as started, even if it has ended since. */
async function start(entry: Entry, place: EntryPlace): Promise<string | undefined> {
  const started = await launch(entry, place, startWords(entry, place), true);
  if (place.services.openLoops().get()?.sessionId === entry.runId || wasKilled(started)) return undefined;
  return started.exit === null ? 'it was started, and left no session' : refusalOf(started);
}

/** Something killed it before it got anywhere. That is no refusal, and it is started again. */
function wasKilled({ exit }: DetachedRun): boolean {
  return exit !== null && exit.code === null;
}

function isHeld(services: RunServices): boolean {
  return services.openLoops().owner().hold === 'held';
}

async function resume(entry: Entry, place: EntryPlace, isReset: boolean): Promise<string | undefined> {
  const before = place.services.openLoops().get()?.state.resumedAt ?? null;
  const isStartKnown = recallStart(place.services, entry.runId ?? undefined) !== undefined;
  const words = resumeWords(entry, place, { isReset, isStartKnown });
  const started = await launch(entry, place, words, false);
  const loop = place.services.openLoops().get();
  if (started.exit === null || wasKilled(started) || (loop?.state.resumedAt ?? null) !== before)
    return undefined;
  return loop?.owner.hold === 'held' ? undefined : refusalOf(started);
}

function launch(
  entry: Entry,
  { services, plan }: EntryPlace,
  args: readonly string[],
  isNew: boolean,
): Promise<DetachedRun> {
  const found = findRun(services, {
    plan,
    verify: [],
    budget: {},
    isUnattended: entry.options.isUnattended,
    sessionId: entry.runId ?? undefined,
  });
  // Ending the worker does not end a run: what was begun is finished.
  return startDetachedRun(services, found, { args, isNew, signal: new AbortController().signal });
}

function refusalOf({ exit }: DetachedRun): string {
  const [first = ''] = (exit?.stderr ?? '')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('note: '))
    .map((line) => line.replace(/^holdfast: /, ''));
  return first === '' ? `its process ended with code ${exit?.code ?? 'unknown'}` : visibleExcerpt(first, 500);
}

/** Waits until the loop may have changed hands, or until it is time for another look. */
async function untilLeft(services: RunServices, stop: AbortSignal): Promise<void> {
  let wake = () => {};
  const hint = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const watch = services.openLoops().watch(() => wake());
  try {
    await sleepOrHint(services.clock, LOOK_MS, hint, stop);
  } finally {
    watch.close();
  }
}

async function endOf(entry: Entry, { services, worktree }: EntryPlace, loop: LoopView): Promise<EntryEnd> {
  const records = await readRunRecords(services, entry.runId ?? undefined);
  const report: RunReport = reportRun(records);
  const isDone = loop.status === 'completed';
  return {
    outcome: isDone ? 'done' : 'failed',
    reason: isDone ? null : reasonOf(loop, report),
    worktree,
    hasPrompted: (records.conversation?.turns.length ?? 0) > 0,
    report: JSON.stringify(report),
    question: null,
  };
}

function reasonOf({ status, statusReason }: LoopView, { reason, lastWords }: RunReport): string {
  const why = statusReason ?? reason ?? lastWords?.split('\n')[0] ?? null;
  return why === null ? status : `${status}: ${visibleExcerpt(why, 500)}`;
}

function failed(reason: string, worktree: string | null, known?: EntryEnd): EntryEnd {
  const { hasPrompted = false, report = null } = known ?? {};
  return { outcome: 'failed', reason, worktree, hasPrompted, report, question: null };
}
