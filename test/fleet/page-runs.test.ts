import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { HANG, isGone } from '../support/detached-world.js';
import { type FleetMachines, fleetMachines } from '../support/fleet-machines.js';
import type { Json } from '../support/holdfast-binary.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';
import { type WebBrowser, type WebWorld, webWorld } from '../support/web-world.js';

describe.skipIf(POSTGRES === undefined)('the page of one machine and a run of another', () => {
  let fleet: FleetMachines;
  let web: WebWorld;
  let bob: WebBrowser;
  let run: string;

  beforeAll(async () => {
    fleet = await fleetMachines([HANG]);
    web = await webWorld({ machine: fleet.away });
    bob = await web.signIn('steer', 'phone of bob');
  });
  /** Each test has a working run of its own. */
  beforeEach(async () => {
    const started = await fleet.home.go(['--detach', '--json', '--attended', '--new']);
    run = JSON.parse(started.stdout).sessionId;
    await until(async () => (await row()) !== undefined);
    return killRuns;
  });
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
  });

  const row = async (): Promise<Json> =>
    (await bob.get('/api/state')).json.rows.find(({ id }: Json) => id === run);
  const steer = (request: unknown, by = bob) => by.post(`/api/runs/${run}/request`, request);
  const takeBack = () => bob.post(`/api/runs/${run}/take-back`, {});
  /** Like a power cut: nothing of ours is left on its machine, which has given no sign for an hour. */
  async function killRuns(): Promise<void> {
    for (const pid of fleet.home.runs()) {
      process.kill(pid, 'SIGKILL');
      await until(() => isGone(pid));
    }
    await fleet.db.sql(
      "update holdfast.machine set seen_at = now() - interval '1 hour' where name = 'workstation' and left_at is null",
    );
  }

  verifiesNeeding(
    'F02',
    { postgres: true },
    'shows it with its machine and what can be seen of it, and pauses, guides and stops it there',
    async () => {
      expect(await row()).toMatchObject({ kind: 'run', machine: 'workstation', status: 'running' });
      const shown = await bob.get(`/api/runs/${run}`);
      expect(shown.json).toMatchObject({
        id: run,
        machine: 'workstation',
        hasJournal: false,
        row: { machine: 'workstation' },
      });
      const answerer = await web.signIn('answer');
      expect((await steer({ kind: 'pause' }, answerer)).status).toBe(403);
      const paused = await steer({ kind: 'pause' });
      expect([paused.status, paused.json]).toEqual([
        200,
        { isDone: true, words: 'Arrived on workstation. Asked it to pause.' },
      ]);
      expect((await steer({ kind: 'guidance', text: 'use tabs' })).json.words).toMatch(
        /^Arrived on workstation/,
      );
      expect((await steer({ kind: 'stop' })).json.words).toMatch(/^Arrived on workstation/);
      await until(() => fleet.home.runs().length === 0);
      expect((await bob.get('/api/runs/00000000-0000-4000-8000-000000000000')).status).toBe(404);
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'whose machine is off: what is asked is on its way, is shown so, and can be taken back',
    async () => {
      await killRuns();
      const sent = await steer({ kind: 'resume' });
      expect([sent.status, sent.json.words]).toEqual([
        200,
        'On its way to workstation, which has not taken it yet.',
      ]);
      await until(async () => (await row())?.onItsWay !== undefined);
      expect((await row()).onItsWay).toMatchObject({ kind: 'resume', by: 'bob' });
      expect((await row()).asOf).toBeDefined();
      const answerer = await web.signIn('answer');
      expect((await answerer.post(`/api/runs/${run}/take-back`, {})).status).toBe(403);
      expect((await takeBack()).json).toEqual({ isDone: true, words: 'Taken back.' });
      await until(async () => (await row())?.onItsWay === undefined);
      expect((await takeBack()).json).toEqual({ isDone: false, words: 'Nothing is on its way.' });
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'without its database: the row stays with its age, and nothing that is asked is stored',
    async () => {
      await fleet.db.stop();
      await until(async () => (await row())?.asOf !== undefined);
      expect((await bob.get(`/api/runs/${run}`)).json).toMatchObject({ machine: 'workstation' });
      const refused = await steer({ kind: 'pause' });
      expect([refused.status, refused.json.code]).toEqual([503, 'NOT_STORED']);
      await fleet.db.start();
      await until(async () => (await row())?.asOf === undefined);
      expect((await steer({ kind: 'pause' })).json.words).toMatch(/^Arrived on workstation/);
    },
  );
});
