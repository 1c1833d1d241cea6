import { afterAll, beforeAll, describe, expect } from 'vitest';
import { silentLogger, systemClock } from '../../src/foundation/index.js';
import {
  connect,
  type FleetRole,
  Hub,
  MIGRATIONS,
  migrate,
  newRole,
  parseAddress,
  readFleet,
} from '../../src/hub/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const MACHINES = {
  ann: '00000000-0000-4000-8000-00000000000a',
  bob: '00000000-0000-4000-8000-00000000000b',
  ci: '00000000-0000-4000-8000-00000000000c',
};
const REQUEST = '10000000-0000-4000-8000-000000000001';
const SET = '20000000-0000-4000-8000-000000000001';

describe.skipIf(POSTGRES === undefined)('the hub', () => {
  let db: Cluster;
  const passwords = new Map<string, string>();
  const open: Hub[] = [];

  beforeAll(async () => {
    db = await cluster();
    const owner = await hubOf(db.url);
    await migrate(owner.connection);
    await Promise.all([
      make('ann', 'person'),
      make('bob', 'person'),
      make('ci', 'worker'),
      make('eve', 'viewer'),
    ]);
    for (const name of ['ann', 'bob', 'ci'] as const)
      await (await as(name)).join({ id: MACHINES[name], name, bootId: 'b', version: '1' });
  });

  afterAll(async () => {
    for (const hub of open) await hub.connection.close();
    await db?.[Symbol.asyncDispose]();
  });

  async function make(name: string, role: FleetRole): Promise<void> {
    const made = newRole(name, role);
    passwords.set(name, made.password);
    await db.sql(made.sql);
  }

  async function hubOf(url: string): Promise<Hub> {
    const address = parseAddress(url);
    const hub = new Hub(
      await connect({
        address,
        passwordFor: () => address.password,
        fileSystem: nodeFileSystem,
        clock: systemClock,
        log: silentLogger,
      }),
    );
    open.push(hub);
    return hub;
  }

  const as = (name: string) => hubOf(db.urlOf(name, passwords.get(name)));
  const row = (id: string, summary: unknown = {}) => ({
    id,
    stamp: 's1',
    state: 'pending',
    needs_person: true,
    is_ended: false,
    created_at: '2026-01-01T00:00:00Z',
    last_activity: '2026-01-01T00:00:00Z',
    summary,
  });
  const answerTo = (home: string, session = SET, id = REQUEST) =>
    ({ id, home, sessionKind: 'question', session, kind: 'answer', body: { answers: [] } }) as const;

  verifiesNeeding('F01', { postgres: true }, 'lets nobody write a table, whatever their role', async () => {
    const tables = await db.sql("select tablename as name from pg_tables where schemaname = 'holdfast'");
    expect(tables.length).toBeGreaterThan(5);
    for (const who of ['ann', 'ci', 'eve']) {
      const { connection } = await as(who);
      for (const { name } of tables) {
        for (const sql of [
          `delete from holdfast.${name}`,
          `insert into holdfast.${name} default values`,
          `truncate holdfast.${name}`,
        ])
          await expect(connection.rows(sql), `${who}: ${sql}`).rejects.toMatchObject({
            code: 'FLEET_REFUSED',
          });
        await expect(connection.rows(`select count(*) from holdfast.${name}`)).resolves.toHaveLength(1);
      }
    }
  });

  verifiesNeeding(
    'F01',
    { postgres: true },
    'lets each role call what is its own, and no helper',
    async () => {
      const functions = await db.sql(
        `select p.proname as name, pg_get_function_identity_arguments(p.oid) as args, p.oid::int as oid
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'holdfast' order by 1`,
      );
      const allowed = async (who: string) => {
        const rows = await db.sql(
          'select p.proname as name from pg_proc p where p.oid = any($2) and has_function_privilege($1, p.oid, $3) order by 1',
          [who, functions.map(({ oid }) => oid), 'execute'],
        );
        return rows.map(({ name }) => name);
      };
      const inbox = ['beat', 'join_fleet', 'leave_fleet', 'mirror', 'settle', 'take_requests', 'tidy'];
      const runs = [
        'hold_fence',
        'take_entry',
        'renew',
        'finish',
        'release',
        'wish_hand_over',
        'retry_entry',
      ];
      const shares = ['settle_entry', 'offer_work', 'end_work', 'note_account', 'note_day'];
      const queues = ['enqueue', 'change_entry', 'move_entry', 'remove_entry', 'pause_queue', 'pause_entry'];
      const moves = ['checkpoint', 'take_over'];
      const worker = [...inbox, ...runs, ...shares, ...moves].sort();
      expect(await allowed('eve')).toEqual([]);
      expect(await allowed('ci')).toEqual(worker);
      expect(await allowed('ann')).toEqual(
        [...worker, ...queues, 'move_run', 'release_run', 'remove_machine', 'send', 'take_back'].sort(),
      );
    },
  );

  verifiesNeeding('F01', { postgres: true }, 'lets nobody act as a machine of another role', async () => {
    const bob = await as('bob');
    const notYours = { code: 'FLEET_RULE', rule: 'not-your-machine' };
    await expect(bob.beat(MACHINES.ann, 'b', '1')).rejects.toMatchObject(notYours);
    await expect(bob.mirror(MACHINES.ann, 'question', [row(SET)], [])).rejects.toMatchObject(notYours);
    await expect(bob.takeRequests(MACHINES.ann)).rejects.toMatchObject(notYours);
    await expect(bob.send(MACHINES.ann, answerTo(MACHINES.ci))).rejects.toMatchObject(notYours);
    await expect(bob.leave(MACHINES.ann)).rejects.toMatchObject(notYours);
    await expect(
      bob.join({ id: MACHINES.ann, name: 'mine', bootId: 'b', version: '1' }),
    ).rejects.toMatchObject(notYours);
    await expect(
      bob.join({ id: MACHINES.bob, name: 'ann', bootId: 'b', version: '1' }),
    ).rejects.toMatchObject({
      rule: 'name-taken',
    });
  });

  verifiesNeeding(
    'F01',
    { postgres: true },
    'stores a request once, gives one decision, and lets only its home settle it',
    async () => {
      const [ann, bob, ci] = await Promise.all([as('ann'), as('bob'), as('ci')]);
      await ci.mirror(MACHINES.ci, 'question', [row(SET)], []);
      await ci.mirror(MACHINES.ci, 'question', [row(SET)], []);
      await ann.send(MACHINES.ann, answerTo(MACHINES.ci));
      await ann.send(MACHINES.ann, answerTo(MACHINES.ci));
      await expect(
        ann.send(MACHINES.ann, { ...answerTo(MACHINES.ci), body: { answers: [1] } }),
      ).rejects.toMatchObject({ rule: 'id-used' });
      await expect(bob.send(MACHINES.bob, answerTo(MACHINES.ci, SET, MACHINES.bob))).rejects.toMatchObject({
        rule: 'decided',
      });
      await expect(bob.takeBack(REQUEST)).resolves.toBe(false);
      const settled = { id: REQUEST, state: 'applied', reply: {} } as const;
      await bob.settle(MACHINES.bob, settled, { kind: 'question', rows: [] });
      expect((await ann.request(REQUEST))?.state).toBe('sent');
      const taken = await ci.takeRequests(MACHINES.ci);
      expect(taken.rows).toMatchObject([{ id: REQUEST, by: 'ann', machine: 'ann' }]);
      await expect(ann.takeBack(REQUEST)).resolves.toBe(false);
      await ci.settle(MACHINES.ci, settled, { kind: 'question', rows: [] });
      await ci.settle(MACHINES.ci, { ...settled, state: 'refused' }, { kind: 'question', rows: [] });
      expect((await ann.request(REQUEST))?.state).toBe('applied');
      expect((await ci.takeRequests(MACHINES.ci)).rows).toEqual([]);
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'of sixteen decisions sent at once takes exactly one',
    async () => {
      const people = await Promise.all(
        Array.from({ length: 16 }, (_, at) => as(at % 2 === 0 ? 'ann' : 'bob')),
      );
      const session = '20000000-0000-4000-8000-000000000016';
      const results = await Promise.allSettled(
        people.map((hub, at) =>
          hub.send(at % 2 === 0 ? MACHINES.ann : MACHINES.bob, {
            ...answerTo(
              MACHINES.ci,
              session,
              `30000000-0000-4000-8000-0000000000${String(at).padStart(2, '0')}`,
            ),
          }),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'refuses rows that are too large or of no form, and keeps what text it can',
    async () => {
      const ann = await as('ann');
      const refused = { code: 'FLEET_RULE', rule: 'not-taken' };
      await expect(ann.mirror(MACHINES.ann, 'question', [row('x'.repeat(201))], [])).rejects.toMatchObject(
        refused,
      );
      await expect(
        ann.mirror(MACHINES.ann, 'question', [row('big', 'y'.repeat(5_000_000))], []),
      ).rejects.toMatchObject(refused);
      await expect(
        ann.mirror(MACHINES.ann, 'question', [{ ...row('t'), created_at: 'never' }], []),
      ).rejects.toMatchObject(refused);
      await ann.mirror(MACHINES.ann, 'question', [row('odd', { text: 'a\0b \ud800 \u202e <script>' })], []);
      const [kept] = await db.sql("select summary from holdfast.session where id = 'odd'");
      expect(kept?.summary).toEqual({ text: 'a\ufffdb \ufffd \u202e <script>' });
      expect((await ann.sessions(MACHINES.bob, 'question', { prefix: 'odd' })).rows).toHaveLength(1);
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'lets nobody hide what waits behind a request that decides nothing',
    async () => {
      const [ann, bob, ci] = await Promise.all([as('ann'), as('bob'), as('ci')]);
      const set = '20000000-0000-4000-8000-000000000077';
      await ci.mirror(MACHINES.ci, 'question', [row(set)], []);
      await bob.send(MACHINES.bob, {
        ...answerTo(MACHINES.ci, set, '10000000-0000-4000-8000-000000000077'),
        kind: 'pause',
      });
      const found = await ann.sessions(MACHINES.ann, 'question', { prefix: set });
      expect(found.rows).toMatchObject([{ id: set, request: null }]);
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'is made by eight at once in one go, and refuses a program that is too old with the way out',
    async () => {
      await db.sql('create database second', [], 'postgres');
      const url = db.url.replace('/holdfast', '/second');
      const hubs = await Promise.all(Array.from({ length: 8 }, () => hubOf(url)));
      const steps = await Promise.all(hubs.map(({ connection }) => migrate(connection)));
      expect(steps.flat().sort((a, b) => a - b)).toEqual(MIGRATIONS.map(({ n }) => n));
      const { assertFits } = await import('../../src/hub/index.js');
      const [{ connection } = hubs[0] as Hub] = hubs;
      expect(assertFits(await readFleet(connection)).version).toBe(MIGRATIONS.at(-1)?.n);
      await db.sql('update holdfast.fleet set min_client = 99', [], 'second');
      const newer = await readFleet(connection);
      expect(() => assertFits(newer)).toThrow(
        expect.objectContaining({ code: 'FLEET_SCHEMA', hint: expect.stringContaining('Update') }),
      );
      await db.sql('update holdfast.fleet set min_client = 1, version = 0', [], 'second');
      const older = await readFleet(connection);
      expect(() => assertFits(older)).toThrow(
        expect.objectContaining({ hint: expect.stringContaining('fleet migrate') }),
      );
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'says what is wrong: password, database, rights, nothing there',
    async () => {
      await expect(hubOf(db.urlOf('ann', 'wrong'))).rejects.toMatchObject({ code: 'FLEET_REFUSED' });
      await expect(hubOf(db.urlOf('ann', passwords.get('ann'), 'nowhere'))).rejects.toMatchObject({
        code: 'FLEET_REFUSED',
      });
      await expect(hubOf('postgres://ann:x@127.0.0.1:1/holdfast')).rejects.toMatchObject({
        code: 'FLEET_UNREACHABLE',
      });
      const eve = await as('eve');
      await expect(eve.send(MACHINES.ann, answerTo(MACHINES.ci))).rejects.toMatchObject({
        code: 'FLEET_REFUSED',
      });
      const two = `postgres://ann:${passwords.get('ann')}@127.0.0.1:1,127.0.0.1:${db.port}/holdfast`;
      await expect(hubOf(two)).resolves.toBeInstanceOf(Hub);
      // A server without TLS is refused if TLS was asked for.
      await expect(
        hubOf(`${db.urlOf('ann', passwords.get('ann'))}?sslmode=verify-full`),
      ).rejects.toMatchObject({ code: 'FLEET_REFUSED' });
      await db.sql('alter role ann set synchronous_commit = off');
      await expect(as('ann')).rejects.toMatchObject({
        code: 'FLEET_REFUSED',
        message: expect.stringContaining('synchronous_commit'),
      });
      await db.sql('alter role ann reset synchronous_commit');
    },
  );
});
