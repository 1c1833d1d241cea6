import { AbortedError, throwIfAborted } from './errors.js';

/** A day of 24 hours. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** Time as a port, so tests can move it. */
export interface Clock {
  /** Wall-clock time, for records. */
  now(): Date;
  /** Milliseconds that never run backwards, for measuring how long something took. */
  monotonicMs(): number;
  /** Resolves after this time; rejects with ABORTED if the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A system timer set for longer than this fires at once. */
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

/** ISO 8601 in UTC with milliseconds: the only spelling of time on disk. */
export function timestamp(clock: Clock): string {
  return clock.now().toISOString();
}

/** Waits for a hint, at most this long. A signal also ends the wait; the caller checks which it was. */
export async function sleepOrHint(
  clock: Clock,
  ms: number,
  hint: Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const woken = new AbortController();
  const stop = signal === undefined ? woken.signal : AbortSignal.any([woken.signal, signal]);
  const slept = clock.sleep(ms, stop).catch(() => {
    // Ended by the hint, or by the caller, which checks for itself.
  });
  await Promise.race([slept, hint]);
  woken.abort();
}

/** When the day of a given moment began, in this machine's time zone. */
export function startOfDay(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}
