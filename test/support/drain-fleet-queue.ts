import { CuttingProxy } from './cutting-proxy.js';
import type { FleetQueueWorker } from './fleet-queue-worker.js';
import { manyEntries } from './many-entries.js';
import type { Cluster } from './postgres.js';
import { SeededRandom } from './seeded-random.js';
import { startWorkers } from './workers.js';

export interface Drained {
  readonly taken: number;
  /** The number of distinct entries among those. */
  readonly entries: number;
  readonly takings: number;
  readonly highestEpoch: number;
  readonly done: number;
  readonly cuts: number;
  /** How often a worker gave up and retried later. */
  readonly cutOff: number;
}

/**
 * Many workers, each in its own process, take everything through a proxy that cuts connections while replies are on their way.
 */
export async function drainFleetQueue(
  db: Cluster,
  { workers, entries, cutShare, seed }: { workers: number; entries: number; cutShare: number; seed: number },
): Promise<Drained> {
  await manyEntries(db, entries);
  await using proxy = await CuttingProxy.to(db.port);
  const random = new SeededRandom(seed);
  proxy.shouldCut = () => random.chance(cutShare);
  const url = db.url.replace(`:${db.port}/`, `:${proxy.port}/`);
  const processes = await startWorkers<FleetQueueWorker>(
    workers,
    new URL('./fleet-queue-worker.ts', import.meta.url),
  );
  try {
    const results = await Promise.all(processes.map((one) => one.call('drain', { url, joinUrl: db.url })));
    const taken = results.flatMap(({ done }) => done);
    const [row] = await db.sql(
      `select (select count(*)::int from holdfast.taking) as takings, (select max(epoch)::int from holdfast.entry) as highest,
         (select count(*)::int from holdfast.entry where state = 'done') as done`,
    );
    return {
      taken: taken.length,
      entries: new Set(taken.map(({ entry }) => entry)).size,
      takings: Number(row?.takings),
      highestEpoch: Number(row?.highest),
      done: Number(row?.done),
      cuts: proxy.cuts,
      cutOff: results.reduce((sum, { cutOff }) => sum + cutOff, 0),
    };
  } finally {
    for (const one of processes) await one[Symbol.asyncDispose]();
  }
}
