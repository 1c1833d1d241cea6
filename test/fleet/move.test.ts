import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type FleetHome, filesOf, MovingWorld, say, write } from '../support/moving-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { living, until } from '../support/processes.js';
import { verifies } from '../support/verifies.js';

describe.skipIf(POSTGRES === undefined)('a run that is moved', () => {
  let world: MovingWorld;
  let laptop: FleetHome;
  let cloud: FleetHome;

  beforeAll(async () => {
    world = await MovingWorld.open();
    // The wish arrives with the next renewal, every 2 s. Nothing dies here: a lease that ended would be a defect, and
    // must not look like a move.
    const settings = { fleet: { leaseSeconds: 30 } };
    laptop = await world.home('laptop', settings);
    cloud = await world.home('cloud', settings);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const env = () => ({ HOLDFAST_FLEET_URL: world.db.url });

  verifies('F04', 'is handed over at the end of its iteration, and nothing of that is lost', async () => {
    const gate = world.dir.at('gate');
    laptop.play([
      { steps: [write('one.txt', '1\n'), write('two.txt', '2\n'), say(false)] },
      { steps: [write('never.txt', 'x\n'), { delay: 600_000 }] },
    ]);
    cloud.play([{ steps: [write('last.txt', 'last\n'), say(true)] }]);
    // This ends its first iteration, which is not over before the gate is open. Nothing has to be waited for before
    // that.
    const check = `if [ -f two.txt ]; then until [ -f ${gate} ]; do sleep 0.1; done; fi; test -f last.txt`;
    const id = await world.add(laptop, ['--verify', check]);
    const first = laptop.worker();
    const { run_id: run } = (await world.until(id, ({ checkpoints }) => checkpoints === 1)) as {
      run_id: string;
    };
    await until(() => existsSync(join(laptop.worktree(run), 'two.txt')));
    // By the name of its repository (remote.git) and of its plan, on both machines; a worktree is named after its run's
    // id.
    const listed = async (home: FleetHome) =>
      (await home.machine.run(['top', '--once'], { env: env() })).stdout;
    expect(await listed(laptop)).toMatch(/^remote +plan +scripted/m);
    await until(async () => /^laptop +remote +plan +scripted/m.test(await listed(cloud)));
    const sessions = await laptop.machine.run(['sessions', 'list', '--all-projects'], { env: env() });
    expect(sessions.stdout).toMatch(/^loop .* remote +/m);
    const second = cloud.worker();
    const told = await cloud.machine.run(['fleet', 'move', run.slice(0, 8), '--to', 'cloud'], { env: env() });
    expect(told).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('goes to cloud when its iteration on laptop is over'),
    });
    // Its machine has heard of it by now: the wish is with the lease.
    await until(() => laptop.isWantedElsewhere(run));
    writeFileSync(gate, '');
    const entry = await world.until(id, ({ state }) => state !== 'running');
    expect(entry).toMatchObject({ state: 'done', machine: 'cloud', epoch: 2 });
    expect(filesOf(cloud.worktree(run))).toMatchObject({
      'one.txt': '1\n',
      'two.txt': '2\n',
      'last.txt': 'last\n',
    });
    expect(filesOf(cloud.worktree(run))['never.txt']).toBeUndefined();
    // One iteration there, one here, and neither was interrupted.
    expect(cloud.loop(run)).toMatchObject({ status: 'completed', total_agent_calls: 2, interrupted: null });
    // Nothing of it is alive on the machine that gave it away.
    expect(living(`${laptop.machine.dir.path}`).filter((pid) => pid !== first.child.pid)).toEqual([]);
    expect(second.stdout).toContain('moved from laptop');
    for (const worker of [first, second]) {
      worker.child.kill('SIGTERM');
      await worker.ended;
    }
  });

  verifies(
    'F04',
    'neither goes to a machine that is not there, nor is there a run of that name',
    async () => {
      const move = (run: string, to: string) =>
        cloud.machine.run(['fleet', 'move', run, '--to', to], { env: env() });
      expect(await move('ffffffff', 'cloud')).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('No current run of the fleet'),
      });
      expect((await move('%%%%', 'cloud')).code).not.toBe(0);
      expect(await cloud.machine.run(['fleet', 'move', 'ffff'], { env: env() })).toMatchObject({ code: 2 });
    },
  );

  verifies(
    'F04',
    'is not released while its machine gives signs of life, unless a person insists',
    async () => {
      laptop.play([{ steps: [write('one.txt', '1\n'), { delay: 600_000 }] }]);
      cloud.play([{ steps: [write('last.txt', 'last\n'), say(true)] }]);
      const id = await world.add(laptop, ['--verify', 'test -f last.txt']);
      const first = laptop.worker();
      const { run_id: run } = (await world.until(id, ({ checkpoints }) => checkpoints === 1)) as {
        run_id: string;
      };
      const release = (...args: string[]) =>
        cloud.machine.run(['fleet', 'release', run.slice(0, 8), ...args], { env: env() });
      expect(await release()).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('still gives signs of life'),
      });
      await world.pull(laptop);
      await first.ended;
      expect(await release('--force')).toMatchObject({ code: 0 });
      const second = cloud.worker();
      expect(await world.until(id, ({ state }) => state !== 'running')).toMatchObject({
        state: 'done',
        epoch: 2,
      });
      second.child.kill('SIGTERM');
      await second.ended;
    },
  );
});
