import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DatabaseProxy, databaseProxy } from '../support/database-proxy.js';
import type { Json } from '../support/holdfast-binary.js';
import { type FleetHome, MovingWorld, say, write } from '../support/moving-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { StoppingPlaces } from '../support/stopping-places.js';
import { verifies } from '../support/verifies.js';

const QUESTION = { title: 'Store', prompt: 'Which?', options: [{ label: 'Redis' }, { label: 'Postgres' }] };

describe.skipIf(POSTGRES === undefined)('answers to a run whose machine is lost', () => {
  let world: MovingWorld;
  let proxy: DatabaseProxy;
  let places: StoppingPlaces;
  let laptop: FleetHome;
  let cloud: FleetHome;

  beforeAll(async () => {
    world = await MovingWorld.open();
    proxy = await databaseProxy(world.db.port);
    places = new StoppingPlaces(world.dir.at('places'));
    const settings = { fleet: { leaseSeconds: 120, bypass: true } };
    laptop = await world.home('laptop', settings);
    cloud = await world.home('cloud', settings, proxy.through(world.db.url));
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const promptsOf = (run: string) =>
    cloud
      .turns(run)
      .filter(({ role }) => role === 'user')
      .map(({ content }) => String(content));

  verifies(
    'F04',
    'an answer that was on its way to the lost machine, and one that its agent had heard in the lost turn, reach the next agent',
    async () => {
      laptop.play([
        {
          steps: [
            { ask: { questions: [QUESTION] } },
            write('answer.txt', '{{answer}}'),
            { run: places.gate('told') },
          ],
        },
      ]);
      cloud.play([{ steps: [write('last.txt', 'last\n'), say(true)] }]);
      const env = { HOLDFAST_FLEET_URL: world.db.url };
      const answer = (set: string, label: string) =>
        cloud.machine.run(['answer', set, '--option', label], { env });
      const heardOf = await world.add(laptop, ['--permissions', 'bypass', '--verify', 'test -f last.txt']);
      const [onItsWay = ''] = await world.copies(heardOf, 1);
      const first = laptop.worker();
      const runOf = async (id: string): Promise<string> =>
        ((await world.until(id, ({ run_id }) => run_id !== null)) as Json).run_id;
      const [toldRun, lateRun] = [await runOf(heardOf), await runOf(onItsWay)];
      const [told, late] = [await askedBy(toldRun), await askedBy(lateRun)];
      expect((await answer(told, 'Redis')).stdout).toContain('Arrived on laptop');
      await until(() => places.isAtGate('told', toldRun));
      await world.pull(laptop);
      await first.ended;
      // Nobody waits long for the reply of a machine that is off.
      await world.db.sql(
        "update holdfast.machine set seen_at = now() - interval '1 hour' where name = 'laptop'",
      );
      expect((await answer(late, 'Postgres')).stdout).toContain('On its way to laptop');
      await world.endLeases();
      // The process that holds the link there learns of the answer before the one that takes over the run continues.
      const link = cloud.worker(['--slots', '0']);
      await link.printed('stderr', /in step with the fleet/);
      const takenOver = proxy.holdAt({ statement: 'holdfast.take_over(', about: onItsWay, when: 'after' });
      const second = cloud.worker();
      const held = await takenOver;
      await until(async () => ['applied', 'refused'].includes(await stateOf(late)));
      expect(await stateOf(late)).toBe('applied');
      held.release();
      for (const [id, run, label] of [
        [heardOf, toldRun, 'Redis'],
        [onItsWay, lateRun, 'Postgres'],
      ] as const) {
        expect(await world.until(id, ({ state }) => state !== 'running')).toMatchObject({
          state: 'done',
          machine: 'cloud',
          epoch: 2,
        });
        expect(promptsOf(run)).toHaveLength(2);
        expect(promptsOf(run).at(-1)).toContain(label);
      }
      for (const worker of [second, link]) {
        worker.child.kill('SIGTERM');
        await worker.ended;
      }
      const { data: open } = await cloud.machine.json(['questions', 'list'], { env });
      expect(open.filter(({ status }: Json) => status === 'pending')).toEqual([]);
      const requests = await world.db.sql('select session, state from holdfast.request order by seq');
      expect(requests).toEqual([
        { session: told, state: 'applied' },
        { session: late, state: 'applied' },
      ]);
    },
  );

  const stateOf = async (set: string) =>
    String((await world.db.sql('select state from holdfast.request where session = $1', [set]))[0]?.state);

  /** The question that the agent of a run asked, once everybody can see it. */
  async function askedBy(run: string): Promise<string> {
    let id = '';
    await until(async () => {
      const [row] = await world.db.sql(
        "select id from holdfast.session where kind = 'question' and needs_person and summary->'asker'->>'session' = $1",
        [run],
      );
      id = String(row?.id ?? '');
      return id !== '';
    });
    return id;
  }
});
