import { type Clock, type Logger, messageOf, sleepOrHint } from '../foundation/index.js';
import { arrange, type Entry, type EntryEnd, type Queue, type Taken, type Taker } from '../queue/index.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import { askAboutFailure, settleFailures } from './ask-failure.js';
import type { EntryRunner } from './entry-runner.js';

/** What a worker reports about itself. */
export type WorkerEvent =
  | {
      readonly type: 'taken';
      readonly entry: Entry;
      readonly isTakenOver: boolean;
      readonly before?: Taken['before'];
    }
  | { readonly type: 'ended'; readonly entry: Entry }
  /** Nothing was lost: the next worker that takes it resumes its run. */
  | { readonly type: 'left'; readonly entry: Entry; readonly reason: string };

export interface WorkerOptions {
  readonly queue: Queue;
  readonly runner: EntryRunner;
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many runs it runs at once. */
  readonly slots: number;
  readonly rules: Omit<Taker, 'own'>;
  /** Ends when nothing is running here and nothing may be taken. */
  readonly isOnce: boolean;
  /** Takes nothing after this time, and ends once the runs it has then are over. */
  readonly until?: Date | undefined;
  readonly signal: AbortSignal;
  onEvent?(event: WorkerEvent): void;
}

/** What a worker did. */
export interface WorkerReport {
  readonly done: number;
  readonly failed: number;
  /** Runs that continue without it. */
  readonly left: number;
}

/**
 * The longest wait between two looks: a worker that dies causes no event, and a machine that slept does not say for how
 * long.
 */
const LOOK_MS = 30_000;

/** The clock of the database is read in steps. */
const AFTER_LEASE_MS = 50;

/**
 * Takes what may run and brings it to its end, until told to stop. Runs outlive it. Throws as the queue does, once it has
 * left what it was running: nobody would end those entries or give them back.
 */
export async function work(options: WorkerOptions): Promise<WorkerReport> {
  const failed = new AbortController();
  const running: Running = new Map();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  try {
    return await workWith({ ...options, signal }, running);
  } catch (error) {
    failed.abort();
    await Promise.allSettled(running.values());
    throw error;
  }
}

/** What ends when an entry that runs here has ended or was left, by the entry's id. */
type Running = Map<string, Promise<void>>;

async function workWith(options: WorkerOptions, running: Running): Promise<WorkerReport> {
  const { queue, clock, signal } = options;
  const counts = { done: 0, failed: 0, left: 0 };
  /** Why an entry could neither be brought to its end nor be left. */
  const failures: unknown[] = [];
  /** Entries that could not be brought to their end just now, and are left alone until the next look. */
  const resting = new Map<string, number>();
  const isResting = (id: string) => (resting.get(id) ?? 0) > clock.now().getTime();
  let wake = () => {};
  let isHinted = true;
  const hint = () => {
    isHinted = true;
    wake();
  };
  const watch = queue.watch(hint);
  let known: Known = { entries: [], pausedAt: null, readAtMs: 0 };
  try {
    while (failures.length === 0) {
      const mayTake = !signal.aborted && !isPast(options);
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (
        mayTake &&
        (isHinted || (await isDue(options, known, (id) => running.has(id) || isResting(id), running.size)))
      ) {
        isHinted = false;
        await settleFailures(options.questions, queue, (await queue.read()).entries);
        await fill();
        known = { ...(await queue.read()), readAtMs: clock.now().getTime() };
      }
      const isOver = running.size === 0 && (!mayTake || (options.isOnce && !isHinted));
      if (isOver && failures.length === 0) return counts;
      if (signal.aborted) await Promise.all(running.values());
      else if (!isHinted) await sleepOrHint(clock, waitMs(options, known), woken, signal);
    }
    throw failures[0];
  } finally {
    watch.close();
  }

  async function fill(): Promise<void> {
    while (running.size < options.slots && !signal.aborted) {
      const own = new Set([...running.keys(), ...[...resting.keys()].filter(isResting)]);
      const taken = await queue.take({ ...options.rules, own });
      if (taken === undefined) return;
      const { entry, isTakenOver, before } = taken;
      options.onEvent?.({
        type: 'taken',
        entry,
        isTakenOver,
        ...(before === undefined ? {} : { before }),
      });
      const ended = attend(options, taken)
        .then((outcome) => {
          counts[outcome] += 1;
          if (outcome === 'left') resting.set(entry.id, clock.now().getTime() + LOOK_MS);
        })
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => {
          running.delete(entry.id);
          hint();
        });
      running.set(entry.id, ended);
    }
  }
}

interface Known {
  readonly entries: readonly Entry[];
  readonly pausedAt: string | null;
  readonly readAtMs: number;
}

function isPast({ until, clock }: WorkerOptions): boolean {
  return until !== undefined && clock.now().getTime() >= until.getTime();
}

/** Whether something may be taken, judged by what is already known without reading it again: time passes and workers die. */
async function isDue(
  options: WorkerOptions,
  known: Known,
  isOurs: (id: string) => boolean,
  used: number,
): Promise<boolean> {
  if (used >= options.slots) return false;
  const { queue } = options;
  const held = new Set<string>();
  for (const { id, status } of known.entries)
    if (status === 'running' && (isOurs(id) || (await queue.ownerOf(id)) !== undefined)) held.add(id);
  return placedOf(options, known, (id) => held.has(id)).some(
    ({ entry, standing }) =>
      standing.is === 'next' ||
      (standing.is === 'running' && standing.isAbandoned) ||
      (entry.status === 'failed' && entry.question !== null),
  );
}

function placedOf({ rules, clock }: WorkerOptions, known: Known, isHeld: (id: string) => boolean) {
  return arrange(known.entries, { ...rules, now: clock.now(), pausedAt: known.pausedAt, isHeld });
}

/** How long to wait: until the next known moment, or the next look. */
function waitMs(options: WorkerOptions, known: Known): number {
  const now = options.clock.now().getTime();
  const moments = placedOf(options, known, () => true).flatMap(({ standing }) =>
    standing.is === 'waits' && standing.until !== null ? [Date.parse(standing.until)] : [],
  );
  // Nothing announces the end of a lease, so a worker that waits for it looks at that moment.
  for (const { status, fleet } of known.entries)
    if (status === 'running' && fleet?.lease != null)
      moments.push(known.readAtMs + fleet.lease.endsInSeconds * 1_000 + AFTER_LEASE_MS);
  if (options.until !== undefined) moments.push(options.until.getTime());
  const next = Math.min(...moments.filter((moment) => moment > now)) - now;
  return Math.max(0, Math.min(LOOK_MS, next));
}

async function attend(options: WorkerOptions, taken: Taken): Promise<'done' | 'failed' | 'left'> {
  const { runner, signal, log } = options;
  const { entry } = taken;
  const leave = async (reason: string) => {
    await taken.release();
    options.onEvent?.({ type: 'left', entry, reason });
    return 'left' as const;
  };
  try {
    const end = await runner.run(taken, signal);
    if (end === undefined) return await leave(whyLeft(taken, signal));
    const finished = await taken.finish(await withQuestion(options, entry, end));
    options.onEvent?.({ type: 'ended', entry: finished });
    return finished.status === 'done' ? 'done' : 'failed';
  } catch (error) {
    // A full disk, a lock that was taken away, a defect of ours: nothing is lost, and the other entries continue.
    log.warn('worker.entry-left', { id: entry.id, error: messageOf(error) });
    return leave(messageOf(error));
  }
}

function whyLeft({ lost, wanted }: Taken, signal: AbortSignal): string {
  if (lost.aborted) return 'it was taken away';
  if (wanted?.aborted === true) return 'it was given back';
  return signal.aborted ? 'the worker stopped' : 'it was taken away';
}

async function withQuestion({ questions }: WorkerOptions, entry: Entry, end: EntryEnd): Promise<EntryEnd> {
  const mayRetry = !end.hasPrompted && entry.retriesLeft > 0;
  if (end.outcome === 'done' || entry.onFailure !== 'ask' || mayRetry) return end;
  return { ...end, question: await askAboutFailure(questions, entry, end.reason ?? '') };
}
