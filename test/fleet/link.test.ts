import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createServices, type Services } from '../../src/app/base.js';
import { holdFleetLink, openFleet } from '../../src/app/fleet/open-fleet.js';
import type { LinkState } from '../../src/fleet/index.js';
import { applyRequest } from '../../src/fleet/link/apply-request.js';
import { parseAddress, type RequestRow } from '../../src/hub/index.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const QUESTIONS = [{ title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }];
const SENDER = '00000000-0000-4000-8000-0000000000ff';

describe.skipIf(POSTGRES === undefined)('the link of a machine', () => {
  let db: Cluster;
  let dir: TempDir;

  beforeAll(async () => {
    db = await cluster();
    dir = await tempDir();
    await openFleet(home('owner')).init(parseAddress(db.url), 'sender');
    await db.sql(
      `insert into holdfast.machine (id, name, role, boot_id, version) values ($1, 'phone', 'owner', '', '')`,
      [SENDER],
    );
  });

  afterAll(async () => {
    await db?.[Symbol.asyncDispose]();
    await dir?.[Symbol.asyncDispose]();
  });

  function home(name: string): Services {
    return createServices({
      environment: { HOLDFAST_HOME: dir.at(name), HOME: dir.at(`${name}-user`), HOLDFAST_FLEET_URL: db.url },
      workingDirectory: dir.path,
      command: 'test',
    });
  }

  async function joined(name: string): Promise<{ services: Services; id: string }> {
    const services = home(name);
    await openFleet(services).join(parseAddress(db.url), name);
    const [row] = await db.sql('select id from holdfast.machine where name = $1', [name]);
    return { services, id: String(row?.id) };
  }

  /** Holds the link and keeps what it reports about itself. */
  function linked(services: Services): AsyncDisposable & { states: LinkState[] } {
    const states: LinkState[] = [];
    const link = holdFleetLink(services, (state) => states.push(state));
    if (link === undefined) throw new Error('not joined');
    return { states, [Symbol.asyncDispose]: () => link[Symbol.asyncDispose]() };
  }

  const send = (id: string, machine: string, session: string, label = 'A', kind = 'answer') =>
    db.sql('select holdfast.send($1, $2, $3, $4, $5, $6, $7)', [
      id,
      SENDER,
      machine,
      'question',
      session,
      kind,
      JSON.stringify(
        kind === 'answer' ? { answers: [{ questionIndex: 0, selectedOption: label }] } : { reason: label },
      ),
    ]);
  const stateOf = async (id: string) =>
    (await db.sql('select state, reply from holdfast.request where id = $1', [id]))[0];
  const mirrored = (machine: string) =>
    db.sql(
      'select id, state, gone_at is not null as is_gone from holdfast.session where home = $1 order by created_at',
      [machine],
    );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'mirrors what comes, changes and goes, and one process of a machine holds it',
    async () => {
      const { services, id } = await joined('mirror');
      const before = await services.questions.create(QUESTIONS);
      await using first = linked(services);
      await until(() => first.states.length > 0);
      await using second = linked(services);
      const set = await services.questions.create(QUESTIONS);
      await until(async () => (await mirrored(id)).length === 2);
      await services.questions.answer(set.id, [{ questionIndex: 0, selectedOption: 'A' }]);
      await until(async () => (await mirrored(id)).some(({ state }) => state === 'completed'));
      // The whole set, as if somebody cleaned up.
      rmSync(join(services.config.layout.questions, set.id), { recursive: true });
      await until(async () => (await mirrored(id)).some((row) => row.is_gone === true));
      expect(await mirrored(id)).toEqual([
        { id: before.id, state: 'pending', is_gone: false },
        { id: set.id, state: 'completed', is_gone: true },
      ]);
      expect(first.states).toEqual([{ is: 'up', hears: true }]);
      expect(second.states).toEqual([]);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'heals after the database was gone: what happened meanwhile arrives in both directions',
    async () => {
      const { services, id } = await joined('outage');
      await using link = linked(services);
      await until(() => link.states.length > 0);
      const asked = await services.questions.create(QUESTIONS);
      await until(async () => (await mirrored(id)).length === 1);
      await db.stop('SIGQUIT');
      const meanwhile = await services.questions.create(QUESTIONS);
      await until(() => link.states.some(({ is }) => is === 'down'));
      await db.start();
      const request = '40000000-0000-4000-8000-000000000001';
      await send(request, id, asked.id, 'B');
      await until(async () => (await stateOf(request))?.state === 'applied');
      await until(async () => (await mirrored(id)).some((row) => row.id === meanwhile.id));
      expect((await services.questions.get(asked.id)).outcome).toMatchObject({
        answers: [{ selectedOption: 'B' }],
      });
      expect((await services.questions.get(asked.id)).actor).toBe('fleet:phone/owner');
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'answers a request that comes again from its files, after a crash or an old dump',
    async () => {
      const { services, id } = await joined('again');
      const set = await services.questions.create(QUESTIONS);
      const request = '40000000-0000-4000-8000-000000000002';
      await send(request, id, set.id, 'A');
      const row = {
        id: request,
        home: id,
        session_kind: 'question',
        session: set.id,
        kind: 'answer',
        by: 'owner',
        machine: 'phone',
      };
      const body = { answers: [{ questionIndex: 0, selectedOption: 'A' }] };
      const asRow = { ...row, body, at: '', state: 'taken', reply: null } as RequestRow;
      // The process dies between applying it and telling the hub: the hub still has it as sent.
      await applyRequest(services.questions, asRow);
      const decided = await services.questions.get(set.id);
      expect(decided.appliedRequest).toBe(request);
      expect((await stateOf(request))?.state).toBe('sent');
      await using link = linked(services);
      await until(async () => (await stateOf(request))?.state === 'applied');
      // The database is restored to a state before anything was settled, and does not know another machine's answer.
      await db.sql("update holdfast.request set state = 'sent', reply = null where id = $1", [request]);
      await db.sql('delete from holdfast.session where home = $1', [id]);
      await db.sql(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = $1',
        ['holdfast'],
      );
      await until(async () => (await stateOf(request))?.state === 'applied');
      await until(async () => (await mirrored(id)).length === 1);
      expect(await services.questions.get(set.id)).toEqual(decided);
      void link;
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'refuses what cannot be done with the reason, and nothing here changes',
    async () => {
      const { services, id } = await joined('hostile');
      const set = await services.questions.create(QUESTIONS);
      await using _link = linked(services);
      const cases: [string, string, string, string][] = [
        ['50000000-0000-4000-8000-000000000001', '../../etc/passwd', 'A', 'answer'],
        ['50000000-0000-4000-8000-000000000002', '99999999-0000-4000-8000-000000000000', 'A', 'answer'],
        ['50000000-0000-4000-8000-000000000003', set.id, 'no such label \u001b[31m', 'answer'],
        ['50000000-0000-4000-8000-000000000004', set.id, 'stop', 'stop'],
      ];
      for (const [request, session, label, kind] of cases) {
        await send(request, id, session, label, kind);
        await until(async () => (await stateOf(request))?.state === 'refused');
        expect((await stateOf(request))?.reply).toMatchObject({
          code: expect.any(String),
          message: expect.any(String),
        });
      }
      expect((await services.questions.get(set.id)).outcome).toEqual({ status: 'pending' });
      const reject = '50000000-0000-4000-8000-000000000005';
      await send(reject, id, set.id, 'not now', 'reject');
      await until(async () => (await stateOf(reject))?.state === 'applied');
      expect(await services.questions.get(set.id)).toMatchObject({
        outcome: { status: 'rejected', reason: 'not now' },
        appliedRequest: reject,
      });
    },
  );

  verifiesNeeding('F05', { postgres: true }, 'sends again what it sent and the database forgot', async () => {
    const { services, id } = await joined('asked');
    const sender = await joined('forgotten');
    const set = await services.questions.create(QUESTIONS);
    const { openFleetQuestions } = await import('../../src/app/fleet/open-fleet.js');
    // Its home had given no sign for a long time: the sender does not wait.
    await (await openFleetQuestions(services))?.[Symbol.asyncDispose]();
    await db.sql("update holdfast.machine set seen_at = now() - interval '1 hour' where id = $1", [id]);
    await using open = await openFleetQuestions(sender.services);
    const view = await open?.questions.answer(set.id, [{ questionIndex: 0, selectedOption: 'B' }]);
    expect(view?.onItsWay).toMatchObject({ by: 'owner' });
    await db.sql('delete from holdfast.request where id = $1', [view?.onItsWay?.request]);
    await using _there = linked(services);
    await using _here = linked(sender.services);
    await until(async () => (await services.questions.get(set.id)).outcome.status === 'completed');
  });

  verifiesNeeding(
    'F05',
    { postgres: true },
    'two machines that claim one set are both left alone, and a cut-off list stays with its age',
    async () => {
      const first = await joined('claims');
      const second = await joined('claims-too');
      const person = await joined('person');
      const set = await first.services.questions.create(QUESTIONS);
      const { openFleetQuestions } = await import('../../src/app/fleet/open-fleet.js');
      await (await openFleetQuestions(first.services))?.[Symbol.asyncDispose]();
      await using open = await openFleetQuestions(person.services);
      expect((await open?.questions.listLive())?.map(({ id }) => id)).toContain(set.id);
      await db.sql(
        `insert into holdfast.session select $2, kind, id, stamp, state, needs_person, is_ended, created_at, last_activity, summary, gone_at
       from holdfast.session where home = $1`,
        [first.id, second.id],
      );
      await expect(
        open?.questions.answer(set.id, [{ questionIndex: 0, selectedOption: 'A' }]),
      ).rejects.toMatchObject({
        code: 'REMOTE_REFUSED',
      });
      await db.stop('SIGQUIT');
      expect((await open?.questions.listLive())?.map(({ id }) => id)).toContain(set.id);
      expect(open?.remote.trouble).toMatchObject({ reason: expect.any(String), at: expect.any(Date) });
      await expect(open?.questions.reject(set.id)).rejects.toMatchObject({
        code: 'NOT_STORED',
        message: expect.stringContaining('Not stored: '),
      });
      await db.start();
    },
  );
});
