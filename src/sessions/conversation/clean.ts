import { type Clock, type Logger, messageOf, SessionNotFoundError } from '../../foundation/index.js';
import type { FileConversationStore } from './store.js';
import type { ConversationSummary } from './view.js';

export interface CleanOptions {
  /** Without activity for longer than this. */
  readonly olderThanMs: number;
  /** Only tell what would be done. */
  readonly isDryRun?: boolean | undefined;
  /** Stop after this time; the rest is for the next one, which goes on behind `reached`. */
  readonly limitMs?: number | undefined;
  /** Only those whose id is behind this one. */
  readonly after?: string | undefined;
  /** These stay, however old. */
  readonly except?: readonly string[] | undefined;
}

export interface CleanReport {
  /** Moved to the trash. */
  readonly retired: readonly string[];
  /** Removed from the trash for good. */
  readonly purged: readonly string[];
  /** Left alone although old enough, and why. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
  /** Whether everything was looked at; false when the time was up before. */
  readonly isComplete: boolean;
  /** The last that was looked at; null where none was. */
  readonly reached: string | null;
}

const TRASH_MS = 7 * 24 * 60 * 60 * 1_000;

interface CleanTools {
  readonly store: FileConversationStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** How a conversation stands now; undefined for one that is gone. */
  readonly summarize: (id: string) => ConversationSummary | undefined;
}

/**
 * Moves conversations without activity for so long to the trash, except those that somebody has open, and removes from
 * the trash what has lain there for seven days. One that cannot be cleaned is reported and stops nobody.
 */
export async function cleanConversations(tools: CleanTools, options: CleanOptions): Promise<CleanReport> {
  const { store, clock } = tools;
  const limit = clock.now().getTime() - options.olderThanMs;
  const deadline = options.limitMs === undefined ? Infinity : clock.monotonicMs() + options.limitMs;
  const isOld = (id: string) => {
    const summary = tools.summarize(id);
    return summary !== undefined && Date.parse(summary.lastActivity) < limit;
  };
  const retired: string[] = [];
  const skipped: { id: string; reason: string }[] = [];
  let reached: string | null = options.after ?? null;
  for (const id of candidates(store, options)) {
    if (clock.monotonicMs() > deadline) return { retired, purged: [], skipped, isComplete: false, reached };
    reached = id;
    try {
      if (!isOld(id)) continue;
      if (options.isDryRun ? isFree(store, id) : await retire(store, id, isOld)) retired.push(id);
      else skipped.push({ id, reason: 'somebody has it open' });
    } catch (error) {
      if (error instanceof SessionNotFoundError) continue;
      tools.log.warn('conversation.not-cleaned', { sessionId: id, error: messageOf(error) });
      skipped.push({ id, reason: messageOf(error) });
    }
  }
  const purged = options.isDryRun ? [] : tidy(tools);
  return { retired, purged, skipped, isComplete: true, reached };
}

/** In an order that is the same the next time. */
function candidates(store: FileConversationStore, { after, except = [] }: CleanOptions): string[] {
  return store
    .ids()
    .filter((id) => !except.includes(id) && (after === undefined || id > after))
    .sort();
}

function isFree(store: FileConversationStore, id: string): boolean {
  return store.ownerOf(id).hold !== 'held';
}

/** Looks again under the lock, so that nothing goes that came back to life meanwhile. */
async function retire(
  store: FileConversationStore,
  id: string,
  isOld: (id: string) => boolean,
): Promise<boolean> {
  if (!isFree(store, id)) return false;
  using held = await store.hold(id, { waitMs: 0 });
  if (!isOld(id)) return false;
  held.retire();
  return true;
}

/** What cannot be tidied up must not hide what was done before. */
function tidy({ store, log }: CleanTools): string[] {
  try {
    store.sweep();
    return store.trash.purge(TRASH_MS).map((entry) => entry.id);
  } catch (error) {
    log.warn('conversation.trash-not-emptied', { error: messageOf(error) });
    return [];
  }
}
