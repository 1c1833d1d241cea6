import { describe, expect } from 'vitest';
import { openFleet } from '../../src/app/fleet/open-fleet.js';
import { answerAll, nothingTold } from '../support/failover-load.js';
import {
  choosing,
  type FleetWorld,
  fleetWorld,
  inboxOf,
  linked,
  type Member,
} from '../support/fleet-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { killWhole, type Standby, standbyOf } from '../support/postgres-standby.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const SETS = 200;

describe.skipIf(POSTGRES === undefined)('a database that fails over', () => {
  /** Two servers, and machines that know both. */
  async function twoServers(isSynchronous: boolean) {
    const world = await fleetWorld();
    await (await world.member('first')).pass();
    const standby = await standbyOf(world.db);
    if (isSynchronous) await standby.makeSynchronous();
    const url = world.db.url.replace(`:${world.db.port}/`, `:${world.db.port},127.0.0.1:${standby.port}/`);
    const home = await world.member('home', { url });
    const people = await Promise.all(['ann', 'bob', 'eve'].map((name) => world.member(name, { url })));
    return {
      world,
      standby,
      home,
      people,
      async [Symbol.asyncDispose]() {
        await standby[Symbol.asyncDispose]();
        await world[Symbol.asyncDispose]();
      },
    };
  }

  const ask = async (home: Member, count: number) => {
    const ids: string[] = [];
    for (let at = 0; at < count; at++) ids.push((await home.ask()).id);
    return ids;
  };
  const isMirroredOn = async (server: Pick<FleetWorld['db'] | Standby, 'sql'>, id: string) =>
    (await server.sql('select 1 from holdfast.session where id = $1', [id])).length === 1;
  const findingOf = async (services: Member['services'], what: string) =>
    (await openFleet(services).doctor()).find((finding) => finding.what === what);

  /** Waits until the mirror shows every set of the home as its files have it. */
  async function untilWhole(standby: Standby, home: Member): Promise<void> {
    await until(async () => {
      const rows = await standby.sql(
        'select id, state from holdfast.session where home = $1 and gone_at is null',
        [home.id],
      );
      const mirrored = new Map(rows.map(({ id, state }) => [id, state]));
      const views = await home.services.questions.listLive();
      return (
        views.length === mirrored.size &&
        views.every(({ id, outcome }) => mirrored.get(id) === outcome.status)
      );
    });
  }

  verifiesNeeding(
    'F05',
    { postgres: true },
    `with a synchronous standby a primary that is killed under load loses nothing of ${SETS} answers that it acknowledged`,
    async () => {
      await using place = await twoServers(true);
      const { world, standby, home, people } = place;
      expect(await findingOf(home.services, 'standby')).toMatchObject({ is: 'ok' });
      const ids = await ask(home, SETS);
      await using link = await linked(home);
      await until(() => isMirroredOn(world.db, ids.at(-1) ?? ''));
      const inboxes = await Promise.all(people.map(inboxOf));
      const told = nothingTold();
      let isPromoted = false;
      const load = answerAll(inboxes, ids, told, () => until(() => isPromoted));
      await until(() => told.arrived.size >= SETS / 4);
      await killWhole(world.db);
      await standby.promote();
      isPromoted = true;
      await load;
      for (const inbox of inboxes) await inbox[Symbol.asyncDispose]();
      // What was acknowledged but had not arrived continues on its own, or when its sender looks next.
      for (const { services } of people) await (await inboxOf({ services }))[Symbol.asyncDispose]();
      await until(async () =>
        (await home.services.questions.listLive()).every(({ outcome }) => outcome.status === 'completed'),
      );
      await untilWhole(standby, home);
      const requests = await standby.sql('select session, state from holdfast.request');
      const settled = new Set(
        requests.filter(({ state }) => state === 'applied').map(({ session }) => session),
      );
      const acknowledged = [...told.arrived, ...told.onTheirWay];
      expect(acknowledged.filter((id) => !settled.has(id))).toEqual([]);
      expect(requests).toHaveLength(SETS);
      expect(acknowledged).toHaveLength(SETS);
      // Whether it was down in between depends on what came first: the link's next attempt, or the standby.
      expect(link.states.filter(({ is }) => is === 'up').length).toBeGreaterThan(1);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'with an asynchronous one that is behind, doctor had warned; the mirror is whole again and no answer is lost or given twice',
    async () => {
      await using place = await twoServers(false);
      const { world, standby, home, people } = place;
      expect(await findingOf(home.services, 'standby')).toMatchObject({
        is: 'warn',
        hint: expect.stringContaining('lost'),
      });
      const [ann, bob] = people as [Member, Member, Member];
      const ids = await ask(home, 40);
      await using link = await linked(home);
      await until(() => isMirroredOn(standby, ids.at(-1) ?? ''));
      await standby.stall();
      // All of this is acknowledged, but the standby never receives it.
      const told = nothingTold();
      const inbox = await inboxOf(ann);
      await answerAll([inbox], ids, told, () => Promise.reject(new Error('nothing failed yet')));
      expect(told.arrived.size).toBe(ids.length);
      const late = await home.ask();
      await until(() => isMirroredOn(world.db, late.id));
      await link[Symbol.asyncDispose]();
      await world.db.sql("update holdfast.machine set seen_at = now() - interval '1 hour' where id = $1", [
        home.id,
      ]);
      const fromBob = await inboxOf(bob);
      expect((await fromBob.questions.answer(late.id, choosing('B'))).onItsWay).toBeDefined();
      const before = await home.services.questions.listLive();
      await killWhole(world.db);
      await standby.promote();
      const known = await standby.sql("select 1 from holdfast.request where state = 'applied'");
      expect(known.length).toBeLessThan(ids.length);
      expect(await isMirroredOn(standby, late.id)).toBe(false);
      await using _again = await linked(home);
      await untilWhole(standby, home);
      await (await inboxOf(bob))[Symbol.asyncDispose]();
      await until(async () => (await home.services.questions.get(late.id)).outcome.status === 'completed');
      const after = await home.services.questions.listLive();
      const others = (views: typeof before) => views.filter(({ id }) => id !== late.id);
      expect(others(after)).toEqual(others(before));
      expect((await openFleet(bob.services).status()).settled).toMatchObject([
        { session: late.id, state: 'applied' },
      ]);
      await inbox[Symbol.asyncDispose]();
      await fromBob[Symbol.asyncDispose]();
    },
  );
});
