import { journalOf } from '../../../app/overview/open-overview.js';
import type { Services } from '../../../app/services.js';
import { isWorthKeeping } from '../../../models/run-view/index.js';
import type { RunPlace } from '../../../overview/index.js';
import { type JournalEntry, JournalReader } from '../../../run/index.js';
import { eventWords, runDescriber } from '../../../run/journal/describe-run.js';
import type { RunEntry } from '../../contract/index.js';

/** What an agent says is told so often at most. */
const COALESCED_MS = 100;
/** A process that dies makes no event. */
const LOOK_MS = 2_000;

/** The journal of one run for one reader, who takes what there is when there is room for it. */
export class RunFeed implements Disposable {
  readonly run: string;
  readonly #place: RunPlace;
  readonly #reader: JournalReader;
  readonly #after: number;
  readonly #describe = runDescriber(true);
  readonly #watch: { close(): void };
  readonly #looking: NodeJS.Timeout;
  #waiting: JournalEntry[] = [];
  #hinting: NodeJS.Timeout | undefined;
  #isHinted = true;
  #isRunning: boolean;
  /** What was told last about whether it runs. */
  #told: boolean | undefined;

  /** `after`: the last entry that the reader has; `onMore` says that there may be something to take. */
  constructor(services: Services, place: RunPlace, after: number, onMore: () => void) {
    const journal = journalOf(services, place.sessionId);
    this.run = place.sessionId;
    this.#place = place;
    this.#after = after;
    // From its beginning: the words for an entry depend on those before it.
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
      if (isRun(place) === this.#told) return;
      this.#isHinted = true;
      onMore();
    }, LOOK_MS);
  }

  /** The next entry, or undefined when all are taken. Throws STORAGE_FAILED. */
  take(): RunEntry | undefined {
    for (;;) {
      if (this.#waiting.length === 0 && this.#isHinted) {
        this.#isHinted = false;
        // Before it is read: who does not run it any more has written everything by now.
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

  /** Whether a process ran it when its entries were read, where that was not told yet. Only when all of them are taken. */
  news(): boolean | undefined {
    if (this.#told === this.#isRunning) return undefined;
    this.#told = this.#isRunning;
    return this.#isRunning;
  }

  [Symbol.dispose](): void {
    this.#watch.close();
    clearTimeout(this.#hinting);
    clearInterval(this.#looking);
  }
}

/** Whether a process runs it. One of the archive is run by nobody. */
function isRun({ loops, isArchived, sessionId }: RunPlace): boolean {
  return !isArchived && loops.owner().hold === 'held' && loops.get()?.sessionId === sessionId;
}
