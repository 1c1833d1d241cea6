import { type Clock, type Logger, messageOf } from '../../foundation/index.js';
import { SessionNotFoundError } from './errors.js';
import {
  collectedAtOf,
  isForeign,
  isSettled,
  lastActivityOf,
  outcomeOf,
  type QuestionSnapshot,
} from './state.js';
import type { QuestionStore } from './store.js';

export interface CleanOptions {
  /** Without activity for longer than this; the configured retention if absent. */
  readonly olderThanMs?: number | undefined;
  /** Whether an answer or a rejection that nobody has collected goes as well. */
  readonly takesUncollected?: boolean | undefined;
  /** Only tell what would be done. */
  readonly isDryRun?: boolean | undefined;
}

export interface CleanReport {
  /** Moved to the trash. */
  readonly retired: readonly string[];
  /** Removed from the trash for good. */
  readonly purged: readonly string[];
  /** Old enough and never collected: left alone, or among the retired where they were to go. */
  readonly uncollected: readonly string[];
  /** Left alone although old enough, and why. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
}

const TRASH_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * Moves sets that are not pending and had no activity for the retention time to the trash, and removes from the trash
 * what has lain there for seven days. An answer or a rejection that nobody collected stays unless it was asked for. A set that cannot be cleaned is reported and stops nobody.
 */
export async function cleanQuestions(
  tools: { store: QuestionStore; clock: Clock; log: Logger; retentionMs: number },
  options: CleanOptions,
): Promise<CleanReport> {
  const limit = tools.clock.now().getTime() - (options.olderThanMs ?? tools.retentionMs);
  const isOld = (snapshot: QuestionSnapshot) => {
    const now = tools.clock.now();
    return outcomeOf(snapshot, now).status !== 'pending' && Date.parse(lastActivityOf(snapshot, now)) < limit;
  };
  const retired: string[] = [];
  const uncollected: string[] = [];
  const skipped: { id: string; reason: string }[] = [];
  for (const id of tools.store.ids()) {
    try {
      const snapshot = tools.store.readOnce(id);
      if (!isOld(snapshot)) continue;
      const isWanted = isUncollected(snapshot, tools.clock.now());
      if (isWanted && options.takesUncollected !== true) uncollected.push(id);
      else if (options.isDryRun || (await retire(tools.store, id, isOld))) {
        retired.push(id);
        if (isWanted) uncollected.push(id);
      }
    } catch (error) {
      if (error instanceof SessionNotFoundError) continue;
      tools.log.warn('question.not-cleaned', { sessionId: id, error: messageOf(error) });
      skipped.push({ id, reason: messageOf(error) });
    }
  }
  return { retired, purged: options.isDryRun ? [] : purge(tools), uncollected, skipped };
}

/** Whether somebody decided and nobody was told. AUQ does not note that a call which waited was told, so that one was. */
function isUncollected(snapshot: QuestionSnapshot, now: Date): boolean {
  const outcome = outcomeOf(snapshot, now);
  if (!isSettled(outcome) || collectedAtOf(snapshot, outcome) !== null) return false;
  const { request, status } = snapshot;
  return !isForeign(request) || (request?.callId ?? status?.callId) === undefined;
}

/** A trash that cannot be emptied must not hide what was done before. */
function purge({ store, log }: { store: QuestionStore; log: Logger }): string[] {
  try {
    return store.purgeTrash(TRASH_MS);
  } catch (error) {
    log.warn('question.trash-not-emptied', { error: messageOf(error) });
    return [];
  }
}

/** Looks again under the lock, so that nothing goes that came back to life meanwhile. */
function retire(
  store: QuestionStore,
  id: string,
  isOld: (snapshot: QuestionSnapshot) => boolean,
): Promise<boolean> {
  const act = (change: Parameters<Parameters<QuestionStore['change']>[1]>[0]) => {
    // Where only the directory tells a time, our own lock has just moved it; that there is still no file is enough.
    if (change.snapshot.touchedAt === undefined && !isOld(change.snapshot)) return false;
    change.retire();
    return true;
  };
  return store.change(id, act, { waitMs: 0 });
}
