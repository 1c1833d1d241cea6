import { dirname } from 'node:path';
import { type Clock, HoldfastError } from '../../foundation/index.js';
import { AtomicWriteError } from '../errors.js';
import { keepBeside } from '../quarantine.js';
import {
  closing,
  removeQuietly,
  type StorageTools,
  syncDirectory,
  temporaryName,
  writeWhole,
} from './atomic-file.js';
import { OpenFlags } from './file-system.js';

/** New bytes, or a stretch copied from the existing file. */
export type Piece = Buffer | { readonly offset: number; readonly length: number };

const COPY_BYTES = 1024 * 1024;

/**
 * Replaces a file with some of its own bytes, whole and durable. Keeps the old file under another name, which is
 * returned. Memory use does not depend on the file's size. `isGood` checks the new file before it replaces the old one.
 * Throws ATOMIC_WRITE_FAILED; the old file stays.
 */
export function rewriteFile(
  tools: StorageTools & { clock: Clock },
  path: string,
  pieces: Iterable<Piece>,
  isGood: (temporary: string) => boolean,
): string {
  const { fileSystem } = tools;
  const temporary = temporaryName(tools.ids, path);
  let step = 'write';
  try {
    writePieces(tools, path, temporary, pieces);
    step = 'verify';
    if (!isGood(temporary)) throw new Error('what was read back is not what was written');
    step = 'set aside';
    const keptAt = keepBeside(tools, path);
    step = 'rename';
    fileSystem.rename(temporary, path);
    step = 'sync directory';
    syncDirectory(fileSystem, dirname(path));
    return keptAt;
  } catch (error) {
    if (step !== 'sync directory') removeQuietly(fileSystem, temporary);
    throw error instanceof HoldfastError ? error : new AtomicWriteError({ path, step, cause: error });
  }
}

function writePieces(tools: StorageTools, path: string, temporary: string, pieces: Iterable<Piece>): void {
  const { fileSystem } = tools;
  const source = fileSystem.open(path, OpenFlags.read);
  closing(fileSystem, source, () => {
    const target = fileSystem.open(temporary, OpenFlags.createNew, 0o600);
    closing(fileSystem, target, () => {
      fileSystem.changeMode(target, 0o600);
      const writer = new PieceWriter((bytes, position) => writeWhole(fileSystem, target, bytes, position));
      for (const piece of pieces) {
        if (Buffer.isBuffer(piece)) writer.add(piece);
        else
          writer.copy(piece, (bytes, position) => fileSystem.read(source, bytes, 0, bytes.length, position));
      }
      writer.flush();
      fileSystem.sync(target);
    });
  });
}

/** Collects small pieces, so that each does not need a call of its own. */
class PieceWriter {
  readonly #buffer = Buffer.allocUnsafe(COPY_BYTES);
  readonly #write: (bytes: Buffer, position: number) => void;
  #filled = 0;
  #position = 0;

  constructor(write: (bytes: Buffer, position: number) => void) {
    this.#write = write;
  }

  add(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      const count = bytes.copy(this.#buffer, this.#filled, from);
      this.#filled += count;
      from += count;
      if (this.#filled === this.#buffer.length) this.flush();
    }
  }

  copy(piece: { offset: number; length: number }, read: (bytes: Buffer, position: number) => number): void {
    for (let done = 0; done < piece.length; ) {
      const room = this.#buffer.subarray(this.#filled, this.#filled + piece.length - done);
      const count = read(room, piece.offset + done);
      if (count === 0) throw new Error('it became shorter meanwhile');
      this.#filled += count;
      done += count;
      if (this.#filled === this.#buffer.length) this.flush();
    }
  }

  flush(): void {
    this.#write(this.#buffer.subarray(0, this.#filled), this.#position);
    this.#position += this.#filled;
    this.#filled = 0;
  }
}
