import { journalOf } from '../../../app/overview/open-overview.js';
import type { RunPlace } from '../../../overview/index.js';
import { followJournal, type JournalEntry, type JournalHints } from '../../../run/index.js';
import type { CommandContext } from '../../command.js';

/** How often it is looked at whether somebody still runs it: a process that dies makes no event. */
const LOOK_MS = 2_000;

/** What is said where a run has no journal. */
export const NO_JOURNAL =
  'Nothing is written down of this run: it ran before there were journals. `holdfast report` shows what is known.';

export function hasJournal({ services }: CommandContext, { sessionId }: RunPlace): boolean {
  const { path, fileSystem } = journalOf(services, sessionId);
  return fileSystem.look(path) !== undefined;
}

/** Tells what happens in a run from now on, after what happened; `onGone` when no process runs it any more. */
export function followRun(
  { services }: CommandContext,
  place: RunPlace,
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
  const timer = onGone === undefined ? undefined : setInterval(() => isRun(place) || onGone(), LOOK_MS);
  return {
    close() {
      clearInterval(timer);
      following.close();
    },
  };
}

/** Whether a process runs it. One of the archive is run by nobody. */
export function isRun({ loops, isArchived, sessionId }: RunPlace): boolean {
  return !isArchived && loops.owner().hold === 'held' && loops.get()?.sessionId === sessionId;
}
