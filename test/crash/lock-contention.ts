import { join } from 'node:path';
import { expect } from 'vitest';
import { Lock, tryAcquireLock } from '../../src/storage/index.js';
import { deadIdentity } from '../support/processes.js';
import { SeededRandom } from '../support/seeded-random.js';
import { storageTools } from '../support/storage-tools.js';
import { tempDir } from '../support/temp-dir.js';
import { startWorker, startWorkers, type WorkerProcess } from '../support/workers.js';
import type { StorageWorker, Turn } from './workers/storage-worker.js';

const WORKER = new URL('./workers/storage-worker.ts', import.meta.url);

/**
 * Six contenders each time an owner has died. In every round one of them takes over at its first attempt, none waits
 * for anything, and no two are ever inside together.
 */
export async function takeOverAgainAndAgain(rounds: number): Promise<void> {
  await using dir = await tempDir();
  const path = dir.at('session');
  const dead = storageTools({ identity: await deadIdentity() });
  const workers = await startWorkers<StorageWorker>(6, WORKER);
  try {
    for (let round = 0; round < rounds; round++) {
      const crashed = tryAcquireLock(dead, path);
      expect(crashed, `round ${round}`).toBeInstanceOf(Lock);
      const outcomes = await Promise.all(
        workers.map((worker, index) => worker.call('contend', { path, seed: round * 6 + index })),
      );
      const taken = outcomes.filter((outcome) => outcome.taken);
      const what = `round ${round}: ${JSON.stringify(outcomes)}`;
      expect(taken.filter((outcome) => outcome.takenOver).length, what).toBe(1);
      expect(
        taken.flatMap((outcome) => outcome.others),
        what,
      ).toEqual([]);
      expect(new Set(taken.map((outcome) => outcome.epoch)).size, what).toBe(taken.length);
    }
  } finally {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
  }
}

/** Four contenders that never stop; one of them is killed at a random instant and replaced, again and again. */
export async function killContenders(
  kills: number,
  seed: number,
): Promise<{ turns: number; takeovers: number }> {
  const random = new SeededRandom(seed);
  await using dir = await tempDir();
  const path = join(dir.path, 'session');
  const turns: Turn[] = [];
  let onTurn = () => {};
  const start = async () => {
    const worker = await startWorker<StorageWorker, Turn>(WORKER);
    worker.onNote((turn) => {
      turns.push(turn);
      onTurn();
    });
    worker.call('contendForEver', { path, seed: random.below(1e9) }).catch(() => {
      // Killed while it works: that is the point.
    });
    return worker;
  };
  const workers: WorkerProcess<StorageWorker, Turn>[] = await Promise.all(Array.from({ length: 4 }, start));
  try {
    for (let kill = 0; kill < kills; kill++) {
      const before = turns.length;
      await new Promise<void>((resolve) => {
        onTurn = () => turns.length > before && resolve();
      });
      const victim = random.below(workers.length);
      await new Promise((resolve) => setTimeout(resolve, random.next() * 5));
      await workers[victim]?.[Symbol.asyncDispose]();
      workers[victim] = await start();
    }
  } finally {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
  }
  expect(turns.flatMap((turn) => turn.others)).toEqual([]);
  expect(new Set(turns.map((turn) => turn.epoch)).size).toBe(turns.length);
  return { turns: turns.length, takeovers: turns.filter((turn) => turn.takenOver).length };
}
