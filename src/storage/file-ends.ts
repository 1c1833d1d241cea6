import { closeQuietly, readExactly } from './atomic-file.js';
import { attempt } from './errors.js';
import type { FileSystem } from './file-system.js';
import { type OpenLog, openLog } from './jsonl-reader.js';

/** The first and the last bytes of a file; they are the same bytes in a short one. */
export interface FileEnds {
  /** Good until the ends of another file are read. */
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly size: number;
  readonly modifiedMs: number;
}

/** Reads the ends of many files, one after the other, through the same two buffers. */
export class EndsReader {
  readonly #fileSystem: FileSystem;
  readonly #head: Buffer;
  readonly #tail: Buffer;

  constructor(fileSystem: FileSystem, bytes: number) {
    this.#fileSystem = fileSystem;
    this.#head = Buffer.allocUnsafe(bytes);
    this.#tail = Buffer.allocUnsafe(bytes);
  }

  /** Undefined where there is no file, or it became shorter meanwhile. Throws UNSAFE_PATH, STORAGE_FAILED. */
  read(path: string): FileEnds | undefined {
    const log = openLog(this.#fileSystem, path);
    if (log === undefined) return undefined;
    try {
      return attempt(path, 'read', () => this.#readOpen(log));
    } finally {
      closeQuietly(this.#fileSystem, log.descriptor);
    }
  }

  #readOpen({ descriptor, facts: { size, modifiedMs } }: OpenLog): FileEnds | undefined {
    const head = this.#head.subarray(0, Math.min(size, this.#head.length));
    if (!readExactly(this.#fileSystem, descriptor, head, 0)) return undefined;
    if (head.length === size) return { head, tail: head, size, modifiedMs };
    const tail = this.#tail.subarray(0, Math.min(size, this.#tail.length));
    if (!readExactly(this.#fileSystem, descriptor, tail, size - tail.length)) return undefined;
    return { head, tail, size, modifiedMs };
  }
}
