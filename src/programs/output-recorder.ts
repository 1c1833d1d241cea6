import { openPrivateKey, redact } from '../foundation/index.js';
import type { OutputLog } from './output-log.js';

const MAX_LOGGED_LINE_BYTES = 1024 * 1024;
const LF = 0x0a;

/** Passes the output of a program through the redaction funnel into its log, in whole lines and for each stream separately. */
export class OutputRecorder {
  readonly #streams: Readonly<Record<'stdout' | 'stderr', WholeLines>>;
  readonly #log: OutputLog;

  /** `onEnded` is called once if the disk takes no more; the program keeps running. */
  constructor(log: OutputLog, onEnded: (error: unknown) => void) {
    this.#log = log;
    const write = (text: string) => {
      const error = log.write(text);
      if (error !== undefined) onEnded(error);
    };
    this.#streams = { stdout: new WholeLines(write), stderr: new WholeLines(write) };
  }

  push(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this.#streams[stream].push(chunk);
  }

  end(): void {
    this.#streams.stdout.end();
    this.#streams.stderr.end();
    this.#log.close();
  }
}

/**
 * Writes all whole lines of a chunk at once: a secret must not be cut in two, and one write for each of a billion blank
 * lines would take hours. Of an oversized line only the length is kept.
 */
class WholeLines {
  readonly #write: (text: string) => void;
  /** The beginning of a line that is not complete yet. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  push(chunk: Buffer): void {
    let from = 0;
    if (this.#heldBytes > MAX_LOGGED_LINE_BYTES) {
      from = chunk.indexOf(LF) + 1;
      if (from > 0) this.#tellLength(this.#heldBytes + from - 1);
    }
    const end = chunk.lastIndexOf(LF) + 1;
    if (end > from) {
      const text = Buffer.concat([...this.#held, chunk.subarray(from, end)]).toString('utf8');
      this.#forget();
      // A private key spans many lines; its beginning is held until its end arrives.
      const open = openPrivateKey(text);
      const whole = open === -1 ? text.length : text.lastIndexOf('\n', open) + 1;
      if (whole > 0) this.#write(redact(text.slice(0, whole)));
      this.#hold(Buffer.from(text.slice(whole), 'utf8'));
    }
    this.#hold(chunk.subarray(end));
  }

  end(): void {
    if (this.#heldBytes > MAX_LOGGED_LINE_BYTES) this.#tellLength(this.#heldBytes);
    else if (this.#heldBytes > 0)
      this.#write(redact(Buffer.concat(this.#held).toString('utf8')).replace(/\n?$/, '\n'));
    this.#forget();
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length;
    if (this.#heldBytes > MAX_LOGGED_LINE_BYTES) this.#held = [];
    else if (piece.length > 0) this.#held.push(piece);
  }

  #tellLength(bytes: number): void {
    this.#write(`[a line of ${bytes} bytes]\n`);
    this.#forget();
  }

  #forget(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}
