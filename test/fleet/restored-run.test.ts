import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Json } from '../support/holdfast-binary.js';
import { type FleetHome, filesOf, MovingWorld, say, write } from '../support/moving-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { living, until } from '../support/processes.js';
import { StoppingPlaces } from '../support/stopping-places.js';
import { verifies } from '../support/verifies.js';

const QUESTION = { title: 'Store', prompt: 'Which?', options: [{ label: 'Redis' }, { label: 'Postgres' }] };

describe.skipIf(POSTGRES === undefined)('a leased run whose database was restored from an old dump', () => {
  let world: MovingWorld;
  let places: StoppingPlaces;
  let laptop: FleetHome;
  let cloud: FleetHome;

  beforeAll(async () => {
    world = await MovingWorld.open();
    places = new StoppingPlaces(world.dir.at('places'));
    const settings = { fleet: { leaseSeconds: 60, bypass: true } };
    laptop = await world.home('laptop', settings);
    cloud = await world.home('cloud', settings);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const env = () => ({ HOLDFAST_FLEET_URL: world.db.url });
  const pending = async (home: FleetHome): Promise<Json[]> =>
    (await home.machine.json(['questions', 'list'], { env: env() })).data.filter(
      ({ status }: Json) => status === 'pending',
    );

  verifies(
    'F05',
    'is ended because its lease is void, goes on later with its own files, and is not asked or answered a second time',
    async () => {
      laptop.play([
        { steps: [{ ask: { questions: [QUESTION] } }, write('answer.txt', '{{answer}}'), say(false)] },
        { steps: [{ run: places.gate('next') }] },
        { steps: [write('last.txt', 'last\n'), say(true)] },
      ]);
      const id = await world.add(laptop, ['--permissions', 'bypass', '--verify', 'test -f last.txt']);
      const first = laptop.worker();
      await until(async () => (await pending(cloud)).length === 1);
      const [asked] = await pending(cloud);
      const file = world.db.dump('old.dump');
      const told = await cloud.machine.run(['answer', asked.sessionId, '--option', 'Postgres'], {
        env: env(),
      });
      expect(told.stdout).toContain('Arrived on laptop');
      const { run_id: run } = (await world.entry(id)) as Json;
      await until(() => places.isAtGate('next', run));
      expect(await world.entry(id)).toMatchObject({ epoch: 1, checkpoints: 2 });
      world.db.restore(file);
      expect(await cloud.machine.run(['fleet', 'restored'], { env: env() })).toMatchObject({ code: 0 });
      await until(() => living(run).length === 0);
      // Nobody takes it while its agent could still be working.
      const { stdout } = await cloud.machine.run(['worker', '--once'], { env: env() });
      expect(stdout).toBe('');
      expect(await world.entry(id)).toMatchObject({ state: 'running', epoch: 1, checkpoints: 1 });
      first.child.kill('SIGTERM');
      await first.ended;
      await world.endLeases();
      const again = laptop.worker();
      expect(await world.until(id, ({ state }) => state !== 'running')).toMatchObject({
        state: 'done',
        machine: 'laptop',
        epoch: 2,
      });
      expect(filesOf(laptop.worktree(run))).toMatchObject({ 'answer.txt': 'Postgres', 'last.txt': 'last\n' });
      const prompts = laptop.turns(run).filter(({ role }) => role === 'user');
      expect(prompts).toHaveLength(3);
      await until(async () => (await pending(cloud)).length === 0);
      const sets = await world.db.sql(
        "select id, state from holdfast.session where kind = 'question' and gone_at is null",
      );
      expect(sets).toEqual([{ id: asked.sessionId, state: 'completed' }]);
      again.child.kill('SIGTERM');
      await again.ended;
    },
  );
});
