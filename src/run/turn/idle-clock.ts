import type { AgentEvent } from '../../agents/index.js';
import type { Clock } from '../../foundation/index.js';
import type { WorkClock } from './work-clock.js';

export interface IdleLimits {
  /** How long an agent may show no sign of life; Infinity = for ever. */
  readonly idleMs: number;
  /** The same while a tool of its own runs: that may take long, and most agents say nothing until it is over. */
  readonly toolMs: number;
}

/** Reports when an agent has shown no sign of life for too long. Time spent waiting for a person does not count. */
export class IdleClock implements Disposable {
  readonly #clock: Clock;
  readonly #work: WorkClock;
  readonly #limits: IdleLimits;
  readonly #isIdle = new AbortController();
  readonly #over = new AbortController();
  readonly #openTools = new Set<string>();
  #lastSignMs: number;
  #silenceMs: number | null = null;

  /** `work` stops while the run waits for a person. */
  constructor(clock: Clock, work: WorkClock, limits: IdleLimits) {
    this.#clock = clock;
    this.#work = work;
    this.#limits = limits;
    this.#lastSignMs = work.workedMs;
    this.#watch().catch(() => {}); // the exchange ended first
  }

  /** Fires when the silence was too long. */
  get signal(): AbortSignal {
    return this.#isIdle.signal;
  }

  /** How long the agent had been silent when the signal fired; null before. */
  get silenceMs(): number | null {
    return this.#silenceMs;
  }

  add(event: AgentEvent): void {
    this.#lastSignMs = this.#work.workedMs;
    if (event.type === 'tool-call') this.#openTools.add(event.id);
    else if (event.type === 'tool-result') this.#openTools.delete(event.id);
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }

  get #leftMs(): number {
    const { idleMs, toolMs } = this.#limits;
    const limitMs = this.#openTools.size === 0 ? idleMs : Math.max(idleMs, toolMs);
    return limitMs - (this.#work.workedMs - this.#lastSignMs);
  }

  async #watch(): Promise<void> {
    if (!Number.isFinite(this.#limits.idleMs)) return;
    // It is never due earlier than this; anything that happens in the meantime only postpones it.
    for (let leftMs = this.#limits.idleMs; leftMs > 0; leftMs = this.#leftMs)
      await this.#clock.sleep(leftMs, this.#over.signal);
    this.#silenceMs = this.#work.workedMs - this.#lastSignMs;
    this.#isIdle.abort();
  }
}
