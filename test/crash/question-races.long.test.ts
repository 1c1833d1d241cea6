import { describe } from 'vitest';
import { RACED_SET, race } from '../support/question-race.js';
import { questionWorkers, workerWorld } from '../support/question-workers.js';
import { SeededRandom } from '../support/seeded-random.js';
import { verifies } from '../support/verifies.js';

describe('eight processes at once', () => {
  verifies(
    'Q06',
    'answering, rejecting and timing out one question: one outcome each, all agree which (1,000 rounds)',
    async () => {
      await using workers = await questionWorkers();
      const eight = Array.from({ length: 8 }, () => workers.start());
      const random = new SeededRandom(1_000);
      for (let batch = 0; batch < 20; batch++) {
        await using world = await workerWorld();
        for (let round = 0; round < 50; round++) {
          const created = await eight[round % 8]?.order({
            place: world.place,
            act: { name: 'create', questions: RACED_SET },
          });
          if (created?.kind !== 'done') throw new Error(JSON.stringify(created));
          await race(eight, world.place, created.value as string, random);
        }
      }
    },
  );
});
