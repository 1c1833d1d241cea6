/** A line that was longer than allowed; only its length is kept. */
export interface OversizedLine {
  readonly bytes: number;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Splits a stream of bytes into lines at LF and nothing else: U+2028 and a lone CR are text. Bytes that are not UTF-8
 * become U+FFFD. Memory is bounded by the longest allowed line.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onOversized: (line: OversizedLine) => void;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(options: {
    maxBytes: number;
    onLine: (line: string) => void;
    onOversized: (line: OversizedLine) => void;
  }) {
    this.#maxBytes = options.maxBytes;
    this.#onLine = options.onLine;
    this.#onOversized = options.onOversized;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LF, from);
      if (end === -1) break;
      this.#keep(chunk.subarray(from, end));
      this.#emit();
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** Emits what follows the last LF when the stream ends. */
  end(): void {
    if (this.#pendingBytes > 0) this.#emit();
  }

  #keep(piece: Buffer): void {
    this.#pendingBytes += piece.length;
    if (this.#pendingBytes > this.#maxBytes) this.#pending = [];
    else this.#pending.push(piece);
  }

  #emit(): void {
    const bytes = this.#pendingBytes;
    const whole = this.#pending.length === 1 ? this.#pending[0] : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    if (bytes > this.#maxBytes) this.#onOversized({ bytes });
    else if (whole !== undefined) this.#onLine(withoutCarriageReturn(whole).toString('utf8'));
  }
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}
