import { type Clock, type Logger, messageOf, timestamp } from '../../foundation/index.js';
import { LockedError, LockLostError, NewerVersionError, StorageError } from '../../storage/index.js';
import type { HeldQuestion } from './held-question.js';
import { collectedAtOf, digestOf, isSettled, outcomeOf, type QuestionOutcome, statusFor } from './state.js';
import type { QuestionStore } from './store.js';
import type { QuestionView } from './view.js';

/** An outcome on its way to the asker. Confirm it once it has been delivered; an unconfirmed outcome counts as new again. */
export interface Delivery extends Disposable {
  readonly view: QuestionView;
  readonly outcome: QuestionOutcome;
  /** Whether it is being delivered for the first time. */
  readonly isNew: boolean;
  confirm(): void;
}

/** What collecting an outcome needs. */
export interface CollectTools {
  readonly store: QuestionStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** The set as its files describe it. */
  readonly view: (id: string) => QuestionView;
  /** Brings the status in line with the other files. */
  readonly heal: (held: HeldQuestion) => void;
  /** Records that the set timed out. */
  readonly expire: (held: HeldQuestion) => void;
}

/** How long a delivery waits while someone else holds the set: a writer needs a few disk syncs. */
export const DELIVERY_WAIT_MS = 2_000;

/** Takes the outcome of a held set for delivery to the asker. The set stays held until the delivery is disposed of. */
export function deliver(tools: CollectTools, held: HeldQuestion): Delivery {
  const { id } = held.snapshot;
  const { store, clock, view } = tools;
  const outcome = outcomeOf(held.snapshot, clock.now());
  // Its writer may have died between publishing and syncing it, and what is delivered must survive power loss.
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

/** The outcome of a set that cannot be held: not new if the set stays locked, still new if it cannot be written. */
export function deliverUnheld({ log }: CollectTools, view: QuestionView, reason: unknown): Delivery {
  if (reason instanceof LockedError || view.outcome.status === 'pending' || view.collectedAt !== null)
    return idleDelivery(view);
  const warn = () =>
    log.warn('question.delivery-not-noted', { sessionId: view.id, error: messageOf(reason) });
  return { view, outcome: view.outcome, isNew: true, confirm: warn, [Symbol.dispose]() {} };
}

/** Whether the disk cannot be written, or only a newer Holdfast may change the set. Reading still works. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof StorageError || error instanceof NewerVersionError;
}

function idleDelivery(view: QuestionView): Delivery {
  return { view, outcome: view.outcome, isNew: false, confirm() {}, [Symbol.dispose]() {} };
}

/** Records when it was delivered, and leaves everything else about the outcome unchanged. */
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

/** Runs an action that is useful but must not hold up an outcome. */
function quietly({ log }: CollectTools, id: string, event: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!isUnwritable(error) && !(error instanceof LockLostError)) throw error;
    log.warn(event, { sessionId: id, error: messageOf(error) });
  }
}
