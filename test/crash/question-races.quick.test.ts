import { describe, expect, it } from 'vitest';
import { RACED_SET, race } from '../support/question-race.js';
import { questionWorkers, workerWorld } from '../support/question-workers.js';
import { question } from '../support/question-world.js';
import { SeededRandom } from '../support/seeded-random.js';
import { verifies } from '../support/verifies.js';

describe('eight processes at once', () => {
  verifies(
    'Q06',
    'answering, rejecting and timing out one question: one outcome each, all agree which (60 rounds)',
    async () => {
      await using workers = await questionWorkers();
      await using world = await workerWorld();
      const eight = Array.from({ length: 8 }, () => workers.start());
      const random = new SeededRandom(20_260_301);
      for (let round = 0; round < 60; round++) {
        const created = await eight[round % 8]?.order({
          place: world.place,
          act: { name: 'create', questions: RACED_SET },
        });
        if (created?.kind !== 'done') throw new Error(JSON.stringify(created));
        await race(eight, world.place, created.value as string, random);
      }
    },
  );

  verifies('Q17', 'creating at the limit: never more than the limit', async () => {
    await using workers = await questionWorkers();
    const eight = Array.from({ length: 8 }, () => workers.start());
    for (let round = 0; round < 5; round++) {
      await using world = await workerWorld({ maxSessions: 5 });
      const startAt = Date.now() + 4;
      const endings = await Promise.all(
        eight.map((worker) =>
          worker.order({ place: world.place, act: { name: 'create', questions: [question()] }, startAt }),
        ),
      );
      const made = endings.filter((ending) => ending.kind === 'done');
      expect(made).toHaveLength(5);
      for (const ending of endings)
        if (ending.kind === 'failed') expect(ending.code).toBe('TOO_MANY_SESSIONS');
      const seen = await eight[0]?.order({ place: world.place, act: { name: 'inspect' } });
      expect((seen as { value: { ids: string[] } }).value.ids.sort()).toEqual(
        made.map((ending) => (ending as { value: string }).value).sort(),
      );
    }
  });

  it('asking with one request id: one set, and all get it', async () => {
    await using workers = await questionWorkers();
    const eight = Array.from({ length: 8 }, () => workers.start());
    for (let round = 0; round < 5; round++) {
      await using world = await workerWorld();
      const startAt = Date.now() + 4;
      const act = { name: 'create', questions: [question()], options: { requestId: `r${round}` } } as const;
      const endings = await Promise.all(
        eight.map((worker) => worker.order({ place: world.place, act, startAt })),
      );
      expect(new Set(endings.map((ending) => (ending as { value: string }).value)).size).toBe(1);
    }
  });

  it('collecting one answer: announced as new exactly once', async () => {
    await using workers = await questionWorkers();
    await using world = await workerWorld();
    const eight = Array.from({ length: 8 }, () => workers.start());
    const { place } = world;
    for (let round = 0; round < 10; round++) {
      const created = await eight[0]?.order({ place, act: { name: 'create', questions: [question()] } });
      const id = (created as { value: string }).value;
      await eight[1]?.order({
        place,
        act: { name: 'answer', id, answers: [{ questionIndex: 0, selectedOption: 'SQLite' }] },
      });
      const startAt = Date.now() + 4;
      const endings = await Promise.all(
        eight.map((worker) => worker.order({ place, act: { name: 'collect', id }, startAt })),
      );
      const values = endings.map(
        (ending) => (ending as { value: { isNew: boolean; outcome: object } }).value,
      );
      expect(values.filter((value) => value.isNew)).toHaveLength(1);
      for (const value of values) expect(value.outcome).toEqual(values[0]?.outcome);
    }
  });

  it('waiting while one answers: all get the same answer', async () => {
    await using workers = await questionWorkers();
    await using world = await workerWorld();
    const eight = Array.from({ length: 8 }, () => workers.start());
    const { place } = world;
    for (let round = 0; round < 5; round++) {
      const created = await eight[0]?.order({ place, act: { name: 'create', questions: [question()] } });
      const id = (created as { value: string }).value;
      const waiting = eight
        .slice(1)
        .map((worker) => worker.order({ place, act: { name: 'wait', id, patienceMs: 0 } }));
      const answered = await eight[0]?.order({
        place,
        act: { name: 'answer', id, answers: [{ questionIndex: 0, selectedOption: 'SQLite' }] },
      });
      for (const ending of await Promise.all(waiting)) expect(ending).toEqual(answered);
    }
  });
});
