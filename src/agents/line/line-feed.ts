import { LineSplitter } from '../../programs/index.js';

const LF = 0x0a;
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** A prompt that a program shows while it waits is short. */
const MAX_OPEN_BYTES = 256;

/** The lines of a program, including the unfinished last one: many programs show that way that they are waiting. */
export class LineFeed {
  readonly #splitter: LineSplitter;
  #open = Buffer.alloc(0);

  constructor(onLine: (line: string) => void, onOversized: (bytes: number) => void) {
    this.#splitter = new LineSplitter({
      maxBytes: MAX_LINE_BYTES,
      onLine,
      onOversized: ({ bytes }) => onOversized(bytes),
    });
  }

  push(chunk: Buffer): void {
    const lastEnd = chunk.lastIndexOf(LF);
    const rest = chunk.subarray(lastEnd + 1);
    const open = lastEnd === -1 ? Buffer.concat([this.#open, rest]) : rest;
    // One byte over the limit is enough to know that the line is too long, however much still comes.
    this.#open = Buffer.from(open.subarray(0, MAX_OPEN_BYTES + 1));
    this.#splitter.push(chunk);
  }

  /** The text after the last line end; null if it is empty, or too long to be a prompt. */
  get openLine(): string | null {
    const { length } = this.#open;
    return length === 0 || length > MAX_OPEN_BYTES ? null : this.#open.toString('utf8');
  }

  /** Treats the unfinished line as a whole one. */
  flush(): void {
    this.#open = Buffer.alloc(0);
    this.#splitter.end();
  }
}
