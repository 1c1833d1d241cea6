import { LineSplitter } from '../../programs/index.js';

const LF = 0x0a;
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** A prompt that a program leaves standing is short. */
const MAX_OPEN_BYTES = 256;

/** The lines of a program, and the line that it has begun and not ended: that is how many show that they wait. */
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
    // One byte more than counts is enough to know that it is too long, however much still comes.
    this.#open = Buffer.from(open.subarray(0, MAX_OPEN_BYTES + 1));
    this.#splitter.push(chunk);
  }

  /** What stands behind the last line end; null when that is nothing, or too much to be a prompt. */
  get openLine(): string | null {
    const { length } = this.#open;
    return length === 0 || length > MAX_OPEN_BYTES ? null : this.#open.toString('utf8');
  }

  /** Takes what is open for a whole line. */
  flush(): void {
    this.#open = Buffer.alloc(0);
    this.#splitter.end();
  }
}
