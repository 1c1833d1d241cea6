import { type Clock, DAY_MS, isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { RetainedKind } from './kind.js';

export interface RetainOptions {
  /** Without activity for longer than this. */
  readonly olderThanMs: number;
  /** Whether an answer or a rejection that nobody has collected goes as well. */
  readonly takesUncollected?: boolean | undefined;
  /** Only tell what would be done. */
  readonly isDryRun?: boolean | undefined;
  /** Stop after this time; the rest is for the next one, which goes on behind `reached`. */
  readonly limitMs?: number | undefined;
  /** Only those whose id is behind this one. */
  readonly after?: string | undefined;
  /** These stay, however old. */
  readonly except?: readonly string[] | undefined;
}

export interface RetainReport {
  /** Moved to the trash. */
  readonly retired: readonly string[];
  /** Removed from the trash for good: what has lain there for seven days. */
  readonly purged: readonly string[];
  /** Old enough and never collected: left alone, or among the retired where they were to go. */
  readonly uncollected: readonly string[];
  /** Left alone although old enough, and why. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
  /** Whether everything was looked at; false when the time was up before. */
  readonly isComplete: boolean;
  /** The last that was looked at; null where none was. */
  readonly reached: string | null;
}

/** What has lain in the trash for so long is removed by the next cleaning. */
const TRASH_MS = 7 * DAY_MS;

/**
 * Moves sessions of a kind without activity for so long to the trash, except those that somebody has or waits for, and
 * removes from the trash what has lain there for seven days. One that cannot be cleaned is reported and stops nobody.
 */
export async function retain(
  kind: RetainedKind,
  tools: { readonly clock: Clock; readonly log: Logger },
  options: RetainOptions,
): Promise<RetainReport> {
  const { after = null, except = [], isDryRun = false, takesUncollected = false } = options;
  const retired: string[] = [];
  const uncollected: string[] = [];
  const skipped: { id: string; reason: string }[] = [];
  let reached = after;
  const report = (isComplete: boolean, purged: readonly string[]): RetainReport => {
    return { retired, purged, uncollected, skipped, isComplete, reached };
  };
  const { clock, log } = tools;
  const deadlineMs = options.limitMs === undefined ? Infinity : clock.monotonicMs() + options.limitMs;
  for (const one of kind.retirable(clock.now().getTime() - options.olderThanMs)) {
    const { id } = one;
    if (except.includes(id) || (after !== null && id <= after)) continue;
    if (clock.monotonicMs() > deadlineMs) return report(false, []);
    reached = id;
    try {
      const facts = one.look();
      if (facts === undefined) continue;
      const { kept, isUncollected = false } = facts;
      if (isUncollected && !takesUncollected) uncollected.push(id);
      else if (kept !== undefined) skipped.push({ id, reason: kept });
      else if (isDryRun || (await one.retire())) {
        retired.push(id);
        if (isUncollected) uncollected.push(id);
      }
    } catch (error) {
      if (isHoldfastError(error, 'SESSION_NOT_FOUND')) continue;
      log.warn(`${kind.kind}.not-cleaned`, { sessionId: id, error: messageOf(error) });
      skipped.push({ id, reason: messageOf(error) });
    }
  }
  return report(true, isDryRun ? [] : tidy(kind, log));
}

/** What cannot be tidied up must not hide what was done before. */
function tidy(kind: RetainedKind, log: Logger): readonly string[] {
  try {
    kind.sweep?.();
    return kind.purgeTrash(TRASH_MS);
  } catch (error) {
    log.warn(`${kind.kind}.trash-not-emptied`, { error: messageOf(error) });
    return [];
  }
}
