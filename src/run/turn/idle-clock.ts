import type { AgentEvent } from '../../agents/index.js';
import type { Clock } from '../../foundation/index.js';
import type { WorkClock } from './work-clock.js';

export interface IdleLimits {
  /** How long an agent may show no sign of life; Infinity = for ever. */
  readonly idleMs: number;
  /** How long while a tool of its own runs: such a run may be long, and most agents say nothing until it is over. */
  readonly toolMs: number;
}

/** Says when an agent has shown no sign of life for too long. The time in which a person is waited for does not count. */
export class IdleClock implements Disposable {
  readonly #clock: Clock;
  readonly #work: WorkClock;
  readonly #limits: IdleLimits;
  readonly #isIdle = new AbortController();
  readonly #over = new AbortController();
  readonly #openTools = new Set<string>();
  #lastSignMs: number;
  #silenceMs: number | null = null;

  /** `work` stands while a person is waited for. */
  constructor(clock: Clock, work: WorkClock, limits: IdleLimits) {
    this.#clock = clock;
    this.#work = work;
    this.#limits = limits;
    this.#lastSignMs = work.workedMs;
    this.#watch().catch(() => {}); // the exchange was over first
  }

  /** Fires when it was too long. */
  get signal(): AbortSignal {
    return this.#isIdle.signal;
  }

  /** How long it had been silent when it was too long; null before. */
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
    // It is never due earlier than this; whatever happens meanwhile only puts it off.
    for (let leftMs = this.#limits.idleMs; leftMs > 0; leftMs = this.#leftMs)
      await this.#clock.sleep(leftMs, this.#over.signal);
    this.#silenceMs = this.#work.workedMs - this.#lastSignMs;
    this.#isIdle.abort();
  }
}
