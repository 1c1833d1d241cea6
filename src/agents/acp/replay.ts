import type { Clock } from '../../foundation/index.js';

/** Replay is local work: a pause this long means that it is over. */
const QUIET_MS = 500;
const LIMIT_MS = 10_000;

/**
 * Waits for the end of a history that is replayed after the answer to `session/load`. Nothing marks its end, and the
 * replay looks like the next exchange (Gemini does not echo the prompt, either), so no prompt may be sent until it is
 * over. Throws ABORTED.
 */
export async function untilReplayed(
  clock: Clock,
  lastUpdateMs: () => number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const startMs = clock.monotonicMs();
  for (;;) {
    const nowMs = clock.monotonicMs();
    const quietMs = nowMs - Math.max(lastUpdateMs(), startMs);
    if (quietMs >= QUIET_MS || nowMs - startMs >= LIMIT_MS) return;
    await clock.sleep(QUIET_MS - quietMs, signal);
  }
}
