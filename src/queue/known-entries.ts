import { join } from 'node:path';
import { isHoldfastError, isTerminal, isUuidV4, messageOf } from '../foundation/index.js';
import {
  type FileFacts,
  type LockTools,
  listDirectory,
  lookAt,
  readBytes,
  readDocument,
  replaceQuick,
} from '../storage/index.js';
import { type FileLook, formatIndex, type KnownEntry, parseIndex } from './entry-index.js';
import { entryLifecycle } from './lifecycle.js';
import type { QueueContent } from './port.js';
import { type Entry, EntryRecord } from './schema.js';

/** With this many changes a new index pays off: writing it costs more than reading a few files. */
const WORTH = 256;
/** With more entries the index would be larger than any file we read as a whole. */
const MOST = 50_000;
/** File times are coarse: a file written shortly before it was seen may have been written again unnoticed. */
export const COARSE_MS = 2_000;
/** No event leads out of these states. */
const FINAL = new Set<string>(entryLifecycle.states.filter((state) => isTerminal(entryLifecycle, state)));

type Known = ReadonlyMap<string, KnownEntry>;

/**
 * The entries of a queue. A file is not read again while it looks as it did when it was read, nor once its entry is
 * done. What was read stays in memory and, if it is a lot, in `entries.index` beside the directory for the next
 * process. The files are the truth: the index may be deleted at any time, and when in doubt the files are read. See
 * docs/decisions/0205.
 */
export class KnownEntries {
  readonly #tools: LockTools;
  readonly #directory: string;
  #known: Known | undefined;
  #unsaved = 0;

  constructor(tools: LockTools, directory: string) {
    this.#tools = tools;
    this.#directory = directory;
  }

  read(): Pick<QueueContent, 'entries' | 'damaged'> {
    const { fileSystem, clock } = this.#tools;
    const before = this.#known ?? this.#load();
    const now = new Map<string, KnownEntry>();
    const entries: Entry[] = [];
    const damaged: { path: string; reason: string }[] = [];
    const settledMs = clock.now().getTime() - COARSE_MS;
    let same = 0;
    for (const file of listDirectory(fileSystem, this.#directory)) {
      if (!file.endsWith('.json')) continue;
      const id = file.slice(0, -'.json'.length);
      const known = before.get(id);
      if (known === undefined && !isUuidV4(id)) continue;
      const path = `${this.#directory}/${file}`;
      try {
        const found = this.#find(path, known);
        if (found === undefined) continue;
        entries.push(found.entry);
        if (found === known) same += 1;
        if (found.changedMs < settledMs) now.set(id, found);
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        damaged.push({ path, reason: messageOf(error) });
      }
    }
    this.#known = now;
    this.#unsaved += Math.max(now.size, before.size) - same;
    if (this.#unsaved >= WORTH) this.#save(now);
    return { entries, damaged };
  }

  /** The known entry if it still holds, otherwise what the file says; undefined if the file has just disappeared. */
  #find(path: string, known: KnownEntry | undefined): KnownEntry | undefined {
    if (known !== undefined && FINAL.has(known.entry.status)) return known;
    const { fileSystem } = this.#tools;
    const facts = lookAt(fileSystem, path);
    if (known !== undefined && looksSame(known, facts)) return known;
    // The look was taken before reading: if the file is replaced in between, it looks different next time.
    const entry = readDocument(fileSystem, path, EntryRecord);
    if (entry === undefined || facts === undefined) return undefined;
    const { inode, size, changedMs } = facts;
    return { inode, size, changedMs, entry };
  }

  get #path(): string {
    return join(this.#directory, '..', 'entries.index');
  }

  #load(): Known {
    try {
      const bytes = readBytes(this.#tools.fileSystem, this.#path);
      return (bytes === undefined ? undefined : parseIndex(bytes)) ?? new Map();
    } catch (error) {
      this.#tools.log.debug('queue.index-unreadable', { error: messageOf(error) });
      return new Map();
    }
  }

  #save(known: Known): void {
    this.#unsaved = 0;
    if (known.size > MOST) return;
    try {
      replaceQuick(this.#tools, this.#path, formatIndex(known));
    } catch (error) {
      // A full disk, or a queue we may only read: the next process reads the entries themselves.
      this.#tools.log.debug('queue.index-not-written', { error: messageOf(error) });
    }
  }
}

function looksSame(known: FileLook, facts: FileFacts | undefined): boolean {
  return (
    facts !== undefined &&
    facts.kind === 'file' &&
    facts.inode === known.inode &&
    facts.size === known.size &&
    facts.changedMs === known.changedMs
  );
}
