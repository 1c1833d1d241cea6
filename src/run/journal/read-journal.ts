import type { Logger } from '../../foundation/index.js';
import { type FileSystem, type LogEntry, lookAt, scanLog } from '../../storage/index.js';
import { EVENT_TYPES, type RunEvent } from './events.js';

/** One event of a run as the journal has it. */
export interface JournalEntry {
  readonly seq: number;
  readonly at: string;
  readonly event: RunEvent;
}

/** Calls back whenever there may be more to read. The hints come from the writer, or from a watch on its directory. */
export type JournalHints = (onHint: () => void) => { close(): void };

export interface ReadJournalOptions {
  readonly fileSystem: FileSystem;
  readonly log: Logger;
  readonly path: string;
  readonly sessionId: string;
  /** The first event to read; all if absent. */
  readonly from?: number | undefined;
}

/** Reads a journal in order, each event once; this needs no lock. */
export class JournalReader {
  readonly #options: ReadJournalOptions;
  /** The number of the next event, and the offset just after the last line read. */
  #next: number;
  #offset = 0;

  constructor(options: ReadJournalOptions) {
    this.#options = options;
    this.#next = options.from ?? 0;
  }

  /** What was written since the last read. Throws STORAGE_FAILED. */
  read(): JournalEntry[] {
    const { fileSystem, path } = this.#options;
    // The writer takes back what it could not make durable, and uses its place again.
    if (this.#offset > (lookAt(fileSystem, path)?.size ?? 0)) this.#offset = 0;
    return this.#scan() ?? this.#scan(0) ?? [];
  }

  /** Undefined if only reading from the start would be safe. */
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

/** Calls back with every event of a journal from `from` on, in order, as soon as it is written. */
export function followJournal(
  options: ReadJournalOptions & { readonly hints: JournalHints },
  onEntry: (entry: JournalEntry) => void,
): { close(): void } {
  const reader = new JournalReader(options);
  let isReading = false;
  let isHinted = false;
  // A callback may cause the next event: that one is delivered after the callback has returned.
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

/** Undefined for records that a later release wrote or that are not ours: we cannot interpret them. */
export function entryOf({ value, seq }: LogEntry): JournalEntry | undefined {
  const { at, seq: _seq, crc: _crc, ...event } = value;
  if (seq === null || typeof at !== 'string' || !isKnown(event.type)) return undefined;
  return { seq, at, event: event as unknown as RunEvent };
}

function isKnown(type: unknown): boolean {
  return (EVENT_TYPES as readonly unknown[]).includes(type);
}
