import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Door, Fence, FleetTaken } from '../../src/fleet/index.js';
import { Hub } from '../../src/hub/index.js';
import { doorTo, type FleetMachine, FleetQueues } from '../support/fleet-queues.js';
import { manyEntries } from '../support/many-entries.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { killWhole, standbyOf } from '../support/postgres-standby.js';
import { until } from '../support/processes.js';
import { DONE, TAKER } from '../support/queue-entries.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const ENTRIES = 12;

describe.skipIf(POSTGRES === undefined)('leases under a database that is not the one it was', () => {
  let db: Cluster;
  let queues: FleetQueues;

  beforeEach(async () => {
    db = await cluster();
    queues = await FleetQueues.open(db);
  });
  afterEach(async () => {
    await queues?.[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
  });

  async function takeAll({ queue }: FleetMachine, most = Number.POSITIVE_INFINITY): Promise<FleetTaken[]> {
    const all: FleetTaken[] = [];
    while (all.length < most) {
      const taken = await queue.take(TAKER);
      if (taken === undefined) break;
      all.push(taken);
    }
    return all;
  }

  /** Whether the database accepts a write with this fence. */
  async function isValid(door: Door, { entry, epoch, token }: Fence): Promise<boolean> {
    const { connection } = await door.open();
    return connection.rows('select holdfast.hold_fence($1, $2, $3)', [entry, epoch, token]).then(
      () => true,
      (error) => {
        if (error.rule === 'fenced') return false;
        throw error;
      },
    );
  }

  /** The former holders no longer write anything, and learn so at the next renewal. */
  async function assertLost(takings: readonly FleetTaken[]): Promise<void> {
    for (const taken of takings) {
      await until(async () => {
        await taken.renew();
        return taken.lost.aborted;
      });
      expect(taken.lost.reason).toBe('fenced');
      await expect(taken.finish(DONE)).rejects.toMatchObject({ code: 'LOCK_LOST' });
    }
  }

  verifiesNeeding(
    'F05',
    { postgres: true },
    'failed over to a standby that is behind, epochs are handed out twice and no fence is valid twice',
    async () => {
      await using standby = await standbyOf(db);
      const url = db.url.replace(`:${db.port}/`, `:${db.port},127.0.0.1:${standby.port}/`);
      const [ann, bob] = [await queues.machine({ url }), await queues.machine({ url })];
      await manyEntries(db, ENTRIES + 1);
      const [known] = await takeAll(ann, 1);
      await until(async () => (await standby.sql('select 1 from holdfast.taking')).length === 1);
      await standby.stall();
      // Acknowledged, but the standby never receives it.
      const first = await takeAll(ann, ENTRIES / 2);
      expect(first).toHaveLength(ENTRIES / 2);
      await first[0]?.finish(DONE);
      await killWhole(db);
      await standby.promote();
      const second = await takeAll(bob);
      expect(second).toHaveLength(ENTRIES);
      expect(new Set(second.map(({ fence }) => fence))).toEqual(new Set([1]));
      await using door = doorTo(url);
      for (const { lease } of second) {
        const fences = [...first, ...second].filter(({ entry }) => entry.id === lease.fence.entry);
        const valid: Fence[] = [];
        for (const one of fences) if (await isValid(door, one.lease.fence)) valid.push(one.lease.fence);
        expect(valid).toEqual([lease.fence]);
      }
      await assertLost(first.slice(1));
      for (const taken of second) expect((await taken.finish(DONE)).status).toBe('done');
      // What the standby knew continues as if nothing had happened.
      await until(async () => {
        await known?.renew();
        return known?.lease.trouble === undefined;
      });
      expect(known?.lost.aborted).toBe(false);
      expect((await known?.finish(DONE))?.status).toBe('done');
      const ends = await standby.sql('select state, count(*)::int as count from holdfast.entry group by 1');
      expect(ends).toEqual([{ state: 'done', count: ENTRIES + 1 }]);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'restored from an old dump all leases are void; nothing is handed out while whoever had it may be at work, and then once',
    async () => {
      const [ann, bob] = [await queues.machine(), await queues.machine()];
      await manyEntries(db, 3);
      const before = await takeAll(ann, 1);
      const file = db.dump('old.dump');
      const since = await takeAll(ann);
      expect(since).toHaveLength(2);
      db.restore(file);
      await using door = doorTo(db.url);
      await new Hub((await door.open()).connection).noteRestored();
      for (const { lease } of [...before, ...since]) expect(await isValid(door, lease.fence)).toBe(false);
      // Its agents live until their own deadline: nobody may take their work before then.
      expect(await takeAll(bob)).toEqual([]);
      await assertLost([...before, ...since]);
      expect(await takeAll(bob)).toEqual([]);
      const [waits] = await db.sql(
        `select extract(epoch from hold_until - clock_timestamp())::int > 290 as is_long,
           (select bool_and(lease_until > clock_timestamp() + interval '290 seconds') from holdfast.entry where state = 'running') as is_left
         from holdfast.queue`,
      );
      expect(waits).toEqual({ is_long: true, is_left: true });
      await db.sql('update holdfast.queue set hold_until = clock_timestamp()');
      await db.sql("update holdfast.entry set lease_until = clock_timestamp() where state = 'running'");
      const again = await takeAll(bob);
      expect(again.map(({ fence }) => fence).sort()).toEqual([1, 1, 2]);
      for (const { lease } of [...before, ...since]) expect(await isValid(door, lease.fence)).toBe(false);
      for (const taken of again) expect((await taken.finish(DONE)).status).toBe('done');
      expect(await takeAll(ann)).toEqual([]);
    },
  );
});
