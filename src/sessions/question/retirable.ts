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

/** The sets that are not pending and may have had no activity since then. */
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

/** Whether somebody decided and nobody was told. AUQ does not note that a call which waited was told, so that one was. */
function isUncollected(snapshot: QuestionSnapshot, now: Date): boolean {
  const outcome = outcomeOf(snapshot, now);
  if (!isSettled(outcome) || collectedAtOf(snapshot, outcome) !== null) return false;
  const { request, status } = snapshot;
  return !isForeign(request) || (request?.callId ?? status?.callId) === undefined;
}

/** Looks again under the lock, so that nothing goes that came back to life meanwhile. */
async function retire(
  store: QuestionStore,
  id: string,
  isOld: (snapshot: QuestionSnapshot) => boolean,
): Promise<boolean> {
  using held = await store.hold(id, { waitMs: 0 });
  // Where only the directory tells a time, our own lock has just moved it; that there is still no file is enough.
  if (held.snapshot.touchedAt === undefined && !isOld(held.snapshot)) return false;
  held.retire();
  return true;
}
