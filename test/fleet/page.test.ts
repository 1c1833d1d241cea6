import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Json } from '../support/holdfast-binary.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { twoMachines } from '../support/two-machines.js';
import { verifiesNeeding } from '../support/verifies-needing.js';
import { type WebBrowser, type WebEvents, type WebWorld, webWorld } from '../support/web-world.js';

const ASKED = JSON.stringify([
  { title: 'Store', prompt: 'Which database?', options: [{ label: 'Postgres' }, { label: 'SQLite' }] },
]);
const answering = (label: string) => ({
  answers: [{ questionIndex: 0, selectedOption: label }],
  isWhole: false,
});
const draftOf = (text: string) => ({
  questionIndex: 0,
  answers: [{ selected: [], isOther: true, text, isConfirmed: false }],
  rejectionReason: '',
});

describe.skipIf(POSTGRES === undefined)('the page of one machine and a question of another', () => {
  const fleet = twoMachines();
  let web: WebWorld;
  let ann: WebBrowser;

  beforeAll(async () => {
    web = await webWorld({ machine: fleet().laptop });
    ann = await web.signIn('answer', 'phone of ann');
  });
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
  });

  const path = (id: string, verb = '') => `/api/questions/${id}${verb === '' ? '' : `/${verb}`}`;
  const cards = async (): Promise<Json[]> => (await ann.get('/api/state')).json.cards;
  const cardOf = async (id: string): Promise<Json> =>
    (await cards()).find(({ set }: Json) => set.sessionId === id);
  const isShown = (id: string) => until(async () => (await cardOf(id)) !== undefined);

  /** Asked by an agent that has moved on; afterwards nothing of ours runs on that machine. */
  async function askedAndLeft(): Promise<string> {
    const { workstation, quiet } = fleet();
    const id = (await workstation.run(['ask', ASKED, '--no-wait'])).stdout.trim();
    await workstation.run(['questions']);
    await quiet();
    await isShown(id);
    return id;
  }

  const settledIn = (events: WebEvents, id: string): Json =>
    events
      .of('change')
      .flatMap(({ settled }) => settled)
      .find(({ set }: Json) => set.sessionId === id);

  verifiesNeeding(
    'F02',
    { postgres: true },
    'is a card with the name of its machine; what is answered there has arrived, and who did it is written down at its home',
    async () => {
      const { workstation } = fleet();
      const events = await ann.events();
      const asking = workstation.start(['ask', ASKED, '--json']);
      const [, id = ''] = await asking.printed('stderr', /Waiting for an answer to (\S+)/);
      await until(() =>
        events
          .of('change')
          .flatMap(({ cards }) => cards)
          .some(({ set }: Json) => set.sessionId === id && set.machine === 'workstation'),
      );
      expect(events.of('state')[0].fleet).toEqual({ self: 'laptop/ann', trouble: null });
      expect((await ann.put(path(id, 'draft'), draftOf('half'))).status).toBe(200);
      expect((await ann.get(path(id))).json).toMatchObject({
        set: { machine: 'workstation', status: 'pending' },
        draft: draftOf('half'),
      });
      const looker = await web.signIn('view');
      expect((await looker.post(path(id, 'answer'), answering('SQLite'))).status).toBe(403);
      const answered = await ann.post(path(id, 'answer'), answering('SQLite'));
      expect(answered.status).toBe(200);
      expect(answered.json).toMatchObject({
        set: { machine: 'workstation', status: 'completed', actor: 'fleet:laptop/ann' },
        draft: null,
      });
      expect(answered.json.set.onItsWay).toBeUndefined();
      expect(JSON.parse((await asking.ended).stdout)).toMatchObject({
        answers: [{ selectedOption: 'SQLite' }],
        actor: 'fleet:laptop/ann',
      });
      await until(() => settledIn(events, id) !== undefined);
      const late = await ann.post(path(id, 'answer'), answering('Postgres'));
      expect(late.status).toBe(409);
      expect(late.json).toMatchObject({
        code: 'ALREADY_SETTLED',
        details: { winner: { set: { answers: [{ selectedOption: 'SQLite' }] } } },
      });
      events.close();
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'whose machine is off: the answer is on its way, keeps its draft, can be taken back, and arrives later',
    async () => {
      const { workstation } = fleet();
      const id = await askedAndLeft();
      const events = await ann.events();
      await ann.put(path(id, 'draft'), draftOf('half'));
      const sent = await ann.post(path(id, 'answer'), answering('SQLite'));
      expect(sent.status).toBe(200);
      expect(sent.json).toMatchObject({
        set: { status: 'pending', machine: 'workstation', onItsWay: { by: 'ann' } },
        draft: draftOf('half'),
      });
      await until(async () => (await cardOf(id))?.set.onItsWay !== undefined);
      const second = await ann.post(path(id, 'reject'), { reason: 'no' });
      expect(second.status).toBe(409);
      expect(second.json).toMatchObject({
        code: 'DECIDED_ELSEWHERE',
        details: { winner: { set: { status: 'pending', onItsWay: { by: 'ann' } } } },
      });
      const looker = await web.signIn('view');
      expect((await looker.post(path(id, 'take-back'), {})).status).toBe(403);
      const back = await ann.post(path(id, 'take-back'), {});
      expect(back.status).toBe(200);
      expect(back.json.set).toMatchObject({ status: 'pending' });
      expect(back.json.set.onItsWay).toBeUndefined();
      expect((await ann.post(path(id, 'take-back'), {})).json).toMatchObject({ code: 'NOT_TAKEN_BACK' });
      expect((await ann.post(path(id, 'reject'), { reason: 'not now' })).json.set.onItsWay).toBeDefined();
      await workstation.run(['questions']);
      await until(() => settledIn(events, id) !== undefined);
      expect(settledIn(events, id).set).toMatchObject({
        status: 'rejected',
        rejectionReason: 'not now',
        actor: 'fleet:laptop/ann',
      });
      const { stdout } = await workstation.run(['questions', 'show', id, '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'rejected', actor: 'fleet:laptop/ann' });
      events.close();
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'that somebody answered at its own machine first: what stands is told, and the draft is kept',
    async () => {
      const { workstation } = fleet();
      const id = await askedAndLeft();
      const events = await ann.events();
      await ann.put(path(id, 'draft'), draftOf('mine'));
      expect((await ann.post(path(id, 'answer'), answering('SQLite'))).json.set.onItsWay).toBeDefined();
      const away = { env: { HOLDFAST_FLEET_URL: 'postgres://bob@127.0.0.1:1/holdfast' } };
      expect((await workstation.run(['answer', id, 'Postgres'], away)).code).toBe(0);
      await workstation.run(['questions']);
      await until(() => settledIn(events, id) !== undefined);
      expect(settledIn(events, id).set).toMatchObject({
        status: 'completed',
        actor: 'cli',
        answers: [{ selectedOption: 'Postgres' }],
      });
      const refused = await ann.post(path(id, 'answer'), answering('SQLite'));
      expect([refused.status, refused.json.code]).toEqual([409, 'ALREADY_SETTLED']);
      expect((await ann.get(path(id))).json.draft).toEqual(draftOf('mine'));
      events.close();
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'without its database: the last list with its age, no answer is stored, the draft is kept, and this machine works on',
    async () => {
      const { db, laptop } = fleet();
      const id = await askedAndLeft();
      const events = await ann.events();
      const fleetIn = () =>
        [...events.of('state'), ...events.of('change')].map(({ fleet: told }) => told).filter(Boolean);
      await db.stop();
      await until(() => fleetIn().at(-1)?.trouble != null);
      expect(Date.parse(fleetIn().at(-1).trouble.at)).not.toBeNaN();
      expect(await cardOf(id)).toMatchObject({ set: { machine: 'workstation', status: 'pending' } });
      expect((await ann.put(path(id, 'draft'), draftOf('kept'))).status).toBe(200);
      const refused = await ann.post(path(id, 'answer'), answering('SQLite'));
      expect([refused.status, refused.json.code]).toEqual([503, 'NOT_STORED']);
      expect((await ann.get(path(id))).json).toMatchObject({
        set: { status: 'pending' },
        draft: draftOf('kept'),
      });
      const own = (await laptop.aside(['ask', ASKED, '--no-wait'])).stdout.trim();
      await until(() =>
        events
          .of('change')
          .flatMap(({ cards }) => cards)
          .some(({ set }: Json) => set.sessionId === own),
      );
      expect((await ann.post(path(own, 'answer'), answering('SQLite'))).json.set.status).toBe('completed');
      await db.start();
      await until(() => fleetIn().at(-1)?.trouble === null);
      expect((await ann.post(path(id, 'answer'), answering('SQLite'))).json.set.onItsWay).toBeDefined();
      events.close();
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'that says it is one of this machine is not believed, and what it says is text',
    async () => {
      const { db, laptop } = fleet();
      const own = (await laptop.aside(['ask', ASKED, '--no-wait'])).stdout.trim();
      const foreign = await askedAndLeft();
      const other = '40000000-0000-4000-8000-000000000001';
      // The other one shows that both were read.
      for (const id of [own, other])
        await db.sql(
          `insert into holdfast.session
             select home, kind, $2, stamp, state, needs_person, is_ended, created_at, last_activity,
               jsonb_set(jsonb_set(summary, '{id}', to_jsonb($2::text)), '{questions,0,title}', '"\\u001b[2Jforged"')
             from holdfast.session where id = $1`,
          [foreign, id],
        );
      await db.sql("select pg_notify('hf_inbox', '')");
      await isShown(other);
      expect((await cardOf(other)).set).toMatchObject({ machine: 'workstation' });
      const shown = (await cards()).filter(({ set }) => set.sessionId === own);
      expect(shown).toHaveLength(1);
      expect(shown[0].set.machine).toBeUndefined();
      expect(shown[0].set.questions[0].title).not.toContain('forged');
      expect((await ann.post(path(own, 'answer'), answering('SQLite'))).json.set).toMatchObject({
        status: 'completed',
        actor: 'page:phone of ann',
      });
    },
  );
});
