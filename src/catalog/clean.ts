import { isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { CleanReport, KindTrash, SessionSummary } from './kind.js';
import { TRASH_MS } from './trash.js';

interface Cleaning {
  /** Sessions without activity since then are old. */
  readonly limit: number;
  readonly isDryRun?: boolean | undefined;
  /** Why an old session that is not live must stay all the same; undefined if it need not. */
  readonly whyKept?: (summary: SessionSummary) => string | undefined;
  /** Moves a session to the trash if it is still old; else false. */
  readonly retire: (summary: SessionSummary) => Promise<boolean>;
  readonly trash: KindTrash;
  readonly log: Logger;
}

/**
 * Moves old sessions that are not live to the trash, and removes from the trash what has lain there for seven days. One
 * that cannot be cleaned is reported and stops nobody; one that does not tell its age is left alone.
 */
export async function cleanSessions(
  summaries: readonly SessionSummary[],
  cleaning: Cleaning,
): Promise<CleanReport> {
  const { limit, isDryRun, whyKept, retire } = cleaning;
  const retired: string[] = [];
  const skipped: { id: string; reason: string }[] = [];
  for (const summary of summaries) {
    const { id, lastActivity } = summary;
    if (lastActivity === null || !(Date.parse(lastActivity) < limit)) continue;
    const reason = summary.isLive ? 'somebody has it' : whyKept?.(summary);
    try {
      if (reason !== undefined) skipped.push({ id, reason });
      else if (isDryRun || (await retire(summary))) retired.push(id);
    } catch (error) {
      if (isHoldfastError(error, 'SESSION_NOT_FOUND')) continue;
      skipped.push({ id, reason: messageOf(error) });
    }
  }
  return { retired, purged: isDryRun ? [] : purge(cleaning), skipped };
}

/** A trash that cannot be emptied must not hide what was done before. */
function purge({ trash, log }: Cleaning): string[] {
  try {
    return trash.purge(TRASH_MS);
  } catch (error) {
    log.warn('catalog.trash-not-emptied', { error: messageOf(error) });
    return [];
  }
}
