import type { Clock } from '../../foundation/index.js';

/** Acts once nothing has happened for a while. */
export class QuietTimer {
  readonly #clock: Clock;
  #pending: AbortController | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts waiting anew. */
  restart(ms: number, act: () => void): void {
    this.stop();
    const pending = new AbortController();
    this.#pending = pending;
    this.#clock.sleep(ms, pending.signal).then(
      () => {
        if (this.#pending === pending) act();
      },
      () => {
        // Something happened first.
      },
    );
  }

  stop(): void {
    this.#pending?.abort();
    this.#pending = null;
  }
}
