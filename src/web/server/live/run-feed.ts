import { journalOf } from '../../../app/overview/open-overview.js';
import type { Services } from '../../../app/services.js';
import { isWorthKeeping } from '../../../models/run-view/index.js';
import type { LocatedRun } from '../../../overview/index.js';
import { type JournalEntry, JournalReader } from '../../../run/index.js';
import { eventWords, runDescriber } from '../../../run/journal/describe-run.js';
import type { RunEntry } from '../../contract/index.js';

/** What an agent says is sent at most this often. */
const COALESCED_MS = 100;
/** A process that dies causes no event, so this checks regularly. */
const LOOK_MS = 2_000;

/** The journal of one run for one reader, who takes entries when there is room for them. */
export class RunFeed implements Disposable {
  readonly run: string;
  readonly #place: LocatedRun;
  readonly #reader: JournalReader;
  readonly #after: number;
  readonly #describe = runDescriber(true);
  readonly #watch: { close(): void };
  readonly #looking: NodeJS.Timeout;
  #waiting: JournalEntry[] = [];
  #hinting: NodeJS.Timeout | undefined;
  #isHinted = true;
  #isRunning: boolean;
  /** What was last reported about whether it is running. */
  #told: boolean | undefined;

  /** `after`: the last entry the reader has; `onMore` says that there may be more to take. */
  constructor(services: Services, place: LocatedRun, after: number, onMore: () => void) {
    const journal = journalOf(services, place.sessionId);
    this.run = place.sessionId;
    this.#place = place;
    this.#after = after;
    // From its beginning, since the words for an entry depend on earlier entries.
    this.#reader = new JournalReader(journal);
    this.#isRunning = isRun(place);
    this.#watch = services.tools.watcher.watch(journal.directory, () => {
      this.#isHinted = true;
      this.#hinting ??= setTimeout(() => {
        this.#hinting = undefined;
        onMore();
      }, COALESCED_MS);
    });
    this.#looking = setInterval(() => {
      if (this.#isAsTold()) return;
      this.#isHinted = true;
      onMore();
    }, LOOK_MS);
  }

  /** The next entry, or undefined when all are taken. Throws STORAGE_FAILED. */
  take(): RunEntry | undefined {
    for (;;) {
      if (this.#waiting.length === 0 && this.#isHinted) {
        this.#isHinted = false;
        // Before reading: a process that has stopped by now has written everything.
        this.#isRunning = isRun(this.#place);
        this.#waiting = this.#reader.read().reverse();
      }
      const entry = this.#waiting.pop();
      if (entry === undefined) return undefined;
      const at = new Date(entry.at);
      const words = eventWords(entry.event, at, { describe: this.#describe, isKept: isWorthKeeping });
      if (entry.seq > this.#after) return { run: this.run, ...entry, ...words };
    }
  }

  /** Whether a process ran it when its entries were read, if not reported yet. Only once all entries are taken. */
  news(): boolean | undefined {
    if (this.#told === this.#isRunning) return undefined;
    this.#told = this.#isRunning;
    return this.#isRunning;
  }

  /** If that cannot be read, it counts as a change: `take` meets the error where it can be reported. */
  #isAsTold(): boolean {
    try {
      return isRun(this.#place) === this.#told;
    } catch {
      return false;
    }
  }

  [Symbol.dispose](): void {
    this.#watch.close();
    clearTimeout(this.#hinting);
    clearInterval(this.#looking);
  }
}

/** Whether a process runs it. An archived run has no process. */
function isRun({ loops, isArchived, sessionId }: LocatedRun): boolean {
  return !isArchived && loops.owner().hold === 'held' && loops.get()?.sessionId === sessionId;
}
