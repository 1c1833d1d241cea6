import type { Clock } from '../foundation/index.js';

/** Stands for a result that did not come in time. */
export const LATE = Symbol('late');

/** What a promise yields if it settles in time. The promise is not cancelled; if it fails later, the error is dropped. */
export async function within<Value>(
  clock: Clock,
  ms: number,
  promise: Promise<Value>,
): Promise<Value | typeof LATE> {
  const timer = new AbortController();
  const late = clock.sleep(ms, timer.signal).then(toLate, toLate);
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}

/** Resolves when the signal fires; at once if it already has. */
export function aborted(signal: AbortSignal): Promise<typeof LATE> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(LATE);
    signal.addEventListener('abort', () => resolve(LATE), { once: true });
  });
}

function toLate(): typeof LATE {
  return LATE;
}
