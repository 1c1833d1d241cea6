import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { holdFleetLink, openFleet } from '../../src/app/fleet/open-fleet.js';
import { Door, type LinkState, SentRequests } from '../../src/fleet/index.js';
import { silentLogger, systemClock } from '../../src/foundation/index.js';
import { MIGRATIONS, migrate, parseAddress } from '../../src/hub/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { FakeClock } from '../support/fake-clock.js';
import {
  choosing,
  type FleetWorld,
  fleetWorld,
  inboxOf,
  linked,
  type Member,
} from '../support/fleet-world.js';
import { unprivileged } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { RecordingLog } from '../support/recording-log.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

describe.skipIf(POSTGRES === undefined)('what can be wrong with a fleet', () => {
  let world: FleetWorld;
  let home: Member;
  let person: Member;

  beforeAll(async () => {
    world = await fleetWorld();
    home = await world.member('home');
    person = await world.member('person');
  });

  afterAll(() => world?.[Symbol.asyncDispose]());

  const sentBy = ({ services }: Member) =>
    new SentRequests(services.tools, services.config.layout.fleet).list();
  const cutAll = () =>
    world.db.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast' and pid <> pg_backend_pid()",
    );
  const isMirrored = async (id: string) =>
    (await world.db.sql('select 1 from holdfast.session where id = $1 and gone_at is null', [id])).length ===
    1;
  const quiet = (member: Member) =>
    world.db.sql("update holdfast.machine set seen_at = now() - interval '1 hour' where id = $1", [
      member.id,
    ]);

  /** Local work continues whatever the fleet says. */
  async function assertWorksAlone(member: Member, url: string, complaint: RegExp): Promise<void> {
    const { id } = await member.ask();
    const listed = await member.start(['questions'], { url }).ended;
    expect(listed.stdout).toContain(id.slice(0, 8));
    expect(listed.stderr).toMatch(complaint);
    const answered = await member.start(['answer', id, 'A'], { url }).ended;
    expect(answered.code).toBe(0);
  }

  verifiesNeeding(
    'F01',
    { postgres: true },
    'a password that is wrong, or a role without rights, is told with the way out',
    async () => {
      const wrong = world.db.urlOf('owner', 'not it');
      await assertWorksAlone(person, wrong, /left out: .*password authentication failed/);
      const examined = await person.start(['fleet', 'doctor'], { url: wrong }).ended;
      expect(examined.code).toBe(1);
      expect(examined.stdout).toContain('fleet.urlFile');
      await world.db.sql("create role looker login password 'x' in role holdfast_viewer");
      const looker = world.db.urlOf('looker', 'x');
      const joined = await person.start(['fleet', 'join', '--name', 'other'], { url: looker }).ended;
      expect(joined.code).toBe(1);
      expect(joined.stderr).toContain('permission denied');
      expect(joined.stderr).toContain('holdfast fleet invite');
      // Such a role may look at another person's machine, but no answer of it is kept anywhere.
      const { id } = await home.ask();
      await home.pass();
      const answered = await person.start(['answer', id, 'A'], { url: looker }).ended;
      expect(answered.code).toBe(1);
      expect(answered.stderr).toMatch(/refused/);
      expect(sentBy(person)).toEqual([]);
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'migrated while machines of the version before are connected they work on; one that is too old is told to update',
    async () => {
      await using link = await linked(home);
      await using door = doorTo(world.db.url);
      const next = MIGRATIONS.length + 1;
      const steps = await migrate((await door.open()).connection, [
        ...MIGRATIONS,
        { n: next, sql: 'alter table holdfast.session add column later text' },
      ]);
      expect(steps).toEqual([next]);
      const { id } = await home.ask();
      await until(() => isMirrored(id));
      await using inbox = await inboxOf(person);
      expect((await inbox.questions.answer(id, choosing('A'))).outcome.status).toBe('completed');
      expect(link.states.map(({ is }) => is)).toEqual(['up']);
      expect((await person.start(['fleet', 'doctor']).ended).stdout).toContain(`version ${next}`);
      // The next release removes something and says so.
      await world.db.sql('update holdfast.fleet set min_client = 99');
      await cutAll();
      await until(() =>
        link.states.some((state) => state.is === 'down' && state.reason.includes('newer Holdfast')),
      );
      await assertWorksAlone(person, world.db.url, /left out: .*requires a newer Holdfast/);
      const examined = await person.start(['fleet', 'doctor']).ended;
      expect(examined.code).toBe(1);
      expect(examined.stdout).toContain('Update Holdfast');
      await world.db.sql('update holdfast.fleet set min_client = 1, version = 0');
      expect((await person.start(['fleet', 'doctor']).ended).stdout).toContain('fleet migrate');
      await world.db.sql('update holdfast.fleet set version = $1', [next]);
      await until(() => link.states.at(-1)?.is === 'up');
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'a database that is read-only stores nothing and says so; it is asked less and less often, and all is well when it is not',
    async () => {
      const clock = new FakeClock({ now: new Date().toISOString() });
      const slow = await world.member('slow', { clock });
      const { id } = await slow.ask();
      await using link = await linked(slow);
      await until(() => isMirrored(id));
      await world.db.sql('alter database holdfast set default_transaction_read_only = on', [], 'postgres');
      try {
        await cutAll();
        const slept: number[] = [];
        await until(async () => {
          await clock.untilAsleep();
          const { length } = link.states;
          slept.push(clock.slept.at(-1) ?? 0);
          clock.advance(30_000);
          await until(() => link.states.length > length || clock.sleepers > 0);
          return link.states.length > 6;
        });
        expect(link.states.at(-1)).toMatchObject({
          is: 'down',
          reason: expect.stringContaining('read-only'),
        });
        // 0.5 s, 1 s, 2 s …: a refusal counts like a server that cannot be reached.
        expect(Math.max(...slept)).toBeGreaterThanOrEqual(8_000);
        const inbox = await inboxOf(person);
        await expect(inbox.questions.answer(id, choosing('A'))).rejects.toMatchObject({
          code: 'NOT_STORED',
          message: expect.stringContaining('read-only'),
        });
        await inbox[Symbol.asyncDispose]();
        expect(sentBy(person)).toEqual([]);
        expect(await world.requestsOf(id)).toEqual([]);
      } finally {
        await world.db.sql('alter database holdfast set default_transaction_read_only = off', [], 'postgres');
        await cutAll();
      }
      await until(() => {
        clock.advance(30_000);
        return link.states.at(-1)?.is === 'up';
      });
      await using inbox = await inboxOf(person);
      expect((await inbox.questions.answer(id, choosing('A'))).outcome.status).toBe('completed');
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true, root: true, mount: true },
    'a database without room stores nothing and says so, and goes on when there is room again',
    async () => {
      const place = world.dir.at('small');
      mkdirSync(place);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k,mode=700', 'small', place]);
      try {
        const { uid, gid } = unprivileged();
        if (uid !== undefined) chownSync(place, uid, gid ?? uid);
        execFileSync('chmod', ['755', world.dir.path]);
        await world.db.sql(`create tablespace small location '${place}'`);
        await world.db.sql('alter table holdfast.request set tablespace small');
        await using _link = await linked(home);
        const { id } = await home.ask();
        await until(() => isMirrored(id));
        const { length } = sentBy(person);
        await using inbox = await inboxOf(person);
        const text = randomBytes(180_000).toString('base64');
        const long = { questionIndex: 0, customText: text };
        await expect(inbox.questions.answer(id, [long])).rejects.toMatchObject({
          code: 'NOT_STORED',
          message: expect.stringContaining('No space left'),
        });
        expect(sentBy(person)).toHaveLength(length);
        expect((await home.services.questions.get(id)).outcome).toEqual({ status: 'pending' });
        execFileSync('mount', ['-o', 'remount,size=64m', place]);
        expect((await inbox.questions.answer(id, [long])).outcome).toMatchObject({ answers: [long] });
      } finally {
        await world.db.sql('alter table holdfast.request set tablespace pg_default');
        await world.db.sql('checkpoint');
        await world.db.sql('drop tablespace if exists small');
        execFileSync('umount', ['-l', place]);
      }
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'gone for an hour: it is looked for every 5 seconds, and what was asked and answered meanwhile is there afterwards',
    async () => {
      const clock = new FakeClock({ now: new Date().toISOString() });
      const log = new RecordingLog();
      const patient = await world.member('patient', { clock, log });
      const before = await patient.ask();
      await using link = await linked(patient);
      await until(() => isMirrored(before.id));
      await world.db.stop('SIGQUIT');
      let goneMs = 0;
      let attempts = 0;
      // The link first sleeps for a moment after the cut; then it says after each attempt when the next one is.
      await clock.untilAsleep();
      clock.advance(1_000);
      while (goneMs < 600_000) {
        await until(() => log.named('fleet.link-down').length > attempts);
        const pauseMs = Number(log.named('fleet.link-down')[attempts]?.fields.retryMs);
        await clock.untilAsleep();
        clock.advance(pauseMs);
        goneMs += pauseMs;
        attempts += 1;
        expect(pauseMs).toBeLessThanOrEqual(5_000);
      }
      expect(attempts).toBeLessThan(160);
      clock.advance(3_000_000);
      const during = await patient.ask();
      await patient.services.questions.answer(before.id, choosing('B'));
      await world.db.start();
      await until(() => {
        clock.advance(30_000);
        return link.states.at(-1)?.is === 'up';
      });
      await until(() => isMirrored(during.id));
      await using inbox = await inboxOf(person);
      await expect(inbox.questions.answer(before.id, choosing('A'))).rejects.toMatchObject({
        code: 'ALREADY_SETTLED',
      });
      expect((await inbox.questions.answer(during.id, choosing('A'))).outcome.status).toBe('completed');
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'a home that was copied: whoever started last has the identity, the other says so, and joins as a machine of its own',
    async () => {
      const original = await world.member('original');
      const asked = await original.ask();
      const clock = new FakeClock({ now: new Date().toISOString() });
      const services = world.services('original', { clock });
      await using link = await linked({ services });
      await until(() => isMirrored(asked.id));
      cpSync(original.env.HOLDFAST_HOME ?? '', world.dir.at('copy'), { recursive: true });
      const same = world.services('copy');
      const { identity } = same.tools;
      const copy = { ...same, tools: { ...same.tools, identity: { ...identity, bootId: 'another boot' } } };
      const states: LinkState[] = [];
      const other = holdFleetLink(copy, (state) => states.push(state));
      await until(() => states.at(-1)?.is === 'up');
      await until(() => {
        clock.advance(5_000);
        return link.states.at(-1)?.is === 'down';
      });
      expect(link.states.at(-1)).toMatchObject({ reason: expect.stringContaining('with the same id') });
      const finding = (await openFleet(services).doctor()).find(({ what }) => what === 'machine');
      expect(finding).toMatchObject({ is: 'warn', hint: expect.stringContaining('--as-new') });
      await other?.[Symbol.asyncDispose]();
      await openFleet(copy).join(parseAddress(world.db.url), 'copy', { isNew: true });
      await using _copy = await linked({ services: copy });
      await quiet(original);
      await until(() => {
        clock.advance(30_000);
        return link.states.at(-1)?.is === 'up';
      });
      // Each has its own set again, under its own name.
      const names = async () =>
        (
          await world.db.sql(
            'select m.name from holdfast.session s join holdfast.machine m on m.id = s.home where s.id = $1 and s.gone_at is null order by 1',
            [asked.id],
          )
        ).map(({ name }) => name);
      await until(async () => (await names()).join() === 'copy,original');
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'a set that the hub does not take keeps no other from being seen',
    async () => {
      const odd = await world.member('odd');
      const first = await odd.ask();
      const strange = await odd.ask();
      const path = join(odd.services.config.layout.questions, strange.id, 'request.json');
      const request = JSON.parse(readFileSync(path, 'utf8'));
      // PostgreSQL knows no year 0, but a file that somebody else writes may contain one.
      writeFileSync(path, JSON.stringify({ ...request, timestamp: '0000-01-01T00:00:00.000Z' }));
      await using link = await linked(odd);
      const last = await odd.ask();
      await until(async () => (await isMirrored(first.id)) && (await isMirrored(last.id)));
      expect(link.states.map(({ is }) => is)).toEqual(['up']);
      expect(await isMirrored(strange.id)).toBe(false);
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'what was sent and lost is sent again by the link that is up; what cannot be is told as refused; what was never stored can be taken back',
    async () => {
      const clock = new FakeClock({ now: new Date().toISOString() });
      const sender = await world.member('sender', { clock });
      await using link = await linked(sender);
      const sent = new SentRequests(sender.services.tools, sender.services.config.layout.fleet);
      const [lost, raced, unwanted] = await Promise.all([home.ask(), home.ask(), home.ask()]);
      await home.pass();
      await quiet(home);
      const copyOf = (session: string) => ({
        id: randomUUID(),
        home: home.id,
        machine: 'home',
        sessionKind: 'question' as const,
        session,
        kind: 'answer',
        body: { answers: choosing('A') },
        at: new Date().toISOString(),
      });
      // As left behind by a process that was killed before it could send them.
      const [first, second, third] = [copyOf(lost.id), copyOf(raced.id), copyOf(unwanted.id)];
      sent.keep(third);
      const back = await openFleet(world.services('sender')).takeBack(third.id.slice(0, 8));
      expect(back).toMatchObject({ isBack: true, session: unwanted.id });
      const inbox = await inboxOf(person);
      expect((await inbox.questions.answer(raced.id, choosing('B'))).onItsWay).toBeDefined();
      await inbox[Symbol.asyncDispose]();
      sent.keep(first);
      sent.keep(second);
      await until(async () => {
        clock.advance(5_000);
        return (await world.requestsOf(lost.id)).length === 1 && sent.list().some(({ refusal }) => refusal);
      });
      expect(await world.requestsOf(unwanted.id)).toMatchObject([{ state: 'withdrawn' }]);
      await home.pass();
      const report = await openFleet(world.services('sender')).status();
      expect(report.onItsWay).toEqual([]);
      expect(Object.fromEntries(report.settled.map(({ session, state }) => [session, state]))).toEqual({
        [lost.id]: 'applied',
        [raced.id]: 'refused',
      });
      expect((await home.services.questions.get(raced.id)).outcome).toMatchObject({ answers: choosing('B') });
      expect((await home.services.questions.get(unwanted.id)).outcome).toEqual({ status: 'pending' });
      expect(link.states.map(({ is }) => is)).toEqual(['up']);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'more requests than fit one look are all applied in one',
    async () => {
      const busy = await world.member('busy');
      const sets = await Promise.all(Array.from({ length: 120 }, () => busy.ask()));
      await busy.pass();
      for (const { id } of sets)
        await world.db.sql('select holdfast.send($1, $2, $3, $4, $5, $6, $7)', [
          randomUUID(),
          person.id,
          busy.id,
          'question',
          id,
          'answer',
          JSON.stringify({ answers: choosing('A') }),
        ]);
      await busy.pass();
      const views = await busy.services.questions.listLive();
      expect(views.filter(({ outcome }) => outcome.status !== 'completed')).toEqual([]);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'two parts of a program that need the hub at once share one connection',
    async () => {
      const url = world.db.url;
      const count = async () =>
        Number(
          (
            await world.db.sql(
              "select count(*) as n from pg_stat_activity where application_name = 'holdfast'",
            )
          )[0]?.n,
        );
      const before = await count();
      await using door = doorTo(url);
      const hubs = await Promise.all([door.open(), door.open(), door.open()]);
      expect(new Set(hubs).size).toBe(1);
      expect(await count()).toBe(before + 1);
    },
  );

  function doorTo(url: string): Door {
    return new Door({
      address: parseAddress(url),
      passwordFile: world.dir.at('none'),
      fileSystem: nodeFileSystem,
      clock: systemClock,
      log: silentLogger,
    });
  }
});
