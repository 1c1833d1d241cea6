import type { Clock } from '../../foundation/index.js';

/** How long an iteration has worked. It stops while the run waits for a person, and reports when its time is up. */
export class WorkClock implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #isUp = new AbortController();
  #timer = new AbortController();
  #workedMs = 0;
  #runningSince: number | null = null;
  #pauses = 0;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#run();
  }

  /** Fires when the limit is reached. */
  get signal(): AbortSignal {
    return this.#isUp.signal;
  }

  get workedMs(): number {
    const now = this.#clock.monotonicMs();
    return this.#workedMs + (this.#runningSince === null ? 0 : now - this.#runningSince);
  }

  /** Stops the clock while waiting for a person; every call needs a matching `resume`. */
  pause(): void {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#stop();
  }

  resume(): void {
    if (this.#pauses === 0) return;
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#run();
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #run(): void {
    this.#runningSince = this.#clock.monotonicMs();
    const leftMs = this.#limitMs - this.#workedMs;
    if (!Number.isFinite(leftMs)) return;
    this.#timer = new AbortController();
    this.#clock.sleep(Math.max(0, leftMs), this.#timer.signal).then(
      () => this.#isUp.abort(),
      () => {}, // stopped before
    );
  }

  #stop(): void {
    this.#workedMs = this.workedMs;
    this.#runningSince = null;
    this.#timer.abort();
  }
}
