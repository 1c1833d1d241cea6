import { Transform, type TransformCallback } from 'node:stream';
import { MessageScan } from './message-scan.js';

/** A message that was too long; we keep only what is needed to answer it. */
export interface OversizedMessage {
  readonly bytes: number;
  /** Null if it is not a request: a notification gets no answer. */
  readonly requestId: string | number | null;
}

const LF = 0x0a;
const FIRST_BYTES = 64 * 1024;

/**
 * Passes on whole lines of up to `maxBytes` and drops longer ones, so that a long line does no harm beyond itself. Memory
 * is limited by the longest line allowed, even if no line ever ends.
 */
export class MessageGate extends Transform {
  readonly #maxBytes: number;
  readonly #onOversized: (message: OversizedMessage) => void;
  #line = Buffer.alloc(0);
  #bytes = 0;
  #scan: MessageScan | null = null;

  constructor(options: { maxBytes: number; onOversized: (message: OversizedMessage) => void }) {
    super();
    this.#maxBytes = options.maxBytes;
    this.#onOversized = options.onOversized;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LF, from);
      if (end === -1) break;
      this.#take(chunk.subarray(from, end + 1));
      this.#endLine();
      from = end + 1;
    }
    this.#take(chunk.subarray(from));
    done();
  }

  #take(piece: Buffer): void {
    const before = this.#bytes;
    this.#bytes += piece.length;
    if (this.#scan === null && this.#bytes > this.#maxBytes) {
      this.#scan = new MessageScan();
      this.#scan.push(this.#line.subarray(0, before));
      this.#line = Buffer.alloc(0);
    }
    if (this.#scan !== null) this.#scan.push(piece);
    else {
      this.#makeRoom(before);
      piece.copy(this.#line, before);
    }
  }

  /** Doubles the buffer each time, so that many small pieces do not cost more than a few big ones. */
  #makeRoom(used: number): void {
    if (this.#bytes <= this.#line.length) return;
    const room = Math.min(Math.max(FIRST_BYTES, this.#line.length * 2, this.#bytes), this.#maxBytes);
    const grown = Buffer.allocUnsafe(room);
    this.#line.copy(grown, 0, 0, used);
    this.#line = grown;
  }

  #endLine(): void {
    const [line, bytes, scan] = [this.#line, this.#bytes, this.#scan];
    this.#line = Buffer.alloc(0);
    this.#bytes = 0;
    this.#scan = null;
    if (scan === null) this.push(line.subarray(0, bytes));
    else this.#onOversized({ bytes, requestId: scan.requestId });
  }
}
