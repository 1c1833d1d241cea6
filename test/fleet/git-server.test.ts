import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { Json, Running } from '../support/holdfast-binary.js';
import { type FleetHome, filesOf, MovingWorld, say, write } from '../support/moving-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { StoppingPlaces } from '../support/stopping-places.js';
import { verifies } from '../support/verifies.js';

const AWAY = /the git server cannot be reached since \d\d:\d\d:\d\d/;

describe.skipIf(POSTGRES === undefined)('the git server of a leased run', () => {
  let world: MovingWorld;
  let places: StoppingPlaces;
  let laptop: FleetHome;
  let cloud: FleetHome;
  const workers: Running[] = [];
  const SETTINGS = { leaseSeconds: 60, bypass: true };
  const ARGS = ['--permissions', 'bypass', '--verify', 'test -f last.txt'];

  beforeAll(async () => {
    world = await MovingWorld.open();
    places = new StoppingPlaces(world.dir.at('places'));
    laptop = await world.home('laptop', { fleet: SETTINGS });
    cloud = await world.home('cloud', { fleet: SETTINGS });
    const turns = [
      { steps: [write('one.txt', '1\n'), { run: places.gate('turn') }, say(false)] },
      {
        steps: [
          write('two.txt', '2\n'),
          { run: places.gate('next') },
          write('last.txt', 'last\n'),
          say(true),
        ],
      },
    ];
    laptop.play(turns);
    cloud.play([{ steps: [write('last.txt', 'last\n'), say(true)] }]);
  });
  afterEach(endWorkers);
  afterAll(() => world?.[Symbol.asyncDispose]());

  const env = () => ({ HOLDFAST_FLEET_URL: world.db.url });
  const work = (home: FleetHome) => void workers.push(home.worker());
  const runOf = async (id: string): Promise<string> =>
    ((await world.until(id, ({ run_id }) => run_id !== null)) as Json).run_id;
  const refs = () => world.git(world.remote, 'for-each-ref', '--format=%(refname)').split('\n');
  const status = async (run: string) => (await laptop.machine.run(['status', run], { env: env() })).stdout;

  async function endWorkers(): Promise<void> {
    for (const worker of workers.splice(0)) {
      worker.child.kill('SIGTERM');
      await worker.ended;
    }
  }

  /** A server that accepts branches and nothing else. */
  function refuseOwnRefs(): Disposable {
    const hook = join(world.remote, 'hooks', 'update');
    mkdirSync(join(world.remote, 'hooks'), { recursive: true });
    writeFileSync(
      hook,
      '#!/bin/sh\ncase "$1" in refs/heads/*) exit 0 ;; esac\necho only branches >&2\nexit 1\n',
    );
    chmodSync(hook, 0o755);
    return { [Symbol.dispose]: () => rmSync(hook) };
  }

  verifies(
    'F05',
    'that is away at a checkpoint is waited for: the run says so, sends no prompt, and goes on when it is back',
    async () => {
      const id = await world.add(laptop, ARGS);
      work(laptop);
      const run = await runOf(id);
      await until(() => places.isAtGate('turn', run));
      const away = `${world.remote}.away`;
      renameSync(world.remote, away);
      places.open('turn', run);
      await until(async () => AWAY.test(await status(run)));
      const { stdout } = await laptop.machine.run(['top', '--once'], { env: env() });
      expect(stdout).toMatch(AWAY);
      // It waits as long as it takes: nothing ends it.
      expect(await status(run)).not.toContain('ends at');
      expect(places.isAtGate('next', run)).toBe(false);
      expect(await world.entry(id)).toMatchObject({ state: 'running', epoch: 1, checkpoints: 1 });
      renameSync(away, world.remote);
      await until(() => places.isAtGate('next', run));
      await until(async () => !AWAY.test(await status(run)));
      places.open('next', run);
      expect(await world.until(id, ({ state }) => state !== 'running')).toMatchObject({
        state: 'done',
        machine: 'laptop',
        epoch: 1,
      });
      expect(filesOf(laptop.worktree(run))).toMatchObject({
        'one.txt': '1\n',
        'two.txt': '2\n',
        'last.txt': 'last\n',
      });
      expect(laptop.loop(run)).toMatchObject({ total_agent_calls: 2, interrupted: null });
      // The last snapshot has all of it.
      const tree = world.git(world.remote, 'ls-tree', '--name-only', `refs/holdfast/${run}/1`);
      expect(tree.split('\n')).toEqual(['README.md', 'docs', 'last.txt', 'one.txt', 'two.txt']);
    },
  );

  verifies(
    'F04',
    'that takes no refs but branches is told with the way out, and with `fleet.ref = branch` a run moves by branches',
    async () => {
      using _hook = refuseOwnRefs();
      const refused = await world.add(laptop, ARGS);
      work(laptop);
      const end = await world.until(refused, ({ state }) => state === 'failed');
      expect(end.reason).toContain('The git server refused');
      expect(end.reason).toContain('fleet.ref');
      // No prompt was sent that another machine could not have continued from.
      expect(places.isAtGate('turn', String(end.run_id))).toBe(false);
      await endWorkers();
      for (const { machine } of [laptop, cloud]) machine.configure({ fleet: { ...SETTINGS, ref: 'branch' } });
      const id = await world.add(laptop, ARGS);
      work(laptop);
      const run = await runOf(id);
      await until(() => places.isAtGate('turn', run));
      places.open('turn', run);
      await until(() => places.isAtGate('next', run));
      expect(refs()).toContain(`refs/heads/holdfast/${run}/1`);
      await world.pull(laptop);
      await world.endLeases();
      work(cloud);
      expect(await world.until(id, ({ state }) => state !== 'running')).toMatchObject({
        state: 'done',
        machine: 'cloud',
        epoch: 2,
      });
      expect(filesOf(cloud.worktree(run))).toMatchObject({ 'one.txt': '1\n', 'last.txt': 'last\n' });
      expect(filesOf(cloud.worktree(run))['two.txt']).toBeUndefined();
      expect(refs().filter((ref) => ref.includes(run))).toEqual([
        `refs/heads/holdfast/${run}/1`,
        `refs/heads/holdfast/${run}/2`,
      ]);
      expect(world.git(world.project(laptop), 'branch', '--list')).toBe('* main');
    },
  );

  verifies('F04', 'is rid of the refs of a run 30 days after its end, and of no others', async () => {
    const [, old = ''] = /^refs\/holdfast\/([^/]+)\//m.exec(refs().join('\n')) ?? [];
    await world.db.sql("update holdfast.entry set ended_at = now() - interval '31 days' where run_id = $1", [
      old,
    ]);
    await world.db.sql('update holdfast.fleet set tidied_at = null');
    const before = refs();
    work(laptop);
    await until(() => refs().length < before.length);
    expect(refs()).toEqual(before.filter((ref) => !ref.includes(old)));
    await until(async () => {
      const rows = await world.db.sql('select 1 from holdfast.checkpoint where run = $1', [old]);
      return rows.length === 0;
    });
  });
});
