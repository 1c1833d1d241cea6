import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LONG_TEST_MS } from '../support/deadlines.js';
import { drainFleetQueue } from '../support/drain-fleet-queue.js';
import { FleetQueues } from '../support/fleet-queues.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

/** scripts/fleet/queue-5000.mjs runs more of them. */
const ENTRIES = Number(process.env.HOLDFAST_QUEUE_ENTRIES ?? 1_000);

describe.skipIf(POSTGRES === undefined)('sixteen workers at one queue', () => {
  let db: Cluster;

  beforeAll(async () => {
    db = await cluster();
    await using _made = await FleetQueues.open(db);
  });

  afterAll(() => db?.[Symbol.asyncDispose]());

  verifiesNeeding(
    'F03',
    { postgres: true },
    'each of 1,000 entries is taken exactly once, though connections are cut between commit and reply',
    async () => {
      const drained = await drainFleetQueue(db, { workers: 16, entries: ENTRIES, cutShare: 0.01, seed: 22 });
      expect(drained).toMatchObject({
        taken: ENTRIES,
        entries: ENTRIES,
        takings: ENTRIES,
        // No lease ended, so nothing was taken twice.
        highestEpoch: 1,
        done: ENTRIES,
      });
      expect(drained.cuts).toBeGreaterThan(20);
      if (ENTRIES > 1_000) process.stdout.write(`${JSON.stringify(drained)}\n`);
    },
    LONG_TEST_MS,
  );
});
