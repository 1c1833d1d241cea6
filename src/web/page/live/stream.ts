import type { StreamEvent } from '../../contract/index.js';
import { SseParser } from './sse.js';

/** The connection between the page and its server. Times are by this browser's clock. */
export type Connection =
  | { readonly name: 'connecting' }
  | { readonly name: 'live' }
  /** Lost a moment ago; the next try is at `nextMs`. */
  | { readonly name: 'reconnecting'; readonly sinceMs: number; readonly nextMs: number }
  | { readonly name: 'offline'; readonly sinceMs: number; readonly nextMs: number };

/** The run whose entries are wanted, and the last entry known. */
export interface Followed {
  readonly run: string;
  readonly after: number;
}

export interface StreamParts {
  readonly open: (run: string | null, signal: AbortSignal) => Promise<Response>;
  readonly onEvent: (event: StreamEvent) => void;
  readonly onConnection: (connection: Connection) => void;
  /** Called when the server no longer knows this browser. */
  readonly onRefused: () => void;
}

/** The server sends something every 15 s. */
const SILENCE_MS = 20_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** After this many failed tries, the page counts as offline. */
const TRIES_UNTIL_OFFLINE = 3;

/** How long to wait before try `tries`; `chance` is between 0 and 1, so that not every page comes back at once. */
export function waitBefore(tries: number, chance: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, tries - 1));
  return Math.round(wait * (0.8 + 0.4 * chance));
}

/** The one stream of a browser: it is reopened until it is stopped. */
export class Stream {
  readonly #parts: StreamParts;
  #followed: Followed | null = null;
  #attempt: AbortController | undefined;
  #wake: (() => void) | undefined;
  #isStopped = false;
  #isBroken = false;
  /** Whether this stream was ever live. */
  #isTold = false;
  #tries = 0;
  #lostMs: number | null = null;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  start(): void {
    void this.#keepOpen();
  }

  stop(): void {
    this.#isStopped = true;
    this.#attempt?.abort();
    this.#wake?.();
  }

  /** Follows a run; reopens the stream if it does not already carry the wanted entries. */
  follow(followed: Followed | null): void {
    this.#followed = followed;
    this.#attempt?.abort();
    this.#wake?.();
  }

  /** Notes the last entry received, so that the next stream continues after it. */
  noteSeq(seq: number): void {
    if (this.#followed !== null && seq > this.#followed.after)
      this.#followed = { ...this.#followed, after: seq };
  }

  /** Tries now instead of later. */
  retry(): void {
    this.#wake?.();
  }

  /** Drops this connection because its data does not fit together. */
  reopen(): void {
    this.#isBroken = true;
    this.#attempt?.abort();
  }

  async #keepOpen(): Promise<void> {
    this.#parts.onConnection({ name: 'connecting' });
    while (!this.#isStopped) {
      const attempt = new AbortController();
      this.#attempt = attempt;
      const end = await this.#readOnce(attempt);
      if (this.#isStopped) return;
      if (end === 'refused') {
        this.#parts.onRefused();
        return;
      }
      // We closed it ourselves to follow something else: nothing is lost.
      if (end === 'lost' || this.#isBroken) await this.#wait();
      this.#isBroken = false;
    }
  }

  async #readOnce(attempt: AbortController): Promise<'lost' | 'left' | 'refused'> {
    let isSilent = false;
    const giveUp = () => {
      isSilent = true;
      attempt.abort();
    };
    let silence = setTimeout(giveUp, SILENCE_MS);
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(giveUp, SILENCE_MS);
    };
    try {
      const { run, after } = this.#followed ?? { run: null, after: 0 };
      const response = await this.#parts.open(run === null ? null : `${run}:${after}`, attempt.signal);
      if (response.status === 401 || response.status === 403) return 'refused';
      if (!response.ok || response.body === null) return 'lost';
      await this.#readAll(response.body, heard);
      return attempt.signal.aborted && !isSilent ? 'left' : 'lost';
    } catch {
      return attempt.signal.aborted && !isSilent ? 'left' : 'lost';
    } finally {
      clearTimeout(silence);
      attempt.abort();
    }
  }

  async #readAll(body: ReadableStream<Uint8Array>, heard: () => void): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new SseParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      for (const { name, data } of parser.push(decoder.decode(value, { stream: true }))) {
        const event = { name, data: JSON.parse(data) } as StreamEvent;
        if (event.name === 'bye' && event.data.reason === 'stopping') return;
        this.#isBack();
        this.#parts.onEvent(event);
      }
    }
  }

  #isBack(): void {
    if (this.#tries === 0 && this.#lostMs === null && this.#isTold) return;
    this.#isTold = true;
    this.#tries = 0;
    this.#lostMs = null;
    this.#parts.onConnection({ name: 'live' });
  }

  async #wait(): Promise<void> {
    this.#tries += 1;
    this.#lostMs ??= Date.now();
    const waitMs = waitBefore(this.#tries, Math.random());
    // What the browser says about the network does not matter: the server may be on this very machine.
    const isOffline = this.#tries >= TRIES_UNTIL_OFFLINE;
    this.#parts.onConnection({
      name: isOffline ? 'offline' : 'reconnecting',
      sinceMs: this.#lostMs,
      nextMs: Date.now() + waitMs,
    });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
