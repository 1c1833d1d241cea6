import type { Clock } from '../../foundation/index.js';
import type { TimeoutKind } from './errors.js';

/** Time limits; 0 or absent = no limit. */
export interface Patience {
  /** For the whole answer to a prompt. */
  readonly promptMs?: number | undefined;
  /** For any sign of life while a prompt is being answered. */
  readonly idleMs?: number | undefined;
}

/** Watches over one exchange: `signal` fires with a `TimeoutKind` when a limit is exceeded. */
export class ExchangeWatch implements Disposable {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #over = new AbortController();
  #lastSign: number;

  /** `leftMs` is what remains of the session's own lifetime. */
  constructor(clock: Clock, patience: Patience, leftMs: number) {
    this.#clock = clock;
    this.#lastSign = clock.monotonicMs();
    if (isLimited(patience.promptMs)) this.#expire('prompt', patience.promptMs);
    if (isLimited(patience.idleMs)) this.#expireIdle(patience.idleMs);
    if (Number.isFinite(leftMs)) this.#expire('total', Math.max(0, leftMs));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Which limit was exceeded; undefined if none was. */
  get expired(): TimeoutKind | undefined {
    return this.signal.aborted ? (this.signal.reason as TimeoutKind) : undefined;
  }

  /** Notes a sign of life from the agent. */
  notice(): void {
    this.#lastSign = this.#clock.monotonicMs();
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }

  #expire(kind: TimeoutKind, ms: number): void {
    this.#clock.sleep(ms, this.#over.signal).then(
      () => this.#controller.abort(kind),
      () => {}, // the exchange ended first
    );
  }

  #expireIdle(ms: number): void {
    const left = () => this.#lastSign + ms - this.#clock.monotonicMs();
    const watch = async () => {
      for (let leftMs = ms; leftMs > 0; leftMs = left()) await this.#clock.sleep(leftMs, this.#over.signal);
      this.#controller.abort('idle' satisfies TimeoutKind);
    };
    watch().catch(() => {}); // the exchange ended first
  }
}

function isLimited(ms: number | undefined): ms is number {
  return ms !== undefined && ms > 0;
}
