import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openFleet } from '../../src/app/fleet/open-fleet.js';
import { FakeClock } from '../support/fake-clock.js';
import {
  choosing,
  type FleetWorld,
  fleetWorld,
  inboxOf,
  linked,
  type Member,
} from '../support/fleet-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

describe.skipIf(POSTGRES === undefined)('a database restored from an old dump', () => {
  let world: FleetWorld;
  let home: Member;
  let ann: Member;
  let bob: Member;

  beforeAll(async () => {
    world = await fleetWorld();
    home = await world.member('home');
    ann = await world.member('ann');
    bob = await world.member('bob');
  });

  afterAll(() => world?.[Symbol.asyncDispose]());

  const quiet = (member: Member) =>
    world.db.sql("update holdfast.machine set seen_at = now() - interval '1 hour' where id = $1", [
      member.id,
    ]);
  const mirrorOf = async (member: Member) => {
    const rows = await world.db.sql(
      'select id, state from holdfast.session where home = $1 and gone_at is null order by id',
      [member.id],
    );
    return rows.map(({ id, state }) => [id, state]);
  };
  const filesOf = async (member: Member) =>
    (await member.services.questions.listLive())
      .map(({ id, outcome }) => [id, outcome.status])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const untilWhole = (member: Member, look = () => {}) =>
    until(async () => {
      look();
      return JSON.stringify(await mirrorOf(member)) === JSON.stringify(await filesOf(member));
    });
  const answer = async (member: Member, id: string, label: string) => {
    await using inbox = await inboxOf(member);
    return await inbox.questions.answer(id, choosing(label));
  };

  verifiesNeeding(
    'F05',
    { postgres: true },
    'dropped and made again: mirrors are whole, what was on its way is sent again or refused, and no answer is given twice',
    async () => {
      const [open, decided, early, raced] = await Promise.all([
        home.ask(),
        home.ask(),
        home.ask(),
        home.ask(),
      ]);
      await home.pass();
      await quiet(home);
      // In the dump: one that its home has not taken, and one that somebody else will decide.
      expect((await answer(ann, early.id, 'A')).onItsWay).toBeDefined();
      expect((await answer(ann, raced.id, 'A')).onItsWay).toBeDefined();
      const file = world.db.dump('old.dump');
      // More work that is not in the dump.
      await home.services.questions.answer(raced.id, choosing('C'));
      const link = await linked(home);
      await until(async () => (await home.services.questions.get(early.id)).outcome.status === 'completed');
      expect((await answer(bob, decided.id, 'B')).outcome.status).toBe('completed');
      const later = await home.ask();
      await until(async () => (await mirrorOf(home)).some(([id]) => id === later.id));
      await link[Symbol.asyncDispose]();
      await quiet(home);
      expect((await answer(bob, later.id, 'B')).onItsWay).toBeDefined();
      const newcomer = await world.member('newcomer');
      const there = await newcomer.ask();
      await newcomer.pass();
      const before = await home.services.questions.listLive();

      await world.db.sql('drop database holdfast with (force)', [], 'postgres');
      await world.db.sql('create database holdfast', [], 'postgres');
      world.db.restore(file);
      await openFleet(ann.services).restored();

      await using _home = await linked(home);
      await using _newcomer = await linked(newcomer);
      await untilWhole(home);
      // It joined after the dump was made, and is back in the fleet without any help.
      await untilWhole(newcomer);
      expect(await mirrorOf(newcomer)).toEqual([[there.id, 'pending']]);
      // Bob's answer was in no dump; his next command sends it again.
      await bob.pass();
      await until(async () => (await home.services.questions.get(later.id)).outcome.status === 'completed');
      const after = await home.services.questions.listLive();
      const others = (views: typeof before) => views.filter(({ id }) => id !== later.id);
      expect(others(after)).toEqual(others(before));
      await until(async () => (await openFleet(bob.services).status()).onItsWay.length === 0);
      const { settled } = await openFleet(ann.services).status();
      expect(Object.fromEntries(settled.map(({ session, state }) => [session, state]))).toEqual({
        [early.id]: 'applied',
        [raced.id]: 'refused',
      });
      expect((await home.services.questions.get(open.id)).outcome).toEqual({ status: 'pending' });
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'restored under the eyes of machines that stay connected: they notice what `fleet restored` says',
    async () => {
      const clock = new FakeClock({ now: new Date().toISOString() });
      const watched = await world.member('watched', { clock });
      const first = await watched.ask();
      const link = await linked(watched);
      await untilWhole(watched);
      const file = world.db.dump('older.dump');
      const second = await watched.ask();
      await until(async () => (await mirrorOf(watched)).length === 2);
      world.db.restore(file);
      expect(await mirrorOf(watched)).toEqual([[first.id, 'pending']]);
      await openFleet(ann.services).restored();
      await untilWhole(watched, () => clock.advance(5_000));
      expect((await mirrorOf(watched)).map(([id]) => id).sort()).toEqual([first.id, second.id].sort());
      // Never cut, and so never down.
      expect(link.states.map(({ is }) => is)).toEqual(['up']);
      await link[Symbol.asyncDispose]();
    },
  );
});
