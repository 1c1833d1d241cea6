import { attempt } from '../errors.js';
import { type OpenLog, openLog } from '../log/jsonl-reader.js';
import { closeQuietly, readExactly } from './atomic-file.js';
import type { FileSystem } from './file-system.js';

/** The first and the last bytes of a file; in a short file they are the same bytes. */
export interface FileEnds {
  /** Valid until the ends of another file are read. */
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly size: number;
  /**
   * The offset after the last byte that is not NUL; power loss or preallocation can leave NULs behind it. `tail` ends
   * there.
   */
  readonly dataEnd: number;
  readonly modifiedMs: number;
}

/** Reads the ends of many files, one after another, through the same two buffers. */
export class EndsReader {
  readonly #fileSystem: FileSystem;
  readonly #head: Buffer;
  readonly #tail: Buffer;

  constructor(fileSystem: FileSystem, bytes: number) {
    this.#fileSystem = fileSystem;
    this.#head = Buffer.allocUnsafe(bytes);
    this.#tail = Buffer.allocUnsafe(bytes);
  }

  /** Undefined if there is no file, or it shrank during the read. Throws UNSAFE_PATH, STORAGE_FAILED. */
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

  /** Finds the start of a run of NUL bytes by binary search: the run may be a gigabyte long. Undefined as in `read`. */
  #findDataEnd(descriptor: number, size: number): number | undefined {
    const block = this.#tail.length;
    // As far as we have looked, blocks up to `data` contain something, and blocks from `nul` on do not.
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

/** Creating a view of a buffer has a cost, and most files are longer than the buffer. */
function firstOf(buffer: Buffer, length: number): Buffer {
  return length >= buffer.length ? buffer : buffer.subarray(0, length);
}

function isNul(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
