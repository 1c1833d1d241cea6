import { FleetUnreachableError } from '../../hub/index.js';

const FIRST_MS = 500;
/** A server that comes back is found within 5 seconds; one that says no is asked less often. */
const MAX_AWAY_MS = 4_000;
const MAX_REFUSED_MS = 24_000;
/** A pause may be longer by this share, so that not all machines ask a returning server at once. */
const SPREAD = 0.25;

/** The pauses between attempts to reach the hub: each twice as long as the one before, up to a limit. */
export class Pauses {
  readonly #random: () => number;
  #ms = FIRST_MS;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** How long to wait after an attempt that ended with this failure. */
  after(failure: unknown): number {
    const isAway = failure instanceof FleetUnreachableError && !failure.isCertain;
    const ms = Math.min(this.#ms, isAway ? MAX_AWAY_MS : MAX_REFUSED_MS);
    this.#ms = Math.min(MAX_REFUSED_MS, ms * 2);
    return Math.round(ms * (1 + SPREAD * this.#random()));
  }

  /** An attempt succeeded. */
  reset(): void {
    this.#ms = FIRST_MS;
  }
}
