import { type Clock, HoldfastError, InvalidInputError } from '../../foundation/index.js';
import { closing, createFile, readExactly, type StorageTools } from '../bytes/atomic-file.js';
import { type FileSystem, OpenFlags, systemCode } from '../bytes/file-system.js';
import { attempt, StorageError, UnsafePathError } from '../errors.js';
import type { Lock } from '../lock/lock.js';
import { keepDamagedBytes } from '../quarantine.js';
import { MAX_RECORD_BYTES, readLastRecords, scanLog } from './jsonl-reader.js';
import { checksumSeed, encodeRecord, type LogRecord, verifyLine } from './jsonl-record.js';

/** What was found and repaired at the end of a log before anything was appended. */
export interface TailRepair {
  /** `sealed`: a whole record lacked its LF. `cut`: torn bytes were moved to `keptAt`. */
  readonly action: 'sealed' | 'cut';
  readonly offset: number;
  readonly length: number;
  readonly keptAt?: string;
}

type LogTools = StorageTools & { readonly clock: Clock };

interface LogOptions {
  readonly sessionId: string;
  /** The lock that allows writing; it is checked at each append. */
  readonly lock: Pick<Lock, 'assertHeld'>;
}

/**
 * The writer of an append-only log. `append` returns only once the record would survive power loss. After a failed sync
 * the writer never acknowledges anything again.
 */
export class JsonlLog implements Disposable {
  readonly path: string;
  /** What was repaired when the log was opened. */
  readonly repairs: TailRepair[] = [];
  readonly #tools: LogTools;
  readonly #options: LogOptions;
  readonly #seed: number;
  readonly #descriptor: number;
  #end = 0;
  #nextSeq = 0;
  /** No record gets a number below this. */
  #floor = 0;
  #failure: unknown;
  #isClosed = false;

  private constructor(tools: LogTools, path: string, options: LogOptions, descriptor: number) {
    this.#tools = tools;
    this.path = path;
    this.#options = options;
    this.#seed = checksumSeed(options.sessionId);
    this.#descriptor = descriptor;
  }

  /** Creates a log with its first records, whole and durable. False if there already is one. Throws ATOMIC_WRITE_FAILED. */
  static create(tools: LogTools, path: string, sessionId: string, ...records: readonly LogRecord[]): boolean {
    const seed = checksumSeed(sessionId);
    return createFile(
      tools,
      path,
      Buffer.concat(records.map((record, seq) => encodeWithinLimit(record, seq, seed))),
    );
  }

  /** Opens a log for appending and repairs its end. Throws STORAGE_FAILED, UNSAFE_PATH, LOCK_LOST. */
  static open(tools: LogTools, path: string, options: LogOptions): JsonlLog {
    const { fileSystem } = tools;
    const descriptor = attempt(path, 'open', () => openForAppending(fileSystem, path));
    const log = new JsonlLog(tools, path, options, descriptor);
    try {
      const facts = attempt(path, 'look at', () => fileSystem.factsOf(descriptor));
      if (facts.kind !== 'file') throw new UnsafePathError(path, 'it is not a regular file');
      options.lock.assertHeld();
      log.#inspectEnd(facts.size);
      return log;
    } catch (error) {
      log.close();
      throw error;
    }
  }

  /** The number that the next record will get. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /**
   * Continues numbering from here, unless the numbers are already higher: in a log out of order, the last number is not
   * the highest.
   */
  continueFrom(seq: number): void {
    this.#floor = seq;
    this.#nextSeq = Math.max(this.#nextSeq, seq);
  }

  /** Appends one record durably and returns its number. Throws LOG_POISONED, LOCK_LOST, STORAGE_FAILED, INVALID_INPUT. */
  append(record: LogRecord): number {
    this.#prepare();
    return this.#commit(encodeWithinLimit(record, this.#nextSeq, this.#seed), 1);
  }

  /** Appends several records with one write and one sync and returns the number of the first. Throws as `append`. */
  appendAll(records: readonly LogRecord[]): number {
    this.#prepare();
    const lines = records.map((record, index) =>
      encodeWithinLimit(record, this.#nextSeq + index, this.#seed),
    );
    return this.#commit(Buffer.concat(lines), records.length);
  }

  #prepare(): void {
    if (this.#failure !== undefined) throw new LogPoisonedError(this.path, this.#failure);
    this.#options.lock.assertHeld();
    const size = attempt(this.path, 'look at', () => this.#tools.fileSystem.factsOf(this.#descriptor).size);
    if (size !== this.#end) this.#inspectEnd(size);
  }

  #commit(bytes: Buffer, count: number): number {
    const first = this.#nextSeq;
    this.#write(bytes);
    this.#sync();
    this.#end += bytes.length;
    this.#nextSeq += count;
    return first;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failure ??= new Error('it was closed');
    try {
      this.#tools.fileSystem.close(this.#descriptor);
    } catch {
      // Every acknowledged record is already synced; the descriptor is gone either way.
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #write(bytes: Buffer): void {
    const { fileSystem } = this.#tools;
    try {
      const written = fileSystem.write(this.#descriptor, bytes, 0, bytes.length, null);
      if (written < bytes.length) {
        throw Object.assign(new Error(`ENOSPC: only ${written} of ${bytes.length} bytes were written`), {
          code: 'ENOSPC',
        });
      }
    } catch (error) {
      this.#cutBack(error);
      throw new StorageError(`Could not append to ${this.path}`, {
        path: this.path,
        step: 'append',
        cause: error,
      });
    }
  }

  #sync(): void {
    try {
      this.#tools.fileSystem.syncData(this.#descriptor);
    } catch (error) {
      // The kernel may have dropped the pages and marked them clean, so a retry would acknowledge lost data.
      this.#failure = error;
      this.#cutBack(error);
      throw new StorageError(`Could not make ${this.path} durable`, {
        path: this.path,
        step: 'sync',
        cause: error,
      });
    }
  }

  /** Removes the written part of a record that is not acknowledged. */
  #cutBack(cause: unknown): void {
    try {
      this.#tools.fileSystem.truncate(this.#descriptor, this.#end);
    } catch {
      // The torn end stays for the next owner to repair; this writer must not append after it.
      this.#failure ??= cause;
    }
  }

  #inspectEnd(size: number): void {
    this.#end = size;
    try {
      const tail = attempt(this.path, 'read', () => readTail(this.#tools.fileSystem, this.path));
      if (tail.length > 0) this.#mend(size - tail.length, tail);
      const { sessionId } = this.#options;
      this.#nextSeq = Math.max(nextSeqOf(this.#tools.fileSystem, this.path, sessionId), this.#floor);
    } catch (error) {
      // The next append must not follow an end that has not been inspected or repaired.
      this.#end = UNKNOWN_END;
      throw error;
    }
  }

  #mend(offset: number, tail: Buffer): void {
    const { fileSystem } = this.#tools;
    const isWhole = typeof verifyLine(tail, this.#seed) === 'object';
    const keptAt = isWhole ? undefined : keepDamagedBytes(this.#tools, this.path, offset, tail);
    if (isWhole) {
      this.#write(Buffer.from('\n'));
      this.#end += 1;
    } else {
      attempt(this.path, 'cut the torn end of', () => fileSystem.truncate(this.#descriptor, offset));
      this.#end = offset;
    }
    this.#sync();
    this.repairs.push({
      action: isWhole ? 'sealed' : 'cut',
      offset,
      length: tail.length,
      ...(keptAt === undefined ? {} : { keptAt }),
    });
  }
}

/** The log can no longer be written: an earlier write or sync failed, and the state on disk is uncertain. */
class LogPoisonedError extends HoldfastError<'LOG_POISONED'> {
  readonly code = 'LOG_POISONED';

  constructor(path: string, cause: unknown) {
    super(`${path} can no longer be written: an earlier write or sync failed`, {
      cause,
      hint: 'What was acknowledged is safe. Repair the disk, then open the session again.',
    });
  }
}

const TAIL_CHUNK_BYTES = 64 * 1024;
/** No file has this length, so the next append inspects the end again. */
const UNKNOWN_END = -1;

function openForAppending(fileSystem: FileSystem, path: string): number {
  try {
    return fileSystem.open(path, OpenFlags.append);
  } catch (error) {
    if (systemCode(error) === 'ELOOP') throw new UnsafePathError(path, 'it is a symbolic link');
    if (systemCode(error) === 'EISDIR') throw new UnsafePathError(path, 'it is a directory');
    throw error;
  }
}

/** A record that readers would report as oversized must not be acknowledged. */
function encodeWithinLimit(record: LogRecord, seq: number, seed: number): Buffer {
  const line = encodeRecord(record, seq, seed);
  if (line.length - 1 <= MAX_RECORD_BYTES) return line;
  throw new InvalidInputError(
    `A record of ${line.length} bytes is too long; at most ${MAX_RECORD_BYTES} are allowed`,
  );
}

/** The bytes after the last LF. */
function readTail(fileSystem: FileSystem, path: string): Buffer {
  const descriptor = fileSystem.open(path, OpenFlags.read);
  return closing(fileSystem, descriptor, () => {
    let start = fileSystem.factsOf(descriptor).size;
    let held = Buffer.alloc(0);
    while (start > 0) {
      const from = Math.max(0, start - TAIL_CHUNK_BYTES);
      const chunk = Buffer.allocUnsafe(start - from);
      if (!readExactly(fileSystem, descriptor, chunk, from)) throw new Error('it became shorter meanwhile');
      const lineBreak = chunk.lastIndexOf(0x0a);
      held = Buffer.concat([chunk.subarray(lineBreak + 1), held]);
      if (lineBreak !== -1) return held;
      start = from;
    }
    return held;
  });
}

/** Taken from the end if records are numbered there; a file without numbers (or with damage there) is counted once. */
function nextSeqOf(fileSystem: FileSystem, path: string, sessionId: string): number {
  const [last] = readLastRecords(fileSystem, path, 1, { sessionId }).records;
  if (last !== undefined && last.seq !== null) return last.seq + 1;
  let count = 0;
  let highest = -1;
  for (const found of scanLog(fileSystem, path, { sessionId })) {
    if (found.kind !== 'record') continue;
    count += 1;
    highest = Math.max(highest, found.seq ?? -1);
  }
  return Math.max(count, highest + 1);
}
