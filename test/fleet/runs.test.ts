import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openFleetQuestions } from '../../src/app/fleet/open-fleet.js';
import { ownRuns } from '../../src/app/fleet/own-runs.js';
import { openOverview } from '../../src/app/overview/open-overview.js';
import { Mirror } from '../../src/fleet/link/mirror.js';
import { RunMirror } from '../../src/fleet/runs/own-runs.js';
import { silentLogger, systemClock } from '../../src/foundation/index.js';
import { connect, Hub, parseAddress } from '../../src/hub/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { HANG } from '../support/detached-world.js';
import { type FleetMachines, fleetMachines } from '../support/fleet-machines.js';
import type { Json, Running } from '../support/holdfast-binary.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

/** A hub that counts how often something was sent. */
class CountingHub extends Hub {
  sent = 0;

  override mirror(...args: Parameters<Hub['mirror']>): Promise<void> {
    this.sent += 1;
    return super.mirror(...args);
  }
}

async function countingHub(url: string): Promise<CountingHub> {
  const address = parseAddress(url);
  return new CountingHub(
    await connect({
      address,
      passwordFor: () => address.password,
      fileSystem: nodeFileSystem,
      clock: systemClock,
      log: silentLogger,
    }),
  );
}

const EVE = '00000000-0000-4000-8000-0000000000ee';

describe.skipIf(POSTGRES === undefined)('the runs of every machine', () => {
  let fleet: FleetMachines;
  let service: Running;
  let run: string;

  beforeAll(async () => {
    fleet = await fleetMachines([HANG]);
    const { home } = fleet;
    const started = await home.go(['--detach', '--json', '--attended']);
    run = JSON.parse(started.stdout).sessionId;
    service = home.start(['worker', '--slots', '0']);
    await until(async () => (await fleet.rowsElsewhere()).length === 1);
  });

  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
  });

  /** A row that somebody puts into the mirror for their own machine. */
  const plant = (id: string, summary: unknown, of = id) =>
    fleet.db.sql(
      `insert into holdfast.session (home, kind, id, stamp, state, needs_person, is_ended, created_at, last_activity, summary)
       values ($1, 'run', $2, 'x', 'running', false, false, now(), now(), $3)`,
      [EVE, of, JSON.stringify(summary)],
    );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'a run on one machine is in top, status --all and fleet status of another, with its machine',
    async () => {
      const { away, home } = fleet;
      const [row] = await fleet.rowsElsewhere();
      expect(row).toMatchObject({
        id: run,
        kind: 'run',
        machine: 'workstation',
        project: home.project,
        title: 'docs/prps/adder.md',
        agent: 'player',
        group: 'works',
        status: 'running',
        isRunning: true,
        question: null,
      });
      expect(row).not.toHaveProperty('asOf');
      const [top, all, one, status] = await Promise.all([
        away.run(['top', '--once']),
        away.json(['status', '--all']),
        away.json(['status', run.slice(0, 8)]),
        away.json(['fleet', 'status']),
      ]);
      expect(top.stdout).toMatch(/^MACHINE\s+PROJECT/m);
      expect(top.stdout).toMatch(/^workstation\s+\S.*adder/m);
      expect(all.data).toMatchObject([{ id: run, machine: 'workstation' }]);
      expect(one.data).toMatchObject({ found: true, machine: 'workstation', run: { id: run } });
      expect(status.data.machines).toMatchObject([
        { name: 'laptop', running: 0, isThis: true },
        { name: 'workstation', running: 1, resting: 0, costUsd: expect.any(Number) },
      ]);
      const printed = await away.aside(['fleet', 'status']);
      expect(printed.stdout).toMatch(/^workstation +ann +\S+ +up +0 +1 +0 +\$/m);
      expect(printed.stdout).toMatch(/^workstation +\S.* adder +player/m);
      // At home it is a run of this machine, and nothing more.
      const here = (await home.asideJson(['top', '--once'])).data;
      expect(here.filter(({ kind }: Json) => kind === 'run')).toMatchObject([{ id: run }]);
      expect(here[0]).not.toHaveProperty('machine');
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'fleet status --watch is shown again when something changes anywhere',
    async () => {
      const { away, home } = fleet;
      const watching = away.start(['fleet', 'status', '--watch', '--json']);
      await watching.printed('stdout', /"running":1/);
      await home.aside(['pause', run]);
      await watching.printed('stdout', /"resting":1/);
      await home.aside(['resume', run]);
      await until(() => home.state().status === 'running');
      watching.child.kill('SIGINT');
      expect((await watching.ended).code).toBe(130);
      await until(async () => (await fleet.rowsElsewhere())[0]?.status === 'running');
    },
  );

  verifiesNeeding(
    'O03',
    { postgres: true },
    'what a run of another machine says is not mirrored, and attach and logs say where it is',
    async () => {
      const { away, db } = fleet;
      for (const command of ['attach', 'logs']) {
        const { code, stderr } = await away.aside([command, run.slice(0, 8)]);
        expect(code).toBe(3);
        expect(stderr).toContain('is on workstation: its line-by-line output stays there');
        expect(stderr).toContain(`holdfast status ${run.slice(0, 8)}`);
      }
      const [row] = await db.sql("select summary::text as text from holdfast.session where kind = 'run'");
      expect(row?.text).not.toContain('I work.');
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'a question on another machine is in its run, counted as waiting, and answered from top',
    async () => {
      const { home, away } = fleet;
      const set = await fleet
        .servicesOf(home, fleet.homeUrl)
        .questions.create([{ title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }], {
          asker: { agent: 'player', session: run },
        });
      await until(async () => (await fleet.rowsElsewhere())[0]?.group === 'asks');
      expect((await fleet.rowsElsewhere())[0]).toMatchObject({
        kind: 'run',
        question: { id: set.id, prompt: 'Which?' },
      });
      expect((await away.aside(['waiting', '--count'])).stdout.trim()).toBe('1');
      await using open = await openFleetQuestions(fleet.servicesOf(away, fleet.awayUrl));
      await open?.questions.as('top').answer(set.id, [{ questionIndex: 0, selectedOption: 'B' }]);
      expect(home.readFile(set.id, 'answers.json').answers).toMatchObject([{ selectedOption: 'B' }]);
      expect((await fleet.rowsElsewhere())[0]).toMatchObject({ group: 'works', question: null });
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'hostile rows change nothing: what has no form is left out, and the rest is shown encoded',
    async () => {
      const { db, away } = fleet;
      await db.sql(
        `insert into holdfast.machine (id, name, role, boot_id, version) values ($1, 'eve', 'bob', '', '')`,
        [EVE],
      );
      const [{ summary } = { summary: {} }] = await db.sql(
        "select summary from holdfast.session where kind = 'run' and id = $1",
        [run],
      );
      const good = summary as Record<string, unknown>;
      const own = randomUUID();
      const shown = {
        ...good,
        id: own,
        title: 'a\u001b[31mb\u202e/../../etc/passwd',
        why: '\u0007\r\nforged line',
        project: '/home/\u001b]0;x\u0007',
      };
      await plant(own, shown);
      for (const bad of [
        { id: run },
        { tests: 'many' },
        { group: 'asks' },
        { cost: { usd: 1e300, source: 'reported' } },
        { startedAt: 'yesterday' },
        { title: 'x'.repeat(1_000_000) },
        { isRunning: 'yes' },
      ]) {
        const id = randomUUID();
        await plant(id, { ...good, id, ...bad });
      }
      await plant('../../x', { ...good, id: '../../x' });
      // Somebody else's run, presented as their own.
      await plant(run, good);
      const rows = await fleet.rowsElsewhere();
      expect(rows.map(({ machine, id }: Json) => [machine, id]).sort()).toEqual(
        [
          ['eve', own],
          ['eve', run],
          ['workstation', run],
        ].sort(),
      );
      // Its home knows whose it is.
      const atHome = (await fleet.home.asideJson(['top', '--once'])).data.filter(
        ({ id }: Json) => id === run,
      );
      expect(atHome).toEqual([expect.not.objectContaining({ machine: expect.anything() })]);
      const { stdout } = await away.aside(['top', '--once']);
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f\u202e]/);
      expect(stdout).not.toMatch(/^forged line/m);
      // No request goes to the first one found.
      const both = await away.aside(['pause', run]);
      expect(both).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('both say that this run is theirs'),
      });
      await db.sql('delete from holdfast.session where home = $1', [EVE]);
      await db.sql('delete from holdfast.machine where id = $1', [EVE]);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'without its database a machine has its own rows at once and the last of the others, with their age',
    async () => {
      const { away, awayUrl, db, home } = fleet;
      const services = fleet.servicesOf(away, awayUrl);
      await using open = await openFleetQuestions(services, { timeoutMs: 2_000 });
      const elsewhere = open?.elsewhere;
      await elsewhere?.refresh();
      using overview = openOverview(services, elsewhere);
      const set = await services.questions.create([
        { title: 'Own', prompt: 'Here?', options: [{ label: 'A' }, { label: 'B' }] },
      ]);
      await db.stop('SIGQUIT');
      await elsewhere?.refresh();
      expect(elsewhere?.trouble).toMatchObject({ reason: expect.any(String), at: expect.any(Date) });
      const rows = await overview.read();
      expect(rows.find(({ machine }) => machine === 'workstation')).toMatchObject({
        id: run,
        asOf: expect.any(String),
      });
      expect(rows.find(({ id }) => id === set.id)).toMatchObject({ kind: 'question' });
      const printed = await away.aside(['top', '--once', '--json']);
      expect(JSON.parse(printed.stdout)).toMatchObject([{ id: set.id }]);
      expect(printed.stderr.match(/Other machines are left out/g)).toHaveLength(1);
      // What was asked of a run elsewhere was not stored, and the command says so.
      const paused = await away.aside(['pause', run]);
      expect(paused.code).toBe(4);
      expect(paused.stderr).toContain('Other machines are left out');
      await db.start();
      await services.questions.reject(set.id);
      await until(async () => (await fleet.rowsElsewhere()).length === 1);
      expect(home.state().status).toBe('running');
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'only what changed goes up, and what was deleted at home is a tombstone',
    async () => {
      const { db, home, homeUrl } = fleet;
      const version = async () =>
        (
          await db.sql(
            "select xmin::text as x, gone_at from holdfast.session where kind = 'run' and id = $1",
            [run],
          )
        )[0];
      const services = fleet.servicesOf(home, homeUrl);
      const hub = await countingHub(homeUrl);
      const [{ id } = { id: '' }] = await db.sql(
        "select id from holdfast.machine where name = 'workstation' and left_at is null",
      );
      const mirror = new Mirror(String(id), 'run', { clock: services.clock, log: silentLogger });
      const runs = new RunMirror(ownRuns(services), mirror);
      await mirror.load(hub);
      const before = await version();
      await runs.sendAll(hub);
      await home.aside(['guide', 'be careful', run]);
      await runs.sendChanged(hub);
      expect(hub.sent).toBe(0);
      expect(await version()).toEqual(before);
      await hub.connection.close();
      const [pid] = home.runs();
      await home.stop(pid ?? 0);
      await until(async () => (await fleet.rowsElsewhere())[0]?.status === 'suspended');
      rmSync(join(home.project, '.prp-session'), { recursive: true });
      await until(async () => (await fleet.rowsElsewhere()).length === 0);
      expect((await version())?.gone_at).toBeInstanceOf(Date);
      service.child.kill('SIGTERM');
      expect((await service.ended).code).toBe(0);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'the mirror forgets after a year, and the files do not',
    async () => {
      const { db } = fleet;
      const [{ id: machine } = { id: '' }] = await db.sql(
        "select id from holdfast.machine where name = 'workstation' and left_at is null",
      );
      const put = (id: string, age: string, isEnded: boolean) =>
        db.sql(
          `insert into holdfast.session (home, kind, id, stamp, state, needs_person, is_ended, created_at, last_activity, summary)
         values ($1, 'question', $2, 'x', 'x', false, $3, now() - $4::interval, now() - $4::interval, '{}')`,
          [machine, id, isEnded, age],
        );
      await put('old', '2 years', true);
      await put('young', '300 days', true);
      await put('open', '2 years', false);
      await db.sql(
        "insert into holdfast.audit (at, what, subject) values (now() - interval '2 years', 'x', 'old')",
      );
      const kept = async () =>
        (
          await db.sql("select id from holdfast.session where kind = 'question' and stamp = 'x' order by id")
        ).map(({ id }) => id);
      // This morning's link has tidied already: once a day is enough.
      await db.sql('select holdfast.tidy()');
      expect(await kept()).toEqual(['old', 'open', 'young']);
      await db.sql("update holdfast.fleet set tidied_at = now() - interval '25 hours'");
      await db.sql('select holdfast.tidy()');
      expect(await kept()).toEqual(['open', 'young']);
      expect(await db.sql("select 1 from holdfast.audit where subject = 'old'")).toEqual([]);
    },
  );
});
