import type { Clock, Retirable } from '../../foundation/index.js';
import {
  collectedAtOf,
  isForeign,
  isSettled,
  lastActivityOf,
  outcomeOf,
  type QuestionSnapshot,
} from './state.js';
import type { QuestionStore } from './store.js';

/** The sets that are not pending and may have had no activity since `before`. */
export function* retirableQuestions(
  { store, clock }: { readonly store: QuestionStore; readonly clock: Clock },
  before: number,
): Generator<Retirable> {
  const isOld = (snapshot: QuestionSnapshot) => {
    const now = clock.now();
    return (
      outcomeOf(snapshot, now).status !== 'pending' && Date.parse(lastActivityOf(snapshot, now)) < before
    );
  };
  for (const id of store.ids())
    yield {
      id,
      look() {
        const snapshot = store.readOnce(id);
        return isOld(snapshot) ? { isUncollected: isUncollected(snapshot, clock.now()) } : undefined;
      },
      retire: () => retire(store, id, isOld),
    };
}

/**
 * Whether a decision was made and never delivered. AUQ does not record a delivery to a waiting call, so that one counts
 * as delivered.
 */
function isUncollected(snapshot: QuestionSnapshot, now: Date): boolean {
  const outcome = outcomeOf(snapshot, now);
  if (!isSettled(outcome) || collectedAtOf(snapshot, outcome) !== null) return false;
  const { request, status } = snapshot;
  return !isForeign(request) || (request?.callId ?? status?.callId) === undefined;
}

/** Checks again under the lock, so that nothing goes that came back to life in the meantime. */
async function retire(
  store: QuestionStore,
  id: string,
  isOld: (snapshot: QuestionSnapshot) => boolean,
): Promise<boolean> {
  using held = await store.hold(id, { waitMs: 0 });
  // If only the directory tells the time, taking our own lock has just changed it; it is enough that there is still no file.
  if (held.snapshot.touchedAt === undefined && !isOld(held.snapshot)) return false;
  held.retire();
  return true;
}
