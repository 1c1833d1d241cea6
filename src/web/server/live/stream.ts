import { type Logger, messageOf } from '../../../foundation/index.js';
import type { Me, PageSnapshot, StreamEvent } from '../../contract/index.js';
import type { Feed, FeedState } from './feed.js';
import type { RunFeed } from './run-feed.js';

/** This much may wait for a reader. Beyond it nothing is kept: the reader gets everything anew when there is room. */
const MAX_WAITING_BYTES = 256 * 1024;
const PING_MS = 15_000;

export interface StreamParts {
  readonly feed: Feed;
  readonly clock: { now(): Date };
  readonly log: Logger;
  readonly me: Me;
  /** Opens the requested journal. */
  readonly openRun: ((onMore: () => void) => RunFeed) | undefined;
  /** Called with every ping. */
  readonly onPing: () => void;
  readonly onEnd: () => void;
}

/** The stream of one page. A slow reader costs no more than what is waiting for it. */
export class PageStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #parts: StreamParts;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isBehind = true;
  #run: RunFeed | undefined;
  #changes: { close(): void } | undefined;
  #pinging: NodeJS.Timeout | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          this.#begin();
        },
        pull: () => this.#pump(),
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    );
  }

  /** Sends the reason and ends the stream. */
  close(reason: 'revoked' | 'stopping'): void {
    const controller = this.#controller;
    if (controller === undefined) return;
    this.#send({ name: 'bye', data: { reason } });
    this.#end();
    controller.close();
  }

  /** To be called when the reader is gone. */
  leave(): void {
    this.#end();
  }

  #begin(): void {
    const { feed, openRun, clock, onPing } = this.#parts;
    this.#changes = feed.subscribe((change) => {
      if (!this.#isBehind && this.#hasRoom()) this.#send({ name: 'change', data: change });
      else this.#isBehind = true;
    });
    this.#pinging = setInterval(() => {
      onPing();
      if (this.#hasRoom()) this.#send({ name: 'ping', data: { now: clock.now().toISOString() } });
    }, PING_MS);
    this.#run = openRun?.(() => this.#pump());
  }

  /** Sends what there is while there is room. */
  #pump(): void {
    if (this.#controller === undefined || !this.#hasRoom()) return;
    if (this.#isBehind) {
      this.#isBehind = false;
      this.#send({ name: 'state', data: this.#snapshot(this.#parts.feed.state()) });
    }
    try {
      this.#pumpRun();
    } catch (error) {
      this.#parts.log.warn('web.journal-not-read', { error: messageOf(error) });
    }
  }

  #pumpRun(): void {
    const run = this.#run;
    if (run === undefined) return;
    while (this.#hasRoom()) {
      const entry = run.take();
      if (entry !== undefined) {
        this.#send({ name: 'entry', data: entry });
        continue;
      }
      const isRunning = run.news();
      if (isRunning !== undefined) this.#send({ name: 'caught', data: { run: run.run, isRunning } });
      return;
    }
  }

  #snapshot(state: FeedState): PageSnapshot {
    return { ...state, now: this.#parts.clock.now().toISOString(), me: this.#parts.me };
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  #send({ name, data }: StreamEvent): void {
    this.#controller?.enqueue(ENCODER.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  #end(): void {
    if (this.#controller === undefined) return;
    this.#controller = undefined;
    clearInterval(this.#pinging);
    this.#changes?.close();
    this.#run?.[Symbol.dispose]();
    this.#parts.onEnd();
  }
}

const ENCODER = new TextEncoder();
