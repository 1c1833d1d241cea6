import type { Clock } from '../../../foundation/index.js';

export interface WebLimits {
  /** Wrong codes within a minute, from all senders together. */
  readonly signInFailures: number;
  /** Writes by one device within a minute. */
  readonly writes: number;
  /** Open streams of one device. */
  readonly streams: number;
}

const MINUTE_MS = 60_000;

/** Counts how often something happened within the last minute, by sender. */
export class Rate {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Whether one more is too many. */
  isOver(who: string): boolean {
    return this.#recent(who).length >= this.#max;
  }

  /** Counts one more; returns how many there were within the minute. */
  count(who: string): number {
    const times = [...this.#recent(who), this.#clock.monotonicMs()];
    this.#times.set(who, times);
    return times.length;
  }

  #recent(who: string): number[] {
    const since = this.#clock.monotonicMs() - MINUTE_MS;
    const times = (this.#times.get(who) ?? []).filter((time) => time > since);
    if (times.length === 0) this.#times.delete(who);
    return times;
  }
}
