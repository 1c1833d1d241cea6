import { type Clock, sleepOrHint, throwIfAborted } from '../../foundation/index.js';
import { CallIdMismatchError } from './errors.js';
import { healedStatus, outcomeOf, type QuestionOutcome, type QuestionSnapshot } from './state.js';
import type { QuestionStore } from './store.js';

export interface WaitOptions {
  /** How long to wait before returning `pending`; 0 or absent = forever. */
  readonly patienceMs?: number | undefined;
  /** The call that the set must belong to. */
  readonly expectedCallId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The longest timer we set; a longer wait simply checks again. */
const MAX_TIMER_MS = 24 * 60 * 60 * 1_000;

/**
 * Waits until a set is no longer pending, woken by the directory watch, and returns its outcome. Also ends when the set
 * is deleted (SESSION_NOT_FOUND), the call does not match (CALL_ID_MISMATCH), or the signal fires (ABORTED).
 */
export async function waitForOutcome(
  tools: {
    store: QuestionStore;
    clock: Clock;
    /** Called when another program says that it answered, but there is no answer that counts. */
    onNoAnswer?: (() => Promise<void>) | undefined;
  },
  id: string,
  options: WaitOptions = {},
): Promise<QuestionOutcome> {
  const { store, clock } = tools;
  const patience = options.patienceMs ?? 0;
  const giveUpAt = patience > 0 ? clock.monotonicMs() + patience : Number.POSITIVE_INFINITY;
  let wake = () => {};
  const watch = store.watch(id, (name) => {
    if (isTelling(name)) wake();
  });
  try {
    for (;;) {
      throwIfAborted(options.signal, 'The wait for answers');
      const hint = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const snapshot = await readPatiently(store, id);
      assertCall(snapshot, options.expectedCallId);
      const outcome = outcomeOf(snapshot, clock.now());
      if (outcome.status !== 'pending') return outcome;
      if (healedStatus(snapshot) !== undefined) await tools.onNoAnswer?.();
      const leftMs = giveUpAt - clock.monotonicMs();
      if (leftMs <= 0) return outcome;
      const untilExpiryMs = msUntilExpiry(snapshot, clock);
      await sleepOrHint(clock, Math.min(leftMs, untilExpiryMs, MAX_TIMER_MS), hint, options.signal);
    }
  } finally {
    watch.close();
  }
}

/** Temporary files, lock records and drafts come and go; only a document means a change. */
function isTelling(name: string | null): boolean {
  return (
    name === null || !(name.startsWith('.') || name.startsWith('session.lock.') || name === 'draft.json')
  );
}

/** A damaged request or status is worth a second look; an undamaged set costs no wait. */
function readPatiently(store: QuestionStore, id: string): QuestionSnapshot | Promise<QuestionSnapshot> {
  const snapshot = store.readOnce(id);
  return snapshot.faults.length === 0 ? snapshot : store.read(id);
}

function assertCall(snapshot: QuestionSnapshot, expected: string | undefined): void {
  const found = snapshot.answers?.callId ?? snapshot.status?.callId ?? snapshot.request?.callId;
  if (expected !== undefined && found !== expected)
    throw new CallIdMismatchError(snapshot.id, expected, found);
}

function msUntilExpiry(snapshot: QuestionSnapshot, clock: Clock): number {
  const expiresAt = snapshot.request?.expiresAt;
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(1, Date.parse(expiresAt) - clock.now().getTime());
}
