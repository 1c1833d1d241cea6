import { attempt } from '../errors.js';
import { type OpenLog, openLog } from '../log/jsonl-reader.js';
import { closeQuietly, readExactly } from './atomic-file.js';
import type { FileSystem } from './file-system.js';

/** The first and the last bytes of a file; they are the same bytes in a short one. */
export interface FileEnds {
  /** Good until the ends of another file are read. */
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly size: number;
  /** Where the bytes end that are not NUL, as power loss or a preallocation leaves them; `tail` ends there. */
  readonly dataEnd: number;
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
    const head = firstOf(this.#head, size);
    if (!readExactly(this.#fileSystem, descriptor, head, 0)) return undefined;
    const tail =
      head.length === size ? head : this.#readTail(descriptor, size, Math.min(size, this.#tail.length));
    if (tail === undefined) return undefined;
    if (tail.at(-1) !== 0) return { head, tail, size, dataEnd: size, modifiedMs };
    const dataEnd = this.#findDataEnd(descriptor, size);
    if (dataEnd === undefined) return undefined;
    const last = this.#readTail(descriptor, dataEnd, Math.min(dataEnd, this.#tail.length));
    return last === undefined ? undefined : { head, tail: last, size, dataEnd, modifiedMs };
  }

  #readTail(descriptor: number, end: number, length: number): Buffer | undefined {
    const tail = firstOf(this.#tail, length);
    return readExactly(this.#fileSystem, descriptor, tail, end - length) ? tail : undefined;
  }

  /** Halves its way to the start of a run of NUL bytes: it may be a gigabyte long. Undefined as `read`. */
  #findDataEnd(descriptor: number, size: number): number | undefined {
    const block = this.#tail.length;
    // Blocks up to `data` have something in them as far as it was looked at, those from `nul` on have not.
    let data = -1;
    let nul = Math.ceil(size / block);
    while (nul - data > 1) {
      const middle = Math.floor((data + nul) / 2);
      const probed = this.#readTail(
        descriptor,
        Math.min(size, (middle + 1) * block),
        Math.min(size - middle * block, block),
      );
      if (probed === undefined) return undefined;
      if (isNul(probed)) nul = middle;
      else data = middle;
    }
    if (data === -1) return 0;
    const last = this.#readTail(
      descriptor,
      Math.min(size, (data + 1) * block),
      Math.min(size - data * block, block),
    );
    return last === undefined ? undefined : data * block + last.findLastIndex((byte) => byte !== 0) + 1;
  }
}

/** A view of a buffer is not free, and most files are longer than the buffer. */
function firstOf(buffer: Buffer, length: number): Buffer {
  return length >= buffer.length ? buffer : buffer.subarray(0, length);
}

function isNul(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
