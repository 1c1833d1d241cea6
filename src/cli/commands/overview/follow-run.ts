import { journalOf } from '../../../app/overview/open-overview.js';
import type { LocatedRun } from '../../../overview/index.js';
import { followJournal, type JournalEntry, type JournalHints } from '../../../run/index.js';
import type { CommandContext } from '../../command.js';

/** How often to check that a process still runs it: a process that dies makes no event. */
const LOOK_MS = 2_000;

/** The message for a run without a journal. */
export const NO_JOURNAL =
  'This run has no journal: it ran before there were any. `holdfast report` shows what is known.';

export function hasJournal({ services }: CommandContext, { sessionId }: LocatedRun): boolean {
  const { path, fileSystem } = journalOf(services, sessionId);
  return fileSystem.look(path) !== undefined;
}

/** Reports what has happened in a run, then what happens; calls `onGone` when no process runs it any more. */
export function followRun(
  { services }: CommandContext,
  place: LocatedRun,
  options: {
    readonly from?: number | undefined;
    readonly onEntry: (entry: JournalEntry) => void;
    readonly onGone?: () => void;
  },
): { close(): void } {
  const journal = journalOf(services, place.sessionId);
  const hints: JournalHints = (onHint) => services.tools.watcher.watch(journal.directory, onHint);
  const following = followJournal({ ...journal, hints, from: options.from }, options.onEntry);
  const { onGone } = options;
  const timer = onGone === undefined ? undefined : setInterval(() => isGone(place) && onGone(), LOOK_MS);
  return {
    close() {
      clearInterval(timer);
      following.close();
    },
  };
}

/** Whether it is certain that no process runs it. What cannot be read now may be readable at the next look. */
function isGone(place: LocatedRun): boolean {
  try {
    return !isRun(place);
  } catch {
    return false;
  }
}

/** Whether a process runs it. No process runs an archived one. */
export function isRun({ loops, isArchived, sessionId }: LocatedRun): boolean {
  return !isArchived && loops.owner().hold === 'held' && loops.get()?.sessionId === sessionId;
}
