import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openFleet } from '../../src/app/fleet/open-fleet.js';
import type { QuestionView } from '../../src/sessions/question/index.js';
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

const ROUNDS = 50;
const ASKED = JSON.stringify([
  { title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }] },
]);

describe.skipIf(POSTGRES === undefined)('several who decide the same question', () => {
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

  const isMirrored = async (id: string, state = 'pending') =>
    (await world.db.sql('select 1 from holdfast.session where id = $1 and state = $2', [id, state]))
      .length === 1;
  const quiet = () =>
    world.db.sql("update holdfast.machine set seen_at = now() - interval '1 hour' where id = $1", [home.id]);

  /** What both were told agrees with the outcome: one won, and the other knows with what. */
  async function assertOneWinner(
    id: string,
    ends: readonly PromiseSettledResult<QuestionView>[],
    labels: string[],
  ) {
    const { outcome } = await home.services.questions.get(id);
    const label =
      outcome.status === 'completed' ? String(outcome.answers[0]?.selectedOption) : outcome.status;
    const won = ends.flatMap((end, at) => (end.status === 'fulfilled' ? [labels[at]] : []));
    expect(won).toEqual([label]);
    const [lost] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(['ALREADY_SETTLED', 'DECIDED_ELSEWHERE']).toContain(lost?.code);
    expect(lost?.message).toContain(label);
    return String(lost?.code);
  }

  verifiesNeeding(
    'F02',
    { postgres: true },
    `two on other machines at once: in each of ${ROUNDS} rounds one wins and the other is told with what`,
    async () => {
      await using _link = await linked(home);
      await using first = await inboxOf(ann);
      await using second = await inboxOf(bob);
      for (let round = 0; round < ROUNDS; round++) {
        const { id } = await home.ask();
        await until(() => isMirrored(id));
        const ends = await Promise.allSettled([
          first.questions.answer(id, choosing('A')),
          second.questions.answer(id, choosing('B')),
        ]);
        await assertOneWinner(id, ends, ['A', 'B']);
      }
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    `one elsewhere against one at the machine: in each of ${ROUNDS} rounds one wins and the other is told with what`,
    async () => {
      await using _link = await linked(home);
      await using inbox = await inboxOf(ann);
      const winners = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round++) {
        const { id } = await home.ask();
        await until(() => isMirrored(id));
        const remote = inbox.questions.answer(id, choosing('A'));
        // Sometimes at once, sometimes while the other is on its way, so both have a chance.
        if (round % 2 === 1) await until(async () => (await world.requestsOf(id)).length > 0);
        const ends = await Promise.allSettled([remote, home.services.questions.answer(id, choosing('B'))]);
        await assertOneWinner(id, ends, ['A', 'B']);
        const winner = ends[0].status === 'fulfilled' ? 'elsewhere' : 'here';
        winners.set(winner, (winners.get(winner) ?? 0) + 1);
      }
      expect([...winners.keys()]).toContain('here');
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'after its time an answer from elsewhere still arrives, marked as late, and one that comes second is told',
    async () => {
      await using _link = await linked(home);
      const { id } = await home.services.questions.create(
        [{ title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }],
        { timeoutMs: 1 },
      );
      await home.services.questions.expire(id);
      await until(() => isMirrored(id, 'timed_out'));
      await using first = await inboxOf(ann);
      await using second = await inboxOf(bob);
      const view = await first.questions.answer(id, choosing('A'));
      expect(view.outcome).toMatchObject({ status: 'completed', late: true });
      await expect(second.questions.answer(id, choosing('B'))).rejects.toMatchObject({
        code: 'ALREADY_SETTLED',
      });
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'a home that was away for an hour: its own person wins, and both who sent are told when they look',
    async () => {
      const { id } = await home.ask();
      await home.pass();
      await quiet();
      await using first = await inboxOf(ann);
      await using second = await inboxOf(bob);
      const sent = await first.questions.answer(id, choosing('A'));
      expect(sent.onItsWay?.by).toBe('owner');
      await expect(second.questions.answer(id, choosing('B'))).rejects.toMatchObject({
        code: 'DECIDED_ELSEWHERE',
        message: expect.stringContaining('A'),
      });
      await home.services.questions.answer(id, choosing('C'));
      await home.pass();
      const { settled } = await openFleet(ann.services).status();
      expect(settled).toMatchObject([
        { session: id, state: 'refused', message: expect.stringContaining('C') },
      ]);
      await expect(second.questions.answer(id, choosing('B'))).rejects.toMatchObject({
        code: 'ALREADY_SETTLED',
      });
      expect((await home.services.questions.get(id)).outcome).toMatchObject({ answers: choosing('C') });
    },
  );

  for (const offset of ['+1h', '-1h'])
    verifiesNeeding(
      'F05',
      { postgres: true, faketime: true },
      `a home whose clock is off by ${offset} gets its answer in time, and the second is told`,
      async () => {
        const before = ['faketime', '-f', offset];
        const env = { FAKETIME_DONT_FAKE_MONOTONIC: '1' };
        const asker = home.start(['ask', ASKED, '--timeout', '10m', '--json'], { before, env });
        const [, id = ''] = await asker.printed('stderr', /answer to (\S+)/);
        await until(() => isMirrored(id));
        const answered = await bob.start(['answer', id, 'A']).ended;
        expect(answered.stdout).toContain('Arrived on home');
        const { stdout } = await asker.ended;
        // Neither the asker nor the home considers it late, whatever the sender's clock says.
        expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', answers: choosing('A') });
        expect((await home.services.questions.get(id)).outcome).toMatchObject({ late: false });
        const second = await ann.start(['answer', id, 'B'], { before, env }).ended;
        expect(second.code).toBe(1);
        expect(second.stderr).toContain('was answered already');
      },
    );
});
