import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { INBOX_SQL } from '../../src/hub/migrations/0001-inbox.js';
import { QUEUE_SQL } from '../../src/hub/migrations/0003-queue.js';
import { manyEntries } from '../support/many-entries.js';
import { type Cluster, cluster, OWNER_PASSWORD } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

/** Time that a test moves: a sequence is the same in every snapshot, like a clock. */
const CLOCK = `create schema test; create sequence test.ticks start 1000000;
  create function test.now() returns timestamptz language sql volatile as 'select to_timestamp(last_value) from test.ticks';
  grant usage on schema test to public; grant select on test.ticks to public;
  create table test.saved as select * from holdfast.entry with no data;`;
const LEASE_SECONDS = 300;
const MACHINES = ['00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000b1'] as const;

interface Step {
  readonly does: 'take' | 'begin' | 'commit' | 'renew' | 'release' | 'pass' | 'expire' | 'save' | 'restore';
  readonly who: number;
}

interface Worker {
  readonly client: pg.Client;
  readonly machine: string;
  held: { readonly epoch: string; readonly token: string } | undefined;
  isWriting: boolean;
}

const step = fc.record({
  does: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('take' as const, 'begin' as const) },
    { weight: 3, arbitrary: fc.constantFrom('commit' as const, 'expire' as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('renew' as const, 'release' as const, 'pass' as const, 'restore' as const),
    },
    { weight: 1, arbitrary: fc.constant('save' as const) },
  ),
  who: fc.nat(2),
});

/**
 * Three workers, two of them on one machine, and one entry. They take, write, renew and give back in any order, while
 * time passes and the database is restored to earlier states. Any write, renewal or release that succeeds comes from
 * the worker that took last.
 */
describe.skipIf(POSTGRES === undefined)('the fence', () => {
  let db: Cluster;
  let made = 0;

  beforeAll(async () => {
    db = await cluster();
  });

  afterAll(() => db?.[Symbol.asyncDispose]());

  async function connected(database: string): Promise<pg.Client> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: db.port,
      user: 'owner',
      password: OWNER_PASSWORD,
      database,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async function world(
    sql: string,
  ): Promise<AsyncDisposable & { play(steps: readonly Step[]): Promise<void> }> {
    const database = `fence${made++}`;
    await db.sql(`create database ${database}`, [], 'postgres');
    const owner = await connected(database);
    const there: Pick<Cluster, 'sql'> = {
      sql: async (text, values = []) => (await owner.query(text, [...values])).rows,
    };
    await there.sql(INBOX_SQL);
    await there.sql(
      sql.replaceAll('clock_timestamp()', 'test.now()').replace('create table', `${CLOCK_FIRST}create table`),
    );
    await there.sql(CLOCK_REST);
    for (const id of MACHINES)
      await there.sql(
        "insert into holdfast.machine (id, name, role, boot_id, version) values ($1, 'm' || right($2, 2), 'owner', 'b', '1')",
        [id, id],
      );
    const workers: Worker[] = [];
    for (const machine of [MACHINES[0], MACHINES[0], MACHINES[1]]) {
      workers.push({ client: await connected(database), machine, held: undefined, isWriting: false });
    }
    return {
      async play(steps) {
        for (const worker of workers) {
          if (worker.isWriting) await worker.client.query('rollback');
          worker.isWriting = false;
          worker.held = undefined;
        }
        await there.sql('truncate holdfast.taking, holdfast.account, holdfast.entry, test.saved cascade');
        await there.sql('update holdfast.queue set hold_until = null');
        await manyEntries(there, 1);
        await playAll(there, workers, steps);
      },
      async [Symbol.asyncDispose]() {
        for (const { client } of workers) await client.end();
        await owner.end();
      },
    };
  }

  verifiesNeeding(
    'F03',
    { postgres: true },
    'at most one holder can write, whatever is taken, renewed, given back, expired or restored in between',
    async () => {
      await using one = await world(QUEUE_SQL);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), (steps) => one.play(steps)),
        { numRuns: 150, seed: 22, endOnFailure: true },
      );
    },
  );

  const MUTANTS: readonly [name: string, mutate: (sql: string) => string][] = [
    ['no token', (sql) => sql.replace('e.epoch = p_epoch and e.token = p_token', 'e.epoch = p_epoch')],
    ['no FOR SHARE', (sql) => sql.replace('  for share of e;', '  ;')],
    [
      'the stable name of a machine instead of a token',
      (sql) =>
        sql.replace(
          'e.epoch = p_epoch and e.token = p_token',
          'e.machine = (select t.machine from taking t where t.token = p_token limit 1)',
        ),
    ],
  ];

  for (const [name, mutate] of MUTANTS)
    verifiesNeeding('F03', { postgres: true }, `a schema with ${name} is found out`, async () => {
      const sql = mutate(QUEUE_SQL);
      expect(sql).not.toBe(QUEUE_SQL);
      await using one = await world(sql);
      const found = await fc.check(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), (steps) => one.play(steps)),
        { numRuns: 600, seed: 22, endOnFailure: true },
      );
      expect(found.failed).toBe(true);
      expect(String(found.errorInstance)).toContain('somebody else had taken it');
    });
});

const [CLOCK_FIRST = '', CLOCK_REST = ''] = (() => {
  const at = CLOCK.indexOf('create table test.saved');
  return [CLOCK.slice(0, at), CLOCK.slice(at)];
})();

async function playAll(
  db: Pick<Cluster, 'sql'>,
  workers: readonly Worker[],
  steps: readonly Step[],
): Promise<void> {
  const [{ id } = { id: '' }] = await db.sql('select id from holdfast.entry');
  let latest: string | undefined;
  let tokens = 0;
  const runId = String(Math.random()).slice(2, 10).padEnd(8, '0');
  const assertLatest = (token: string, did: string) => {
    if (token !== latest) throw new Error(`${did}, although somebody else had taken it`);
  };
  /** Whether a statement was let through; a refusal by the fence counts as an answer. */
  const passes = async ({ client }: Worker, sql: string, values: readonly unknown[]): Promise<boolean> => {
    try {
      await client.query(sql, [...values]);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === 'HFR01') return false;
      throw error;
    }
  };
  const commit = async (worker: Worker) => {
    if (!worker.isWriting) return;
    worker.isWriting = false;
    await worker.client.query('commit');
    assertLatest(worker.held?.token ?? '', 'it wrote');
  };
  for (const { does, who } of steps) {
    const worker = workers[who] as Worker;
    const fence = worker.held === undefined ? undefined : [id, worker.held.epoch, worker.held.token];
    if (does === 'expire')
      await db.sql('select setval($1, nextval($1) + $2)', ['test.ticks', LEASE_SECONDS + 1]);
    else if (does === 'pass') await db.sql('select setval($1, nextval($1) + 20)', ['test.ticks']);
    else if (does === 'commit') await commit(worker);
    else if (does === 'save') {
      await db.sql('truncate test.saved');
      await db.sql('insert into test.saved select * from holdfast.entry');
    } else if (does === 'restore') {
      for (const one of workers) await commit(one);
      const [saved] = await db.sql('select id from test.saved');
      if (saved === undefined) continue;
      // What was taken since then is not in the backup.
      await db.sql('delete from holdfast.taking t using test.saved s where t.epoch > s.epoch');
      await db.sql(
        `update holdfast.entry e set state = s.state, machine = s.machine, epoch = s.epoch, token = s.token,
           lease_seconds = s.lease_seconds, lease_until = s.lease_until, run_id = s.run_id from test.saved s where s.id = e.id`,
      );
      await db.sql('select holdfast.note_restored()');
      latest = undefined;
    } else if (worker.isWriting) continue;
    else if (does === 'take') {
      tokens += 1;
      const token = `${runId}-0000-4000-8000-${String(tokens).padStart(12, '0')}`;
      const { rows } = await worker.client.query(
        'select epoch from holdfast.take_entry($1, $2, $3, $4, $5, $6)',
        [worker.machine, token, [], ['owner'], LEASE_SECONDS, '{}'],
      );
      if (rows.length === 0) continue;
      worker.held = { epoch: String(rows[0].epoch), token };
      latest = token;
    } else if (fence === undefined) continue;
    else if (does === 'begin') {
      await worker.client.query('begin');
      worker.isWriting = await passes(worker, 'select holdfast.hold_fence($1, $2, $3)', fence);
      if (!worker.isWriting) await worker.client.query('rollback');
    } else if (does === 'renew') {
      if (await passes(worker, 'select holdfast.renew($1, $2, $3, $4)', [...fence, LEASE_SECONDS]))
        assertLatest(String(fence[2]), 'it renewed');
    } else if (await passes(worker, 'select holdfast.release($1, $2, $3)', fence)) {
      assertLatest(String(fence[2]), 'it gave back');
      worker.held = undefined;
    }
  }
  for (const worker of workers) await commit(worker);
}
