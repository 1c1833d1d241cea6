import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type DatabaseProxy, databaseProxy } from '../support/database-proxy.js';
import type { Json, Running } from '../support/holdfast-binary.js';
import { type FleetHome, filesOf, MovingWorld, say, write } from '../support/moving-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { living, until } from '../support/processes.js';
import { StoppingPlaces } from '../support/stopping-places.js';
import { verifies } from '../support/verifies.js';
import { webWorld } from '../support/web-world.js';

const SAYS = /cut off from the fleet since \d\d:\d\d:\d\d, ends at \d\d:\d\d:\d\d/;

describe.skipIf(POSTGRES === undefined)('a leased run whose machine is cut off from the database', () => {
  let world: MovingWorld;
  let proxy: DatabaseProxy;
  let places: StoppingPlaces;
  let laptop: FleetHome;
  let cloud: FleetHome;
  const workers: Running[] = [];

  beforeAll(async () => {
    world = await MovingWorld.open();
    proxy = await databaseProxy(world.db.port);
    places = new StoppingPlaces(world.dir.at('places'));
    laptop = await world.home('laptop', {}, proxy.through(world.db.url));
    cloud = await world.home('cloud');
  });
  afterEach(async () => {
    proxy.heal();
    await endWorkers();
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const here = () => ({ env: { HOLDFAST_FLEET_URL: proxy.through(world.db.url) } });
  const said = async (...words: string[]) => (await laptop.machine.run(words, here())).stdout;
  const status = async (run: string) => (await laptop.machine.json(['status', run], here())).data.loop;

  async function endWorkers(): Promise<void> {
    for (const worker of workers.splice(0)) {
      worker.child.kill('SIGTERM');
      await worker.ended;
    }
  }

  /** A run in its first turn, stopped at the gate `turn` with a file of its own. */
  async function atWork(leaseSeconds: number): Promise<{ id: string; run: string }> {
    laptop.machine.configure({ fleet: { leaseSeconds, bypass: true } });
    laptop.play([
      { steps: [write('one.txt', '1\n'), { run: places.gate('turn') }, say(false)] },
      { steps: [{ run: places.gate('next') }, write('last.txt', 'last\n'), say(true)] },
    ]);
    const id = await world.add(laptop, ['--permissions', 'bypass', '--verify', 'test -f last.txt']);
    workers.push(laptop.worker());
    const { run_id: run } = (await world.until(id, ({ run_id }) => run_id !== null)) as Json;
    await until(() => places.isAtGate('turn', run));
    return { id, run };
  }

  verifies(
    'F05',
    'says so everywhere, begins nothing new, and goes on with its own files in the same epoch when the database is back',
    async () => {
      const { id, run } = await atWork(120);
      proxy.refuse();
      await until(async () => SAYS.test(await said('status', run)));
      expect(await said('top', '--once')).toMatch(SAYS);
      expect(await said('status', '--all')).toMatch(SAYS);
      const { waitsFor } = await status(run);
      expect(waitsFor).toMatchObject({ kind: 'fleet', reason: expect.stringMatching(SAYS) });
      expect(Date.parse(waitsFor.until) - Date.parse(waitsFor.since)).toBeGreaterThan(80_000);
      await using page = await webWorld({ machine: laptop.machine });
      const { rows } = (await (await page.signIn()).get('/api/state')).json;
      expect(rows.find((row: Json) => row.id === run).why).toMatch(SAYS);
      // Its own queue is served. The fleet's entries cannot be seen from here, but can be from elsewhere.
      expect((await laptop.machine.run(['queue', 'list'], here())).stderr).toContain('is left out');
      await world.db.sql(
        "update holdfast.entry set renewed_at = renewed_at - interval '60 s' where id = $1",
        [id],
      );
      const listed = await cloud.machine.run(['queue', 'list'], {
        env: { HOLDFAST_FLEET_URL: world.db.url },
      });
      expect(listed.stdout).toMatch(/on laptop: no sign for 1:\d\d, will be taken over in [01]:\d\d/);
      // The iteration finishes, and no prompt is sent before another machine could continue from there.
      places.open('turn', run);
      await until(() => laptop.loop(run)?.in_flight?.iteration === 2);
      expect(await world.entry(id)).toMatchObject({ state: 'running', epoch: 1, checkpoints: 1 });
      expect(await said('status', run)).toMatch(SAYS);
      expect(places.isAtGate('next', run)).toBe(false);
      proxy.heal();
      await until(() => places.isAtGate('next', run));
      await until(async () => (await status(run)).waitsFor === null);
      expect(await said('top', '--once')).not.toMatch(SAYS);
      places.open('next', run);
      expect(await world.until(id, ({ state }) => state !== 'running')).toMatchObject({
        state: 'done',
        machine: 'laptop',
        epoch: 1,
      });
      expect(filesOf(laptop.worktree(run))).toMatchObject({ 'one.txt': '1\n', 'last.txt': 'last\n' });
      expect(laptop.loop(run)).toMatchObject({ total_agent_calls: 2, interrupted: null });
    },
  );

  verifies(
    'F05',
    'is ended with all its tools before anybody else may take it, and this machine goes on with its own files',
    async () => {
      const { id, run } = await atWork(10);
      const worktree = laptop.worktree(run);
      expect(existsSync(join(worktree, 'one.txt'))).toBe(true);
      // The run, its agent, and the tool that the agent waits for in a session of its own.
      const tree = () => [...living(run), ...living('gate=turn=')];
      expect(tree().length).toBeGreaterThan(0);
      proxy.refuse();
      await until(async () => SAYS.test(await said('status', run)));
      const [before] = await world.db.sql('select lease_until from holdfast.entry where id = $1', [id]);
      await until(() => tree().length === 0);
      const [at] = await world.db.sql('select clock_timestamp() < $1 as is_leased', [before?.lease_until]);
      expect(at).toEqual({ is_leased: true });
      expect(await said('status', run)).toContain('cut off from the fleet since');
      proxy.heal();
      await endWorkers();
      places.open('turn', run);
      places.open('next', run);
      workers.push(laptop.worker());
      expect(await world.until(id, ({ state }) => state !== 'running')).toMatchObject({
        state: 'done',
        machine: 'laptop',
        epoch: 2,
      });
      // What it had beyond its checkpoint is still there: nobody else had the run in the meantime.
      expect(laptop.worktree(run)).toBe(worktree);
      expect(filesOf(worktree)).toMatchObject({ 'one.txt': '1\n', 'last.txt': 'last\n' });
    },
  );
});
