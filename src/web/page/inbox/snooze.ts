import { type ReadonlySignal, signal } from '@preact/signals';
import type { Kept } from '../frame/kept.js';

const ITEM = 'holdfast.later';
const MINUTE_MS = 60_000;

/** How long a card can be snoozed. */
export const SNOOZES: readonly { readonly words: string; readonly until: (now: Date) => number }[] = [
  { words: 'For 15 minutes', until: (now) => now.getTime() + 15 * MINUTE_MS },
  { words: 'For an hour', until: (now) => now.getTime() + 60 * MINUTE_MS },
  { words: 'Until tomorrow at 8:00', until: tomorrowAtEight },
];

function tomorrowAtEight(now: Date): number {
  const then = new Date(now);
  then.setDate(then.getDate() + 1);
  then.setHours(8, 0, 0, 0);
  return then.getTime();
}

/** Cards snoozed in this browser only. */
export class Snoozes {
  readonly #kept: Kept;
  readonly #until = signal<Readonly<Record<string, number>>>({});

  constructor(kept: Kept) {
    this.#kept = kept;
    this.#until.value = kept.value<Record<string, number>>(ITEM) ?? {};
  }

  get until(): ReadonlySignal<Readonly<Record<string, number>>> {
    return this.#until;
  }

  isAsleep(id: string, nowMs: number): boolean {
    return (this.#until.value[id] ?? 0) > nowMs;
  }

  set(id: string, untilMs: number): void {
    this.#keep({ ...this.#until.peek(), [id]: untilMs });
  }

  wake(id: string): void {
    const { [id]: _, ...others } = this.#until.peek();
    this.#keep(others);
  }

  #keep(until: Readonly<Record<string, number>>): void {
    const nowMs = Date.now();
    const future = Object.fromEntries(Object.entries(until).filter(([, ms]) => ms > nowMs));
    this.#until.value = future;
    this.#kept.keepValue(ITEM, future);
  }
}
