import { type Clock, isHoldfastError, type Logger, messageOf } from '../../foundation/index.js';
import { FleetRuleError } from '../../hub/index.js';
import type { BootClock } from './boot-clock.js';

/** Who has an entry: anybody with an earlier epoch or another token can no longer write. */
export interface Fence {
  readonly entry: string;
  readonly epoch: number;
  readonly token: string;
}

export interface LeaseTimes {
  /** How long it lasts without a sign, on the clock of the database. */
  readonly leaseMs: number;
  /** How much earlier it ends here: whatever runs is ended by then. */
  readonly marginMs: number;
  readonly renewEveryMs: number;
}

/** Why a lease is no longer ours. */
export type LeaseLoss =
  /** Somebody else has it, or it was voided. */
  | 'fenced'
  /** No renewal arrived in time, so somebody else may have it by now. */
  | 'deadline';

/** Since when no renewal has arrived, in boot time, and why. */
export interface LeaseTrouble {
  readonly sinceMs: number;
  readonly reason: string;
}

export interface LeaseHolderOptions {
  readonly fence: Fence;
  readonly times: LeaseTimes;
  /** The boot time just before the statement that took it was sent, or earlier. */
  readonly askedAtMs: number;
  readonly boot: BootClock;
  readonly clock: Clock;
  readonly log: Logger;
  /** Renews it in the database; returns what the holder is asked to do. Throws FLEET_RULE (`fenced`), FLEET_UNREACHABLE. */
  renew(fence: Fence): Promise<string | null>;
}

/** How long to wait after a failed renewal before the next attempt. */
const RETRY_MS = 1_000;
/** A renewal without a reply for this long counts as not arrived; less if the margin is shorter. */
const SILENCE_MS = 5_000;

/**
 * Keeps a lease: renews it again and again, and knows until when work under it may continue. The deadline counts from
 * before a renewal was sent, so it is never later here than in the database, however long the reply took.
 */
export class LeaseHolder implements Disposable {
  readonly fence: Fence;
  readonly #options: LeaseHolderOptions;
  readonly #lost = new AbortController();
  readonly #wanted = new AbortController();
  readonly #closed = new AbortController();
  readonly #listeners = new Set<(deadlineMs: number) => void>();
  #deadlineMs: number;
  #renewing: Promise<void> | undefined;
  /** When the current renewal was sent. */
  #askedAtMs: number | undefined;
  #trouble: LeaseTrouble | undefined;

  constructor(options: LeaseHolderOptions) {
    this.fence = options.fence;
    this.#options = options;
    this.#deadlineMs = deadlineOf(options.askedAtMs, options.times);
    void this.#keep();
  }

  /** Until when work under it may continue, in boot time. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Fires once when it is no longer ours; its reason is a `LeaseLoss`. Never after `close`. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Fires once when its run should be given back at the end of the iteration. */
  get wanted(): AbortSignal {
    return this.#wanted.signal;
  }

  /** Undefined if the last renewal arrived. */
  get trouble(): LeaseTrouble | undefined {
    const { boot, times } = this.#options;
    const sinceMs = this.#askedAtMs;
    if (this.#trouble !== undefined || sinceMs === undefined) return this.#trouble;
    const isSilent = boot.bootMs() - sinceMs >= Math.min(SILENCE_MS, times.marginMs);
    return isSilent ? { sinceMs, reason: 'the database does not answer' } : undefined;
  }

  /** Calls back with each new deadline. */
  onRenewed(listener: (deadlineMs: number) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Renews it now; one renewal at a time. Never throws: the signals and the deadline show the outcome. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
      this.#askedAtMs = undefined;
    });
    return this.#renewing;
  }

  /** Stops renewing it. It stays ours until somebody gives it back, or it ends. */
  close(): void {
    this.#closed.abort();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  get #isOver(): boolean {
    return this.#closed.signal.aborted || this.#lost.signal.aborted;
  }

  async #keep(): Promise<void> {
    const { clock, boot, times } = this.#options;
    const stop = AbortSignal.any([this.#closed.signal, this.#lost.signal]);
    while (!this.#isOver) {
      const waitMs =
        this.#trouble === undefined ? times.renewEveryMs : Math.min(RETRY_MS, times.renewEveryMs);
      const leftMs = this.#deadlineMs - boot.bootMs();
      await clock.sleep(Math.max(0, Math.min(waitMs, leftMs)), stop).catch(() => {});
      if (this.#isOver) return;
      if (this.#hasEnded()) return;
      // A server that does not answer must not keep us from noticing the deadline.
      const ended = new AbortController();
      const deadline = clock
        .sleep(Math.max(0, this.#deadlineMs - boot.bootMs()), AbortSignal.any([stop, ended.signal]))
        .catch(() => {});
      await Promise.race([this.renew(), deadline]);
      ended.abort();
      if (!this.#isOver && this.#hasEnded()) return;
    }
  }

  #hasEnded(): boolean {
    if (this.#options.boot.bootMs() < this.#deadlineMs) return false;
    this.#lose('deadline');
    return true;
  }

  async #renewOnce(): Promise<void> {
    const { boot, log, renew, times } = this.#options;
    const askedAtMs = boot.bootMs();
    this.#askedAtMs = askedAtMs;
    try {
      const wish = await renew(this.fence);
      if (this.#isOver) return;
      this.#trouble = undefined;
      this.#askedAtMs = undefined;
      this.#deadlineMs = deadlineOf(askedAtMs, times);
      for (const listener of this.#listeners) listener(this.#deadlineMs);
      if (wish === 'hand-over' && !this.#wanted.signal.aborted) this.#wanted.abort('hand-over');
    } catch (error) {
      if (error instanceof FleetRuleError) return this.#lose('fenced');
      this.#trouble ??= { sinceMs: askedAtMs, reason: messageOf(error) };
      const level = isHoldfastError(error) ? 'info' : 'error';
      log[level]('fleet.lease-not-renewed', { entry: this.fence.entry, error: messageOf(error) });
    }
  }

  #lose(why: LeaseLoss): void {
    if (this.#isOver) return;
    this.#options.log.warn('fleet.lease-lost', { entry: this.fence.entry, epoch: this.fence.epoch, why });
    this.#lost.abort(why);
  }
}

function deadlineOf(askedAtMs: number, { leaseMs, marginMs }: LeaseTimes): number {
  return askedAtMs + leaseMs - marginMs;
}
