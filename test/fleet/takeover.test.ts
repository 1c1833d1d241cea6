import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Json } from '../support/holdfast-binary.js';
import {
  type FleetHome,
  filesOf,
  LEASE_SECONDS,
  MovingWorld,
  say,
  type Turns,
  write,
} from '../support/moving-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifies } from '../support/verifies.js';

const QUESTION = { title: 'Store', prompt: 'Which?', options: [{ label: 'Redis' }, { label: 'Postgres' }] };

/** The point in its first turn at which a run loses its machine. */
interface Loss {
  /** What the agent of the first machine does; the second one always writes `last.txt` and is done. */
  readonly turns: Turns;
  /** Whether the run has got there. */
  readonly isThere: (laptop: FleetHome, run: string) => boolean | Promise<boolean>;
}

describe.skipIf(POSTGRES === undefined)('a run whose machine is lost', () => {
  let world: MovingWorld;
  let laptop: FleetHome;
  let cloud: FleetHome;

  beforeAll(async () => {
    world = await MovingWorld.open();
    laptop = await world.home('laptop');
    cloud = await world.home('cloud');
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const env = () => ({ HOLDFAST_FLEET_URL: world.db.url });

  /** Plays a loss and returns the outcome on the other machine. */
  async function lose(loss: Loss) {
    laptop.play(loss.turns);
    cloud.play([{ steps: [write('last.txt', 'last\n'), say(true)] }]);
    const id = await world.add(laptop, ['--verify', 'test -f last.txt', '--max-tokens', '100000']);
    const first = laptop.worker();
    const { run_id: run } = (await world.until(id, ({ checkpoints }) => checkpoints === 1)) as {
      run_id: string;
    };
    await until(() => loss.isThere(laptop, run));
    const before = laptop.loop(run);
    await world.pull(laptop);
    await first.ended;
    const second = cloud.worker();
    await world.until(id, ({ epoch }) => epoch === 2);
    return { id, run, before, second };
  }

  async function settled(
    id: string,
    second: { child: { kill(signal: NodeJS.Signals): unknown }; ended: Promise<unknown> },
  ) {
    const entry = await world.until(id, ({ state }) => state !== 'running' && state !== 'queued');
    second.child.kill('SIGTERM');
    await second.ended;
    return entry;
  }

  const promptsOf = (home: FleetHome, run: string) =>
    home
      .turns(run)
      .filter(({ role }) => role === 'user')
      .map(({ content }) => String(content));

  verifies('F04', 'is not lost by a preparation that takes longer than a lease', async () => {
    laptop.play([{ steps: [write('last.txt', 'last\n'), say(true)] }]);
    const id = await world.add(laptop, [
      '--verify',
      'test -f last.txt',
      '--prepare',
      `sleep ${LEASE_SECONDS}`,
    ]);
    const worker = laptop.worker();
    expect(await settled(id, worker)).toMatchObject({ state: 'done', machine: 'laptop', epoch: 1 });
  });

  verifies('F04', 'goes on under a new guard where somebody killed the one it had', async () => {
    laptop.play([{ steps: [write('one.txt', '1\n'), { delay: 600_000 }] }]);
    const id = await world.add(laptop, ['--verify', 'test -f last.txt']);
    const worker = laptop.worker();
    const { run_id: run } = (await world.until(id, ({ checkpoints }) => checkpoints === 1)) as {
      run_id: string;
    };
    await until(() => existsSync(join(laptop.worktree(run), 'one.txt')));
    laptop.play([{ steps: [write('last.txt', 'last\n'), say(true)] }]);
    process.kill(laptop.guard(run), 'SIGKILL');
    expect(await settled(id, worker)).toMatchObject({ state: 'done', machine: 'laptop', epoch: 1 });
    expect(filesOf(laptop.worktree(run))).toMatchObject({ 'one.txt': '1\n', 'last.txt': 'last\n' });
  });

  // takeover-steps.test.ts covers every other step of an iteration.
  verifies(
    'F04',
    'in its first turn goes on elsewhere at its first checkpoint, when the lease is over',
    async () => {
      const { id, run, before, second } = await lose({
        turns: [{ steps: [write('one.txt', '1\n'), { delay: 600_000 }] }],
        isThere: (home, one) => existsSync(join(home.worktree(one), 'one.txt')),
      });
      const entry = await settled(id, second);
      expect(entry).toMatchObject({ state: 'done', machine: 'cloud', epoch: 2 });
      expect(filesOf(cloud.worktree(run))).toEqual({
        'README.md': 'readme\n',
        'docs/plan.md': readFileSync(join(world.project(laptop), 'docs/plan.md'), 'utf8'),
        'last.txt': 'last\n',
      });
      const after = cloud.loop(run);
      expect(after).toMatchObject({ session_id: run, status: 'completed', started_at: before.started_at });
      expect(after.usage.tokens).toBeGreaterThanOrEqual(before.usage?.tokens ?? 0);
      expect(after.budget).toEqual(before.budget);
      const prompts = promptsOf(cloud, run);
      expect(prompts).toHaveLength(2);
      expect(new Set(prompts).size).toBe(prompts.length);
      expect(prompts.at(-1)).toContain('was on the machine laptop before');
    },
  );

  verifies(
    'F04',
    'takes its open question along, under its id, and the answer reaches the agent there',
    async () => {
      const { id, run, second } = await lose({
        turns: [{ steps: [{ ask: { questions: [QUESTION] } }, write('one.txt', '{{answer}}'), say(false)] }],
        isThere: async () => (await pending(cloud)) !== undefined,
      });
      const asked = await world.db.sql(
        `select s.id, m.name from holdfast.session s join holdfast.machine m on m.id = s.home where s.gone_at is null and s.needs_person`,
      );
      const [set] = asked;
      await until(
        async () => (await pending(cloud))?.machine === undefined && (await pending(cloud)) !== undefined,
      );
      expect((await pending(cloud))?.sessionId).toBe(set?.id);
      await cloud.machine.run(['answer', String(set?.id), '--option', 'Postgres'], { env: env() });
      const entry = await settled(id, second);
      expect(entry).toMatchObject({ state: 'done', machine: 'cloud' });
      expect(promptsOf(cloud, run).at(-1)).toContain('Postgres');
    },
  );

  async function pending(home: FleetHome): Promise<Json> {
    const { data } = await home.machine.json(['questions', 'list'], { env: env() });
    return data.find(({ status }: Json) => status === 'pending');
  }

  verifies('F04', 'what it had beyond its checkpoint is listed when it returns, and not merged', async () => {
    // Nothing has checked yet: asking for the list does.
    const { data } = await laptop.machine.json(['fleet', 'left-behind'], { env: env() });
    expect(data.length).toBeGreaterThanOrEqual(1);
    for (const left of data) expect(left).toMatchObject({ machine: 'cloud', epoch: 1 });
    expect(data.some(({ worktree }: Json) => filesOf(worktree)['one.txt'] === '1\n')).toBe(true);
    const told = await laptop.machine.run(['fleet', 'left-behind'], { env: env() });
    expect(told.stdout).toMatch(
      /^run [0-9a-f]{8} is on cloud since .*; left behind at .*, snapshot [0-9a-f]{12}$/m,
    );
  });
});
