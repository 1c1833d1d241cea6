import type { QuotaGate } from '../../accounts/index.js';
import type { LimitWait } from '../../sessions/loop/index.js';
import type { Attention } from '../attention.js';
import type { RunParts } from '../run-parts.js';

/** Waits in line with all other runs on the account: any of them may open or move its window. */
export async function waitForReset(
  { loop, clock }: RunParts,
  quota: QuotaGate,
  wait: Extract<LimitWait, { cause: 'quota' }>,
  attention: Attention,
): Promise<void> {
  const untilMs = Date.parse(wait.until);
  let isInLine = false;
  while (clock.now().getTime() < untilMs) {
    let tell = () => {};
    const hint = new Promise<void>((resolve) => {
      tell = resolve;
    });
    using _watch = quota.watch(() => tell());
    const window = quota.window();
    // If there never was a shared window, this is the run's own wait; if there was one, its end ends the wait.
    if (window === undefined && isInLine) return loop.endSharedWait();
    if (window !== undefined && window.until !== wait.until) return moveWait(loop, window);
    if (window !== undefined && !isInLine) {
      isInLine = true;
      await quota.enter();
    }
    await attention.wait(untilMs, hint);
    if (attention.reason !== undefined) return quota.leave();
  }
}

function moveWait(
  loop: RunParts['loop'],
  { until, scope, words }: NonNullable<ReturnType<QuotaGate['window']>>,
): void {
  loop.waitForQuota({ kind: 'quota', resetsAt: new Date(until), scope, words: words ?? undefined });
}
