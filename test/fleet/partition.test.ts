import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DatabaseProxy, type Direction, databaseProxy } from '../support/database-proxy.js';
import { choosing, type FleetWorld, fleetWorld, inboxOf, type Member } from '../support/fleet-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

/** What a network does to a home: each direction alone, and both. */
const DIRECTIONS: readonly Direction[] = ['to the database', 'from the database', 'both'];

describe.skipIf(POSTGRES === undefined)('a home that is cut off from the database', () => {
  let world: FleetWorld;
  let person: Member;

  beforeAll(async () => {
    world = await fleetWorld();
    person = await world.member('person');
  });

  afterAll(() => world?.[Symbol.asyncDispose]());

  const stateIn = async (id: string) =>
    (await world.db.sql('select state from holdfast.session where id = $1', [id]))[0]?.state;

  /** Cut off while an answer is on its way: work here continues, and afterwards everything is there once. */
  async function assertHeals(home: Member, cut: () => void, heal: () => void): Promise<void> {
    const [remote, local] = [await home.ask(), await home.ask()];
    await until(
      async () => (await stateIn(local.id)) === 'pending' && (await stateIn(remote.id)) === 'pending',
    );
    cut();
    await using inbox = await inboxOf(person);
    const sent = inbox.questions.answer(remote.id, choosing('A'));
    await home.services.questions.answer(local.id, choosing('B'));
    const asked = await home.ask();
    // The other side gives up before the network is back: what it is told is true in both cases.
    const view = await sent;
    expect((await home.services.questions.get(local.id)).outcome).toMatchObject({ answers: choosing('B') });
    heal();
    await until(async () => (await home.services.questions.get(remote.id)).outcome.status === 'completed');
    await until(
      async () => (await stateIn(asked.id)) === 'pending' && (await stateIn(local.id)) === 'completed',
    );
    await until(async () => (await world.requestsOf(remote.id)).every(({ state }) => state === 'applied'));
    const requests = await world.requestsOf(remote.id);
    expect(requests).toHaveLength(1);
    expect(await home.services.questions.get(remote.id)).toMatchObject({
      appliedRequest: requests[0]?.id,
      outcome: { answers: choosing('A') },
    });
    if (view.onItsWay !== undefined) expect(view.onItsWay.request).toBe(requests[0]?.id);
  }

  for (const direction of DIRECTIONS)
    verifiesNeeding(
      'F05',
      { postgres: true },
      `a way that swallows what goes ${direction === 'both' ? 'either way' : direction}: local work goes on, nothing is lost and nothing twice`,
      async () => {
        await using proxy: DatabaseProxy = await databaseProxy(world.db.port);
        const home = await world.member(`home-${DIRECTIONS.indexOf(direction)}`);
        const service = home.start(['worker', '--slots', '0'], { url: proxy.through(world.db.url) });
        await assertHeals(
          home,
          () => proxy.silence(direction),
          () => proxy.heal(),
        );
        service.child.kill('SIGTERM');
        await service.ended;
      },
    );

  verifiesNeeding(
    'F05',
    { postgres: true, root: true, networkNamespace: true },
    'a machine in a network of its own whose link goes down, or that hears nothing, heals in the same way',
    async () => {
      await using network = privateNetwork();
      await using proxy = await databaseProxy(world.db.port, { listen: network.outside });
      const home = await world.member('apart');
      const url = `${proxy.through(world.db.url).replace('127.0.0.1', network.outside)}?sslmode=disable`;
      const before = ['ip', 'netns', 'exec', network.name];
      const service = home.start(['worker', '--slots', '0'], { url, before });
      await assertHeals(
        home,
        () => network.linkDown(),
        () => network.linkUp(),
      );
      await assertHeals(
        home,
        () => network.loseReplies(),
        () => network.findReplies(),
      );
      service.child.kill('SIGTERM');
      await service.ended;
    },
  );
});

/** A network with one machine in it and this one at the other end. */
function privateNetwork() {
  const number = process.pid % 200;
  const name = `hf${process.pid}`;
  const [outside, inside] = [`10.213.${number}.1`, `10.213.${number}.2`];
  const ip = (...words: string[]) => execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const there = (...words: string[]) => ip('-n', name, ...words);
  ip('netns', 'add', name);
  ip('link', 'add', `${name}a`, 'type', 'veth', 'peer', 'name', `${name}b`);
  ip('link', 'set', `${name}b`, 'netns', name);
  ip('addr', 'add', `${outside}/24`, 'dev', `${name}a`);
  ip('link', 'set', `${name}a`, 'up');
  there('addr', 'add', `${inside}/24`, 'dev', `${name}b`);
  there('link', 'set', `${name}b`, 'up');
  there('link', 'set', 'lo', 'up');
  return {
    name,
    outside,
    linkDown: () => void ip('link', 'set', `${name}a`, 'down'),
    linkUp: () => void ip('link', 'set', `${name}a`, 'up'),
    /** What this side sends is lost; what the other sends arrives. */
    loseReplies: () => void ip('route', 'add', 'blackhole', `${inside}/32`),
    findReplies: () => void ip('route', 'del', 'blackhole', `${inside}/32`),
    async [Symbol.asyncDispose]() {
      ip('link', 'del', `${name}a`);
      ip('netns', 'del', name);
    },
  };
}
