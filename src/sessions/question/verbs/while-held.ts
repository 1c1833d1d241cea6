import { type Actor, isHoldfastError, messageOf } from '../../../foundation/index.js';
import type { AcquireOptions } from '../../../storage/index.js';
import type { HeldQuestion } from '../held-question.js';
import type { QuestionTools } from '../question-tools.js';
import type { StatusFile } from '../schema.js';
import {
  healedStatus,
  isBeingMade,
  isSettled,
  outcomeOf,
  type QuestionOutcome,
  type QuestionSnapshot,
  statusFor,
  withoutActor,
  withoutMarks,
} from '../state.js';
import { type QuestionView, viewOf } from '../view.js';

/** How often we check whether AUQ has written the status of a new set for the second time. */
const SECOND_WRITE_LOOK_MS = 50;

/** Runs a change under the lock of a set, on what its files say then. Throws SESSION_NOT_FOUND, LOCKED. */
export async function whileHeld<Result>(
  { store }: QuestionTools,
  id: string,
  act: (held: HeldQuestion) => Result,
  options?: AcquireOptions,
): Promise<Result> {
  using held = await store.hold(id, options);
  return act(held);
}

/**
 * Runs a decision on a set. AUQ writes the status of a new set twice, the second time over whatever is there by then.
 * So this waits for the second write, then reads the decision back and repeats it if it was lost.
 */
export async function decide<Result>(
  tools: QuestionTools,
  id: string,
  act: (held: HeldQuestion) => Result,
): Promise<Result> {
  for (let isNewOfAuq = false; ; isNewOfAuq = true) {
    const done = await whileHeld(tools, id, (held) =>
      isBeingMade(held.snapshot, tools.clock.now()) ? undefined : { result: act(held) },
    );
    if (done !== undefined) return isNewOfAuq ? whileHeld(tools, id, act) : done.result;
    await tools.clock.sleep(SECOND_WRITE_LOOK_MS);
  }
}

/** A set whose run may have moved to another machine is decided there. Throws SESSION_NOT_FOUND, RUN_MAY_HAVE_MOVED. */
export async function assertAskerIsHere({ leases, store, clock }: QuestionTools, id: string): Promise<void> {
  if (leases?.areAny() !== true) return;
  const snapshot = await store.read(id);
  const run = snapshot.request?.asker?.session;
  // A settled set reports that itself.
  if (run !== undefined && !isSettled(outcomeOf(snapshot, clock.now()))) await leases.assertHolds(run);
}

/** Every transition outdates earlier deliveries, so it drops their marks and the previous actor. */
export function writeStatus({ clock }: QuestionTools, held: HeldQuestion, fields: Partial<StatusFile>): void {
  const now = clock.now();
  const status = withoutActor(withoutMarks(statusFor(held.snapshot, now)));
  held.writeStatus({ ...status, lastModified: now.toISOString(), ...fields });
}

/** Who decides, for `status.json`; never recorded in the answer itself. */
export function actorOf({ actor }: QuestionTools): Actor {
  return actor ?? 'library';
}

export function outcomeIn({ clock }: QuestionTools, held: HeldQuestion): QuestionOutcome {
  return outcomeOf(held.snapshot, clock.now());
}

/** A set as its files describe it now. */
export function viewNow(tools: QuestionTools, id: string): QuestionView {
  return viewIn(tools, tools.store.readOnce(id));
}

export function viewIn(tools: QuestionTools, snapshot: QuestionSnapshot): QuestionView {
  return viewOf(snapshot, tools, tools.clock.now());
}

/** Brings `status.json` in line with the other files. */
export function heal(held: HeldQuestion): void {
  const status = healedStatus(held.snapshot);
  if (status !== undefined) held.writeStatus(status);
}

/**
 * What a reader does about a status that lags behind. It waits for nobody and sets nothing aside, and the reader sees
 * the same if it fails.
 */
export async function healInPassing(tools: QuestionTools, snapshot: QuestionSnapshot): Promise<void> {
  if (healedStatus(snapshot) === undefined) return;
  if (snapshot.faults.some(({ kind }) => kind === 'damaged' || kind === 'unsafe')) return;
  if (!isBeingMade(snapshot, tools.clock.now())) await healNow(tools, snapshot.id);
}

export async function healNow(tools: QuestionTools, id: string): Promise<void> {
  try {
    await whileHeld(tools, id, heal, { waitMs: 0 });
  } catch (error) {
    // Someone else holds it, it is gone, or the disk cannot be written: the next reader tries again.
    if (!isHoldfastError(error)) throw error;
    tools.log.debug('question.not-healed', { sessionId: id, error: messageOf(error) });
  }
}
