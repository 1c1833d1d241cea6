import type { Logger } from '../../foundation/index.js';
import { type FileSystem, type LogEntry, lookAt, scanLog } from '../../storage/index.js';
import { EVENT_TYPES, type RunEvent } from './events.js';

/** One event of a run as it was written down. */
export interface JournalEntry {
  readonly seq: number;
  readonly at: string;
  readonly event: RunEvent;
}

/** Tells whenever there may be more to read: who writes it, or whoever watches its directory. */
export type JournalHints = (onHint: () => void) => { close(): void };

export interface ReadJournalOptions {
  readonly fileSystem: FileSystem;
  readonly log: Logger;
  readonly path: string;
  readonly sessionId: string;
  /** The first event that is wanted; all of them if absent. */
  readonly from?: number | undefined;
}

/** Reads a journal in its order, each event once; nobody needs a lock for that. */
export class JournalReader {
  readonly #options: ReadJournalOptions;
  /** The event that comes next, and the place behind the last line that was read. */
  #next: number;
  #offset = 0;

  constructor(options: ReadJournalOptions) {
    this.#options = options;
    this.#next = options.from ?? 0;
  }

  /** What was written since the last time. Throws STORAGE_FAILED. */
  read(): JournalEntry[] {
    const { fileSystem, path } = this.#options;
    // What was written and could not be made durable is taken back by the writer, and its place used again.
    if (this.#offset > (lookAt(fileSystem, path)?.size ?? 0)) this.#offset = 0;
    return this.#scan() ?? this.#scan(0) ?? [];
  }

  /** Undefined where it would have to be read from the start to be sure. */
  #scan(start = this.#offset): JournalEntry[] | undefined {
    const { fileSystem, path, sessionId, log } = this.#options;
    const entries: JournalEntry[] = [];
    let [offset, next] = [start, this.#next];
    for (const found of scanLog(fileSystem, path, { sessionId, start })) {
      if (found.kind === 'tail') continue;
      if (found.kind === 'damage' && start > 0) return undefined;
      if (found.kind === 'damage')
        log.warn('run.journal-damaged', { path, line: found.line, reason: found.reason });
      offset = Math.max(offset, found.offset + found.length + 1);
      const entry = found.kind === 'record' ? entryOf(found) : undefined;
      if (entry === undefined || entry.seq < next) continue;
      entries.push(entry);
      next = entry.seq + 1;
    }
    [this.#offset, this.#next] = [offset, next];
    return entries;
  }
}

/** Tells every event of a journal from `from` on, in its order, as soon as it is written. */
export function followJournal(
  options: ReadJournalOptions & { readonly hints: JournalHints },
  onEntry: (entry: JournalEntry) => void,
): { close(): void } {
  const reader = new JournalReader(options);
  let isReading = false;
  let isHinted = false;
  // Whoever is told may cause the next event: it is told when they are done.
  const readOn = () => {
    isHinted = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isHinted) {
        isHinted = false;
        for (const entry of reader.read()) onEntry(entry);
      }
    } finally {
      isReading = false;
    }
  };
  const watch = options.hints(readOn);
  readOn();
  return watch;
}

/** Of records that a later release writes, or that are none of ours, nobody here knows what to make. */
export function entryOf({ value, seq }: LogEntry): JournalEntry | undefined {
  const { at, seq: _seq, crc: _crc, ...event } = value;
  if (seq === null || typeof at !== 'string' || !isKnown(event.type)) return undefined;
  return { seq, at, event: event as unknown as RunEvent };
}

function isKnown(type: unknown): boolean {
  return (EVENT_TYPES as readonly unknown[]).includes(type);
}
