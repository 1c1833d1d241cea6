import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { holdFleetLink } from '../../src/app/fleet/open-fleet.js';
import { ownRuns } from '../../src/app/fleet/own-runs.js';
import { openLoops } from '../../src/app/sessions/open-loops.js';
import { applyRunRequest } from '../../src/fleet/runs/apply-run-request.js';
import type { RequestRow } from '../../src/hub/index.js';
import { HANG, isGone } from '../support/detached-world.js';
import { type FleetMachines, fleetMachines } from '../support/fleet-machines.js';
import type { Json } from '../support/holdfast-binary.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const SENDER = '00000000-0000-4000-8000-0000000000ff';

describe.skipIf(POSTGRES === undefined)('a run of another machine', () => {
  let fleet: FleetMachines;
  let homeId: string;
  let run: string;
  let replaced: string;

  beforeAll(async () => {
    fleet = await fleetMachines([HANG]);
    const { db } = fleet;
    const [found] = await db.sql(
      "select id from holdfast.machine where name = 'workstation' and left_at is null",
    );
    homeId = String(found?.id);
    await db.sql(
      `insert into holdfast.machine (id, name, role, boot_id, version) values ($1, 'phone', 'owner', '', '')`,
      [SENDER],
    );
  });

  /** Each test has a working run of its own. */
  beforeEach(async () => {
    const started = await fleet.home.go(['--detach', '--json', '--attended', '--new']);
    replaced = run;
    run = JSON.parse(started.stdout).sessionId;
    await until(async () => (await row()) !== undefined);
    return async () => {
      for (const pid of fleet.home.runs()) {
        process.kill(pid, 'SIGKILL');
        await until(() => isGone(pid));
      }
    };
  });

  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
  });

  const row = async (): Promise<Json> => (await fleet.rowsElsewhere()).find(({ id }) => id === run);
  const path = (name: string) => join(fleet.home.project, '.prp-session', name);
  const requests = (): Json[] =>
    readFileSync(path('requests.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const starts = (): number =>
    readFileSync(join(fleet.home.env.HOLDFAST_HOME ?? '', 'state', 'runs', run, 'events.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"type":"run-start"')).length;
  const stateOf = async (id: string) =>
    (await fleet.db.sql('select state, reply from holdfast.request where id = $1', [id]))[0];
  const send = (id: string, kind: string, body: unknown = {}, session = run) =>
    fleet.db.sql('select holdfast.send($1, $2, $3, $4, $5, $6, $7)', [
      id,
      SENDER,
      homeId,
      'run',
      session,
      kind,
      JSON.stringify(body),
    ]);
  const asRow = (id: string, kind: string, body: unknown = {}): RequestRow => ({
    id,
    home: homeId,
    session_kind: 'run',
    session: run,
    kind,
    body,
    by: 'owner',
    machine: 'phone',
    at: '2026-01-01T00:00:00.000Z',
    state: 'taken',
    reply: null,
  });
  const noSign = () =>
    fleet.db.sql(
      "update holdfast.machine set seen_at = now() - interval '1 hour' where name = 'workstation' and left_at is null",
    );
  /** Ends the run like a power cut: nothing of ours is left on its machine. */
  const killRun = async () => {
    for (const pid of fleet.home.runs()) {
      process.kill(pid, 'SIGKILL');
      await until(() => isGone(pid));
    }
  };

  verifiesNeeding(
    'F02',
    { postgres: true },
    'is paused, guided, resumed and stopped from here, and started again when nobody runs it',
    async () => {
      const { home, away } = fleet;
      const id = run.slice(0, 8);
      const paused = await away.run(['pause', id, '--reason', 'I need the machine']);
      expect(paused).toMatchObject({ code: 0, stderr: '' });
      expect(paused.stdout.trim()).toBe('Arrived on workstation. Asked it to pause.');
      await until(() => home.state().status === 'paused');
      expect(home.state().pause_reason).toBe('I need the machine');
      await until(async () => (await row())?.status === 'paused');
      expect(requests()).toMatchObject([
        { kind: 'pause' },
        {
          kind: 'sender',
          actor: 'fleet:laptop/bob',
          appliedRequest: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ]);

      const guided = await away.asideJson(['guide', 'no new packages', id]);
      expect(guided.data).toMatchObject({ is: 'arrived', machine: 'workstation', run });
      const resumed = await away.aside(['resume', id]);
      expect(resumed.stdout).toContain('Arrived on workstation. Asked it to continue.');
      await until(() => home.state().status === 'running');
      await until(() => home.prompts().some(({ prompt }) => prompt.includes('no new packages')));
      expect((await away.aside(['resume', id, '--reset'])).code).toBe(2);

      expect((await away.aside(['stop', id])).stdout).toContain('Arrived on workstation');
      await until(() => home.runs().length === 0);
      expect(home.state().status).toBe('suspended');

      // The process that holds the link starts it the way it was started before.
      await using _link = holdFleetLink(fleet.servicesOf(home, fleet.homeUrl));
      await until(async () => (await row())?.status === 'suspended');
      const again = await away.aside(['resume', id]);
      expect(again.stdout).toContain('Arrived on workstation. Resumed in the background.');
      await until(() => starts() === 2);
      expect(home.runs()).toHaveLength(1);
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'whose machine is off is asked later: what is on its way is shown, taken back, or arrives',
    async () => {
      const { home, away } = fleet;
      await killRun();
      await noSign();
      const sent = await away.aside(['resume', run.slice(0, 8)]);
      expect(sent.stdout).toContain('On its way to workstation, which has not taken it yet.');
      const [, request = ''] = /take-back ([0-9a-f]{8})/.exec(sent.stdout) ?? [];
      expect(await row()).toMatchObject({
        onItsWay: { kind: 'resume', by: 'bob' },
        asOf: expect.any(String),
      });
      expect((await away.aside(['top', '--once'])).stdout).toContain('resume is on its way · no sign for 1');
      const back = await away.aside(['fleet', 'take-back', request]);
      expect(back.stdout).toContain(`Taken back; ${run.slice(0, 8)} stays as it is on workstation`);
      expect(await row()).not.toHaveProperty('onItsWay');
      await noSign();
      expect((await away.aside(['guide', 'mind the gap', run])).stdout).toContain('On its way');
      // The next command there passes it on; no other process of ours runs on that machine.
      await home.aside(['questions']);
      expect(requests()).toMatchObject([{ kind: 'guidance', text: 'mind the gap' }, { kind: 'sender' }]);
      expect((await away.aside(['fleet', 'status'])).stdout).toMatch(/^arrived: \S+ on workstation$/m);
      expect(home.runs()).toEqual([]);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'is asked once, however often a request comes: killed between applying and settling, or the database restored',
    async () => {
      const { home, db } = fleet;
      const services = fleet.servicesOf(home, fleet.homeUrl);
      const [guide, resume] = [
        '60000000-0000-4000-8000-000000000001',
        '60000000-0000-4000-8000-000000000002',
      ];
      const text = { text: 'say it once' };
      await killRun();
      await send(guide, 'guidance', text);
      // The link dies between applying it and telling the hub.
      expect(await applyRunRequest(ownRuns(services), asRow(guide, 'guidance', text))).toMatchObject({
        state: 'applied',
      });
      await send(resume, 'resume');
      // And here between noting that it should be resumed and starting it.
      await openLoops(services).request({ kind: 'resume' }, { appliedRequest: resume });
      expect(starts()).toBe(1);
      await using _link = holdFleetLink(services);
      await until(async () => (await stateOf(resume))?.state === 'applied');
      expect(await stateOf(guide)).toMatchObject({
        state: 'applied',
        reply: { message: expect.any(String) },
      });
      // It has started, and its process has taken the request: from now on that is done.
      await until(() => starts() === 2 && home.state().last_request === 2);
      expect(requests().filter(({ kind }) => kind !== 'sender')).toMatchObject([
        { kind: 'guidance' },
        { kind: 'resume' },
      ]);
      // The database is restored to a state before anything was settled, and in the meantime the run was killed again.
      await killRun();
      await db.sql("update holdfast.request set state = 'sent', reply = null where id = any($1)", [
        [guide, resume],
      ]);
      await db.sql("select pg_notify(holdfast.channel($1), '')", [homeId]);
      await until(async () => (await stateOf(resume))?.state === 'applied');
      expect((await stateOf(guide))?.state).toBe('applied');
      expect(requests().filter(({ kind }) => kind !== 'sender')).toHaveLength(2);
      expect(starts()).toBe(2);
      expect(home.runs()).toEqual([]);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'refuses what cannot be done with the reason, and nothing there changes',
    async () => {
      const { home, away } = fleet;
      await using _link = holdFleetLink(fleet.servicesOf(home, fleet.homeUrl));
      const before = readFileSync(path('loop-state.json'), 'utf8');
      const cases: [string, string, unknown, string][] = [
        ['70000000-0000-4000-8000-000000000001', 'stop', {}, '../../etc/passwd'],
        ['70000000-0000-4000-8000-000000000002', 'stop', {}, '99999999-0000-4000-8000-000000000000'],
        ['70000000-0000-4000-8000-000000000003', 'guidance', { text: 7 }, run],
        ['70000000-0000-4000-8000-000000000004', 'guidance', { text: 'x'.repeat(70_000) }, run],
        ['70000000-0000-4000-8000-000000000005', 'resume', { permissions: 'bypass' }, run],
        ['70000000-0000-4000-8000-000000000006', 'answer', { answers: [] }, run],
        ['70000000-0000-4000-8000-000000000007', 'pause', ['x'], 'loop'],
      ];
      for (const [request, kind, body, session] of cases) {
        await send(request, kind, body, session);
        await until(async () => (await stateOf(request))?.state === 'refused');
        expect((await stateOf(request))?.reply).toMatchObject({
          code: expect.any(String),
          message: expect.any(String),
        });
      }
      expect(readFileSync(path('loop-state.json'), 'utf8')).toBe(before);
      // A newer run has replaced it: it is not shown, and no request brings it back.
      const old = '70000000-0000-4000-8000-000000000008';
      await send(old, 'pause', {}, replaced);
      await until(async () => (await stateOf(old))?.state === 'refused');
      expect((await stateOf(old))?.reply).toMatchObject({
        message: 'A newer run of its project took its place.',
      });
      expect((await fleet.rowsElsewhere()).map(({ id }) => id)).toEqual([run]);
      await killRun();
      // A busy machine may take longer than the command waits; then the request is on its way, and the next command
      // learns its outcome.
      let late = '';
      await until(async () => {
        const { code, stderr } = await away.aside(['pause', run]);
        late = stderr;
        return code === 1;
      });
      expect(late).toContain('workstation refused: No process runs it; it can be resumed.');
    },
  );
});
