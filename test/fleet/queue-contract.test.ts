import { afterAll, beforeAll, describe } from 'vitest';
import type { Queue } from '../../src/queue/index.js';
import { describeQueue } from '../contracts/queue.js';
import { emptyQueue, type FleetMachine, FleetQueues } from '../support/fleet-queues.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';

/** Between machines a worker is dead when its lease has expired, on the clock of the database. */
describe.skipIf(POSTGRES === undefined)('between machines', () => {
  let db: Cluster;
  let spare: FleetMachine[] = [];
  let queues: FleetQueues;

  beforeAll(async () => {
    db = await cluster();
    queues = await FleetQueues.open(db);
    spare = await Promise.all(Array.from({ length: 12 }, () => queues.machine()));
  });

  afterAll(async () => {
    await queues?.[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
  });

  describeQueue('PostgreSQL', async () => {
    await emptyQueue(db);
    let used = 0;
    const machines = new Map<Queue, string>();
    return {
      worker() {
        const machine = spare[used];
        used += 1;
        if (machine === undefined) throw new Error('the test wants more machines');
        machines.set(machine.queue, machine.id);
        return machine.queue;
      },
      async die(queue) {
        await db.sql('update holdfast.entry set lease_until = clock_timestamp() where machine = $1', [
          machines.get(queue),
        ]);
      },
      async takeAway(id) {
        await db.sql(
          'update holdfast.entry set token = null, lease_until = clock_timestamp() where id = $1',
          [id],
        );
      },
      async [Symbol.asyncDispose]() {},
    };
  });
});
