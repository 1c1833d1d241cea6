import { AbortedError, throwIfAborted } from './errors.js';

/** A day of 24 hours. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** Time as a port, so that tests can move it. */
export interface Clock {
  /** Wall time, for what is written down. */
  now(): Date;
  /** Milliseconds that never run backwards, for measuring how long something took. */
  monotonicMs(): number;
  /** Resolves after the time; rejects with ABORTED when the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A timer of the system that is asked for more fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      throwIfAborted(signal, 'The wait');
      const onAbort = () => {
        clearTimeout(timer);
        reject(new AbortedError('The wait', { cause: signal?.reason }));
      };
      let timer: NodeJS.Timeout;
      const wait = (leftMs: number) => {
        timer = setTimeout(
          () => {
            if (leftMs > MAX_TIMER_MS) return wait(leftMs - MAX_TIMER_MS);
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
          Math.min(leftMs, MAX_TIMER_MS),
        );
      };
      wait(ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};

/** ISO 8601 in UTC with milliseconds: the one spelling of time on disk. */
export function timestamp(clock: Clock): string {
  return clock.now().toISOString();
}

/** Waits for a hint, at most so long; a signal ends the wait too, and the caller looks which it was. */
export async function sleepOrHint(
  clock: Clock,
  ms: number,
  hint: Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const woken = new AbortController();
  const stop = signal === undefined ? woken.signal : AbortSignal.any([woken.signal, signal]);
  const slept = clock.sleep(ms, stop).catch(() => {
    // Called off by the hint, or by the caller, who looks for himself.
  });
  await Promise.race([slept, hint]);
  woken.abort();
}

/** When the day of a moment began, where this machine is. */
export function startOfDay(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}
