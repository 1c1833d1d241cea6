import { messageOf, next, timestamp } from '../../../foundation/index.js';
import { LockedError } from '../../../storage/index.js';
import { checkReason } from '../check-input.js';
import {
  type CollectTools,
  DELIVERY_WAIT_MS,
  type Delivery,
  deliver,
  deliverUnheld,
  isUnwritable,
} from '../collect.js';
import type { HeldQuestion } from '../held-question.js';
import { questionLifecycle } from '../lifecycle.js';
import type { QuestionTools } from '../question-tools.js';
import { isSettled, outcomeOf, type QuestionOutcome, statusFor } from '../state.js';
import { type WaitOptions, waitForOutcome } from '../wait-for-answers.js';
import { getSet } from './read.js';
import { heal, healNow, outcomeIn, viewNow, whileHeld, writeStatus } from './while-held.js';

/** See `QuestionSessions.wait`. */
export async function waitForSet(
  tools: QuestionTools,
  id: string,
  options: WaitOptions,
): Promise<QuestionOutcome> {
  const { store, clock, log } = tools;
  const outcome = await waitForOutcome({ store, clock, onNoAnswer: () => healNow(tools, id) }, id, options);
  if (outcome.status !== 'timed_out') return outcome;
  try {
    return await expireSet(tools, id);
  } catch (error) {
    // Every reader checks the deadline itself, and a disk that cannot be written must not hide a timeout.
    if (!isUnwritable(error)) throw error;
    log.warn('question.timeout-not-noted', { sessionId: id, error: messageOf(error) });
    return outcome;
  }
}

/** See `QuestionSessions.expire`. */
export function expireSet(tools: QuestionTools, id: string): Promise<QuestionOutcome> {
  return whileHeld(tools, id, (held) => {
    const stored = held.snapshot.status?.status;
    const outcome = outcomeIn(tools, held);
    if (outcome.status === 'pending' || (outcome.status === 'timed_out' && stored === 'pending'))
      writeExpired(tools, held);
    return outcomeOf(tools.store.readOnce(id), tools.clock.now());
  });
}

/** See `QuestionSessions.collect`. */
export async function collectSet(tools: QuestionTools, id: string): Promise<Delivery> {
  let held: HeldQuestion;
  try {
    held = await tools.store.hold(id, { waitMs: DELIVERY_WAIT_MS });
  } catch (error) {
    if (!(error instanceof LockedError) && !isUnwritable(error)) throw error;
    return deliverUnheld(collecting(tools), await getSet(tools, id), error);
  }
  try {
    return deliver(collecting(tools), held);
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}

/** See `QuestionSessions.noteAsker`. */
export async function noteAskerOf(
  tools: QuestionTools,
  id: string,
  state: 'gone' | 'waiting',
): Promise<void> {
  const { clock, identity } = tools;
  await whileHeld(tools, id, (held) => {
    const { askerGoneAt: _gone, askerProcess: _process, ...status } = statusFor(held.snapshot, clock.now());
    if (isSettled(outcomeIn(tools, held))) return;
    const asker = state === 'gone' ? { askerGoneAt: timestamp(clock) } : { askerProcess: { ...identity } };
    held.writeStatus({ ...status, ...asker });
  });
}

/** See `QuestionSessions.noteUnheard`. */
export async function noteUnheardOf(tools: QuestionTools, id: string, reason: string): Promise<void> {
  await whileHeld(tools, id, (held) =>
    held.writeStatus({ ...statusFor(held.snapshot, tools.clock.now()), unheardReason: checkReason(reason) }),
  );
}

function collecting(tools: QuestionTools): CollectTools {
  const { store, clock, log } = tools;
  const expire = (held: HeldQuestion) => writeExpired(tools, held);
  return { store, clock, log, view: (id) => viewNow(tools, id), heal, expire };
}

function writeExpired(tools: QuestionTools, held: HeldQuestion): void {
  writeStatus(tools, held, { status: next(questionLifecycle, 'pending', 'expire') });
}
