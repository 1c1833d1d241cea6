import { type Clock, type Logger, messageOf, timestamp } from '../../foundation/index.js';
import { LockedError, LockLostError, NewerVersionError, StorageError } from '../../storage/index.js';
import type { HeldQuestion } from './held-question.js';
import { collectedAtOf, digestOf, isSettled, outcomeOf, type QuestionOutcome, statusFor } from './state.js';
import type { QuestionStore } from './store.js';
import type { QuestionView } from './view.js';

/** An outcome on its way to the asker. Confirm it once it was delivered; what is not confirmed is new again. */
export interface Delivery extends Disposable {
  readonly view: QuestionView;
  readonly outcome: QuestionOutcome;
  /** Whether it has not been delivered before. */
  readonly isNew: boolean;
  confirm(): void;
}

/** What taking an outcome needs. */
export interface CollectTools {
  readonly store: QuestionStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** The set as its files say. */
  readonly view: (id: string) => QuestionView;
  /** Brings the status in line with the other files. */
  readonly heal: (held: HeldQuestion) => void;
  /** Writes down that the time of the set ran out. */
  readonly expire: (held: HeldQuestion) => void;
}

/** How long a delivery waits for whoever holds the set: a writer needs a few syncs of the disk. */
export const DELIVERY_WAIT_MS = 2_000;

/** Takes the outcome of a set that is held for delivery to the asker; the set is held until that is disposed of. */
export function deliver(tools: CollectTools, held: HeldQuestion): Delivery {
  const { id } = held.snapshot;
  const { store, clock, view } = tools;
  const outcome = outcomeOf(held.snapshot, clock.now());
  // Whoever wrote it may have died between showing it and syncing it: what is delivered must survive power loss.
  if (isSettled(outcome)) quietly(tools, id, 'question.not-synced', () => store.confirm(id));
  if (outcome.status === 'timed_out' && held.snapshot.status?.status === 'pending')
    quietly(tools, id, 'question.timeout-not-noted', () => tools.expire(held));
  if (outcome.status === 'pending' || collectedAtOf(held.snapshot, outcome) !== null) {
    quietly(tools, id, 'question.not-healed', () => tools.heal(held));
    const seen = view(id);
    held[Symbol.dispose]();
    return idleDelivery(seen);
  }
  return {
    view: view(id),
    outcome,
    isNew: true,
    confirm: () =>
      quietly(tools, id, 'question.delivery-not-noted', () => markDelivered(clock, held, outcome)),
    [Symbol.dispose]: () => held[Symbol.dispose](),
  };
}

/** The outcome of a set that cannot be held: of one that stays locked it is not new, of one that cannot be written it stays new. */
export function deliverUnheld({ log }: CollectTools, view: QuestionView, reason: unknown): Delivery {
  if (reason instanceof LockedError || view.outcome.status === 'pending' || view.collectedAt !== null)
    return idleDelivery(view);
  const warn = () =>
    log.warn('question.delivery-not-noted', { sessionId: view.id, error: messageOf(reason) });
  return { view, outcome: view.outcome, isNew: true, confirm: warn, [Symbol.dispose]() {} };
}

/** A disk that cannot be written, or a set that only a newer Holdfast may change: reading still works. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof StorageError || error instanceof NewerVersionError;
}

function idleDelivery(view: QuestionView): Delivery {
  return { view, outcome: view.outcome, isNew: false, confirm() {}, [Symbol.dispose]() {} };
}

/** The mark says when, and leaves everything else about the outcome as it is. */
function markDelivered(clock: Clock, held: HeldQuestion, outcome: QuestionOutcome): void {
  const now = timestamp(clock);
  const collectedAt = 'at' in outcome && Date.parse(outcome.at) > Date.parse(now) ? outcome.at : now;
  const { collectedDigest: _, ...status } = statusFor(held.snapshot, clock.now());
  const isWritten = status.status === outcome.status || !('at' in outcome);
  const lastModified = isWritten ? status.lastModified : outcome.at;
  const digest = isSettled(outcome) ? digestOf(outcome) : undefined;
  held.writeStatus({
    ...status,
    status: outcome.status,
    lastModified,
    collectedAt,
    ...(digest === undefined
      ? {}
      : { collectedDigest: digest, outcomeDigest: status.outcomeDigest ?? digest }),
  });
}

/** Runs what is good to have but must not stand in the way of an outcome. */
function quietly({ log }: CollectTools, id: string, event: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!isUnwritable(error) && !(error instanceof LockLostError)) throw error;
    log.warn(event, { sessionId: id, error: messageOf(error) });
  }
}
