import type { Clock } from './clock.js';

/** How often and how patiently to try again; the wait doubles each time. */
export interface Backoff {
  /** Tries after the first one. */
  readonly retries: number;
  readonly firstWaitMs: number;
}

/** Runs an action again while it fails in a way worth repeating; the last failure is thrown as it is. */
export async function retry<Result>(
  action: () => Result | Promise<Result>,
  options: {
    backoff: Backoff;
    clock: Clock;
    isWorthRepeating: (error: unknown) => boolean;
    signal?: AbortSignal | undefined;
  },
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (attempt >= options.backoff.retries || !options.isWorthRepeating(error)) throw error;
      await options.clock.sleep(options.backoff.firstWaitMs * 2 ** attempt, options.signal);
    }
  }
}
