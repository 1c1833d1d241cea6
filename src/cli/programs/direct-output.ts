import { fstatSync, statSync, writeSync } from 'node:fs';

/** What a command writes to: a stream of the process, or the part of one that commands use. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string, onWritten?: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * The output of a command that starts often: straight to the descriptor if that is a pipe, a socket or a file. Setting up Node's
 * stream for it would take as long as the command. A terminal keeps its stream, which knows its width.
 */
export function openOutput(descriptor: 1 | 2): Output {
  if (isDirect(descriptor)) return new DirectOutput(descriptor);
  return descriptor === 1 ? process.stdout : process.stderr;
}

/** Whether output there has been written by the time `write` returns. */
export function isDirect(descriptor: 1 | 2): boolean {
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFIFO() || stat.isSocket() || stat.isFile()) return true;
    if (stat.isCharacterDevice() && stat.rdev === statSync('/dev/null').rdev) return true;
    // Loaded only to tell a terminal from other devices: loading it takes as long as everything else here.
    return !process.getBuiltinModule('node:tty').isatty(descriptor);
  } catch {
    return false; // closed; the stream reports it
  }
}

/** Everything has been written by the time `write` returns. */
class DirectOutput implements Output {
  readonly #descriptor: number;
  readonly #listeners: ((error: NodeJS.ErrnoException) => void)[] = [];

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  on(_event: 'error', listener: (error: NodeJS.ErrnoException) => void): void {
    this.#listeners.push(listener);
  }

  write(text: string, onWritten?: (error?: Error | null) => void): void {
    const failure = writeAll(this.#descriptor, text);
    // Asynchronously, as a stream would, so that it does not interrupt the caller.
    if (onWritten !== undefined || failure !== undefined)
      process.nextTick(() => {
        onWritten?.(failure);
        if (failure !== undefined) for (const listener of this.#listeners) listener(failure);
      });
  }
}

/** Writes all of a text, however slowly it is read, and returns what went wrong. */
export function writeAll(descriptor: number, text: string): NodeJS.ErrnoException | undefined {
  const bytes = Buffer.from(text, 'utf8');
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      if (failure.code !== 'EAGAIN') return failure;
      // Somebody made the pipe non-blocking, and it is full.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  return undefined;
}

const RETRY_MS = 5;
