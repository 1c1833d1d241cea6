import { expect } from 'vitest';
import { type ChangeWorker, makePlace } from './change-kills.js';
import type { ChangeAct } from './change-worker.js';
import type { TempDir } from './temp-dir.js';
import { startWorkers } from './workers.js';

export async function changeWorkers(count: number): Promise<{ workers: ChangeWorker[] } & AsyncDisposable> {
  const workers: ChangeWorker[] = await startWorkers(count, new URL('change-worker.ts', import.meta.url));
  return {
    workers,
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
    },
  };
}

/** All workers start a session on one change at the same instant: one gets it, and the others are told which one. */
export async function raceForChange(
  workers: readonly ChangeWorker[],
  dir: TempDir,
  change: string,
): Promise<void> {
  const place = makePlace(dir, change);
  const startAt = Date.now() + 4;
  const endings = await Promise.all(
    workers.map((worker, index) => {
      const act: ChangeAct = { name: 'init', change, sessionId: `${change}-${index}` };
      return worker.call('act', { place, act, startAt });
    }),
  );
  const winners = endings.flatMap((ending) => (ending.kind === 'done' ? [ending.value as string] : []));
  expect(winners, JSON.stringify(endings)).toHaveLength(1);
  for (const ending of endings) {
    if (ending.kind === 'done') continue;
    expect(ending.code).toBe('CHANGE_LOCKED');
    expect(ending.message).toContain(`locked by session ${winners[0]} since`);
  }
}
