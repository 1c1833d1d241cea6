import { closeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const FLOOD_CHUNK_BYTES = 64 * 1024;
/** Gives the reader time to see most pieces on their own. */
const PIECE_PAUSE_MS = 1;

/** Everything the program writes, in the order it was asked to. */
export class Output {
  #last: Promise<void> = Promise.resolve();
  #pieceBytes = 0;
  #isClosed = false;

  constructor() {
    // Nobody reads any more: there is nowhere left to write, and trying must not look like a crash of ours.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => this.#close());
  }

  /** From now on, writes everything in separate pieces of this many bytes; 0 = whole. */
  cutInto(bytes: number): void {
    this.#pieceBytes = bytes;
  }

  line(text: string): Promise<void> {
    return this.bytes(Buffer.from(`${text}\n`, 'utf8'));
  }

  json(message: unknown): Promise<void> {
    return this.line(JSON.stringify(message));
  }

  bytes(content: Uint8Array): Promise<void> {
    this.#last = this.#last.then(() => this.#write(content));
    return this.#last;
  }

  /** Fills a stream with lines of filler. */
  async flood(name: 'stdout' | 'stderr', bytes: number): Promise<void> {
    await this.#last;
    const stream = process[name];
    const filler = Buffer.from(`${'~'.repeat(1023)}\n`.repeat(FLOOD_CHUNK_BYTES / 1024));
    for (let left = bytes; left > 0; left -= filler.length) {
      await send(stream, left >= filler.length ? filler : filler.subarray(-left));
    }
  }

  /** Closes standard output without warning. */
  async closeStdout(): Promise<void> {
    await this.#last;
    this.#close();
    closeSync(1);
  }

  #close(): void {
    this.#isClosed = true;
  }

  async #write(content: Uint8Array): Promise<void> {
    const size = this.#pieceBytes === 0 ? content.length : this.#pieceBytes;
    for (let from = 0; from < content.length && !this.#isClosed; from += size) {
      await send(process.stdout, content.subarray(from, from + size));
      if (this.#pieceBytes > 0) await pause(PIECE_PAUSE_MS);
    }
  }
}

function send(stream: NodeJS.WritableStream, content: Uint8Array): Promise<void> {
  return new Promise((resolve) => stream.write(content, () => resolve()));
}

/** A text as it would be streamed: in a few pieces, never splitting a character. */
export function piecesOf(text: string): string[] {
  const size = Math.max(40, Math.ceil(text.length / 20));
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + size, text.length);
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? '')) to += 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
