import { type Clock, DAY_MS, isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { RetainedKind } from './kind.js';

export interface RetainOptions {
  /** Only sessions without activity for longer than this. */
  readonly olderThanMs: number;
  /** Whether to include answers and rejections that nobody has collected. */
  readonly takesUncollected?: boolean | undefined;
  /** Only report what would be done. */
  readonly isDryRun?: boolean | undefined;
  /** Stop after this time; the next call does the rest, starting after `reached`. */
  readonly limitMs?: number | undefined;
  /** Only sessions whose id comes after this one. */
  readonly after?: string | undefined;
  /** These sessions stay, however old. */
  readonly except?: readonly string[] | undefined;
}

export interface RetainReport {
  /** Moved to the trash. */
  readonly retired: readonly string[];
  /** Permanently removed after seven days in the trash. */
  readonly purged: readonly string[];
  /** Old enough and never collected: left alone, or also among the retired if `takesUncollected`. */
  readonly uncollected: readonly string[];
  /** Left alone although old enough, with the reason. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
  /** Whether everything was checked; false if time ran out. */
  readonly isComplete: boolean;
  /** The last session that was checked; null if none was. */
  readonly reached: string | null;
}

/** How long a session stays in the trash before the next cleaning removes it. */
const TRASH_MS = 7 * DAY_MS;

/**
 * Moves sessions of a kind without recent activity to the trash, except those that someone holds or waits for, and
 * empties the trash of what has been there for seven days. A session that cannot be cleaned is reported and does not
 * stop the rest.
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

/** A failure to tidy up must not hide what was done before. */
function tidy(kind: RetainedKind, log: Logger): readonly string[] {
  try {
    kind.sweep?.();
    return kind.purgeTrash(TRASH_MS);
  } catch (error) {
    log.warn(`${kind.kind}.trash-not-emptied`, { error: messageOf(error) });
    return [];
  }
}
