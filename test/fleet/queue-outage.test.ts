import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { databaseProxy } from '../support/database-proxy.js';
import type { FleetQueueWorker } from '../support/fleet-queue-worker.js';
import { emptyQueue, FleetQueues, workerRules } from '../support/fleet-queues.js';
import { manyEntries } from '../support/many-entries.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { DONE, newEntry, PLAN_FILES, TAKER } from '../support/queue-entries.js';
import { verifiesNeeding } from '../support/verifies-needing.js';
import { startWorker } from '../support/workers.js';

describe.skipIf(POSTGRES === undefined)('a worker whose database is away', () => {
  let db: Cluster;
  let proxy: CuttingProxy;
  let queues: FleetQueues;

  beforeAll(async () => {
    db = await cluster();
    queues = await FleetQueues.open(db);
    proxy = await CuttingProxy.to(db.port);
  });

  beforeEach(async () => {
    proxy.shouldCut = () => false;
    proxy.isSwallowing = false;
    await emptyQueue(db);
  });

  afterAll(async () => {
    await queues?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
  });

  const throughProxy = () => db.url.replace(`:${db.port}/`, `:${proxy.port}/`);
  const takings = () =>
    db.sql('select count(*)::int as count, max(epoch)::int as epoch from holdfast.taking');

  verifiesNeeding(
    'F03',
    { postgres: true },
    'a take whose reply never came, however often it is asked, is the same entry in the same epoch',
    async () => {
      const { queue } = await queues.machine({ url: throughProxy() });
      await queue.add(newEntry(), PLAN_FILES);
      await queue.add(newEntry(), PLAN_FILES);
      // This word occurs in the row of a taken entry.
      proxy.shouldCut = (reply) => reply.includes('is_taken_over');
      await expect(queue.take(TAKER)).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
      expect(proxy.cuts).toBeGreaterThan(2);
      expect(await takings()).toEqual([{ count: 1, epoch: 1 }]);
      proxy.shouldCut = () => false;
      const taken = await queue.take(TAKER);
      expect(taken?.fence).toBe(1);
      expect(await takings()).toEqual([{ count: 1, epoch: 1 }]);
      await taken?.finish(DONE);
    },
  );

  for (const afterSeconds of [250, 400])
    verifiesNeeding(
      'F03',
      { postgres: true },
      `a take that never arrived, asked again after ${afterSeconds} seconds, has a whole lease`,
      async () => {
        await using route = await databaseProxy(db.port);
        let now = 1_000_000;
        const { queue } = await queues.machine({ url: route.through(db.url), boot: { bootMs: () => now } });
        await queue.add(newEntry(), PLAN_FILES);
        const held = route.holdAt({ statement: 'take_entry', when: 'before' });
        const failing = queue.take(TAKER).catch((error: unknown) => error);
        await held;
        route.refuse();
        expect(await failing).toMatchObject({ code: 'FLEET_UNREACHABLE' });
        expect(await takings()).toEqual([{ count: 0, epoch: null }]);
        route.heal();
        now += afterSeconds * 1_000;
        const taken = await queue.take(TAKER);
        expect(taken?.fence).toBe(1);
        // 300 seconds, and a margin of 60.
        expect(Math.round(((taken?.lease.deadlineMs ?? 0) - now) / 1_000)).toBe(240);
        await taken?.finish(DONE);
      },
    );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'a take whose reply never came, asked again later, has what is left of its lease',
    async () => {
      let now = 1_000_000;
      const { queue } = await queues.machine({ url: throughProxy(), boot: { bootMs: () => now } });
      await queue.add(newEntry(), PLAN_FILES);
      proxy.shouldCut = (reply) => reply.includes('is_taken_over');
      await expect(queue.take(TAKER)).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
      proxy.shouldCut = () => false;
      // Time passes: here by the clock of this machine, there by moving the end of the lease.
      now += 100_000;
      await db.sql("update holdfast.entry set lease_until = lease_until - interval '100 seconds'");
      const taken = await queue.take(TAKER);
      expect(taken?.fence).toBe(1);
      const leftMs = (taken?.lease.deadlineMs ?? 0) - now;
      expect(leftMs).toBeLessThanOrEqual(140_000);
      expect(leftMs).toBeGreaterThan(100_000);
      await taken?.finish(DONE);
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'an end whose reply never came is written once, and what was killed in the middle comes back whole',
    async () => {
      const { queue } = await queues.machine({ url: throughProxy() });
      const { id } = await queue.add(newEntry({ retriesLeft: 3 }), PLAN_FILES);
      const taken = await queue.take(TAKER);
      let left = 2;
      proxy.shouldCut = (reply) => reply.includes('finish') && left-- > 0;
      await taken?.finish({ ...DONE, outcome: 'failed', hasPrompted: false });
      expect(await queue.get(id)).toMatchObject({ status: 'queued', retriesLeft: 2 });
      const again = await queue.take(TAKER);
      expect(again).toMatchObject({ fence: 2, isTakenOver: false });
      // The server crashes: what it acknowledged is there, and the lease is still being renewed.
      await db.stop('SIGQUIT');
      const renewing = again?.renew();
      await db.start();
      await renewing;
      await until(async () => {
        await again?.renew();
        return again?.lease.trouble === undefined;
      });
      expect(again?.lost.aborted).toBe(false);
      expect((await again?.finish(DONE))?.status).toBe('done');
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'cut off for longer than its lease it has lost the entry by then, before another machine may take it',
    async () => {
      const rules = workerRules({ leaseSeconds: 3 });
      const [cut, other] = [
        await queues.machine({ url: throughProxy(), rules }),
        await queues.machine({ rules }),
      ];
      await cut.queue.add(newEntry(), PLAN_FILES);
      const taken = await cut.queue.take(TAKER);
      proxy.isSwallowing = true;
      const order: string[] = [];
      taken?.lost.addEventListener('abort', () => order.push('lost here'));
      let next: Awaited<ReturnType<typeof other.queue.take>>;
      await until(async () => {
        next = await other.queue.take(TAKER);
        if (next !== undefined) order.push('taken there');
        return next !== undefined;
      });
      expect(taken?.lost.reason).toBe('deadline');
      expect(order).toEqual(['lost here', 'taken there']);
      expect(next).toMatchObject({ isTakenOver: true, fence: 2 });
      proxy.isSwallowing = false;
      proxy.cutAll();
      await expect(taken?.finish(DONE)).rejects.toMatchObject({ code: 'LOCK_LOST' });
      await next?.finish(DONE);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'that waits looks again within seconds of its return, although nothing in the queue changed',
    async () => {
      const { queue } = await queues.machine();
      let hints = 0;
      const watch = queue.watch(() => {
        hints += 1;
      });
      await until(() => hints > 0);
      await db.stop('SIGQUIT');
      const before = hints;
      await db.start();
      await until(() => hints > before);
      watch.close();
    },
  );

  for (const offset of ['+1h', '-1h'])
    verifiesNeeding(
      'F03',
      { postgres: true, faketime: true },
      `a worker whose clock is wrong by ${offset} takes and ends like any other`,
      async () => {
        await manyEntries(db, 5);
        await using worker = await startWorker<FleetQueueWorker>(
          new URL('../support/fleet-queue-worker.ts', import.meta.url),
          { wrap: ['faketime', '-f', offset] },
        );
        const said = await worker.call('now');
        const [row] = await db.sql(
          'select abs(extract(epoch from $1::timestamptz - clock_timestamp())) > 3000 as is_wrong',
          [said],
        );
        expect(row).toEqual({ is_wrong: true });
        const { done } = await worker.call('drain', { url: db.url, joinUrl: db.url });
        expect(done).toHaveLength(5);
        expect(await takings()).toEqual([{ count: 5, epoch: 1 }]);
      },
    );
});
