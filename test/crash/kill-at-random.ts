import { expect } from 'vitest';
import { SeededRandom } from '../support/seeded-random.js';
import { tempDir } from '../support/temp-dir.js';
import { startWorker } from '../support/workers.js';
import type { Acknowledged, Found, StorageWorker } from './workers/storage-worker.js';

const WORKER = new URL('./workers/storage-worker.ts', import.meta.url);

/**
 * A writer under a lock is killed at a random instant, and the next one looks at what is left: everything that was
 * acknowledged to us, at most one record more, and a lock that is free at the first attempt.
 */
export async function killWritersAtRandom(kills: number, seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  await using dir = await tempDir();
  let acknowledged: number[] = [0];
  for (let round = 0; round <= kills; round++) {
    await using writer = await startWorker<StorageWorker, Acknowledged>(WORKER);
    const found = await writer.call('recover', { directory: dir.path });
    expectNothingLost(found, acknowledged, round);
    acknowledged = found.seqs.map((seq) => seq ?? -1);
    if (round === kills) return;
    const heard = new Promise<void>((resolve) => {
      writer.onNote((note) => {
        acknowledged.push(note.acknowledged);
        resolve();
      });
    });
    writer.call('appendForEver', { directory: dir.path, seed: seed + round }).catch(() => {
      // Killed while it works: that is the point.
    });
    await heard;
    setTimeout(() => writer.kill(), random.next() * 20);
    await writer.ended;
  }
}

function expectNothingLost(found: Found, acknowledged: readonly number[], round: number): void {
  const what = `round ${round}`;
  expect(found.damage, what).toEqual([]);
  expect(found.seqs.slice(0, acknowledged.length), what).toEqual(acknowledged);
  expect(found.seqs, what).toEqual(found.seqs.map((_, index) => index));
  expect(found.seqs.length - acknowledged.length, what).toBeLessThanOrEqual(1);
  expect(found.takenOver, what).toBe(round > 0);
  if (found.status !== undefined) expect(JSON.parse(found.status), what).toHaveProperty('seq');
}
