import { type FileSystem, openForAppending } from '../storage/index.js';

const FIRST_FILE_BYTES = 32 * 1024 * 1024;
const ROTATING_FILE_BYTES = 16 * 1024 * 1024;

/**
 * The full output of a program on disk, bounded: the first 32 MB in one file, the rest in two files of 16 MB that
 * alternate, so the beginning and the end are always kept. Text must be redacted before it is written.
 */
export class OutputLog {
  readonly #fileSystem: FileSystem;
  readonly #path: string;
  #descriptor: number | undefined;
  #written = 0;
  /** 0 = the first file, then 1 and 2 in turn. */
  #file = 0;
  #hasFailed = false;

  constructor(fileSystem: FileSystem, path: string) {
    this.#fileSystem = fileSystem;
    this.#path = path;
  }

  /** Writes text. A disk that cannot take it ends the log, never the program. Returns what went wrong, once. */
  write(text: string): unknown {
    if (this.#hasFailed) return undefined;
    try {
      const bytes = Buffer.from(text, 'utf8');
      this.#rotateFor(bytes.length);
      this.#descriptor ??= this.#open();
      this.#fileSystem.write(this.#descriptor, bytes, 0, bytes.length, null);
      this.#written += bytes.length;
      return undefined;
    } catch (error) {
      this.#hasFailed = true;
      this.close();
      return error;
    }
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor === undefined) return;
    try {
      this.#fileSystem.close(descriptor);
    } catch {
      // The log promises nothing: what is written is written.
    }
  }

  #rotateFor(bytes: number): void {
    const room = this.#file === 0 ? FIRST_FILE_BYTES : ROTATING_FILE_BYTES;
    if (this.#written + bytes <= room || this.#written === 0) return;
    this.close();
    this.#file = this.#file === 1 ? 2 : 1;
    this.#written = 0;
  }

  #open(): number {
    const path = this.#file === 0 ? this.#path : `${this.#path}.${this.#file}`;
    return openForAppending(this.#fileSystem, path, { isFresh: true });
  }
}
