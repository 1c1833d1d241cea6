import { AbortedError, type Clock, throwIfAborted } from '../foundation/index.js';

interface Sleeper {
  readonly wakesAtMs: number;
  wake(): void;
}

/**
 * Time that moves only when a test moves it. With `autoAdvance` each sleep moves it: code that backs off finishes at
 * once, and `slept` shows how long it would have waited.
 */
export class FakeClock implements Clock {
  readonly slept: number[] = [];
  readonly #autoAdvance: boolean;
  #nowMs: number;
  #monotonicMs = 0;
  #sleepers: Sleeper[] = [];
  #onSleeper: (() => void)[] = [];

  constructor(options: { now?: string; autoAdvance?: boolean } = {}) {
    this.#nowMs = Date.parse(options.now ?? '2026-03-01T12:00:00.000Z');
    this.#autoAdvance = options.autoAdvance ?? false;
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      throwIfAborted(signal, 'The wait');
      this.slept.push(ms);
      if (this.#autoAdvance) {
        this.advance(ms);
        resolve();
        return;
      }
      const onAbort = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(new AbortedError('The wait', { cause: signal?.reason }));
      };
      const sleeper: Sleeper = {
        wakesAtMs: this.#monotonicMs + ms,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.push(sleeper);
      for (const tell of this.#onSleeper.splice(0)) tell();
    });
  }

  /** Moves time forward and wakes the sleepers that are due. */
  advance(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.wakesAtMs <= this.#monotonicMs);
    this.#sleepers = this.#sleepers.filter((sleeper) => !due.includes(sleeper));
    for (const sleeper of due) sleeper.wake();
  }

  /** Sets the wall clock, forward or back; monotonic time and sleeps are not affected. */
  jumpTo(now: string): void {
    this.#nowMs = Date.parse(now);
  }

  get sleepers(): number {
    return this.#sleepers.length;
  }

  /** Resolves once something is asleep. */
  async untilAsleep(): Promise<void> {
    if (this.#sleepers.length > 0) return;
    await new Promise<void>((resolve) => this.#onSleeper.push(resolve));
  }
}
