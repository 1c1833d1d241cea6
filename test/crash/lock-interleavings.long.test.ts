import { expect, it } from 'vitest';
import { runRandomSchedule } from '../support/lock-world.js';
import { SeededRandom } from '../support/seeded-random.js';

it('no two holders in 60,000 random orders of file-system calls', () => {
  const random = new SeededRandom(20_260_301);
  for (let schedule = 0; schedule < 60_000; schedule++) {
    const trace = runRandomSchedule(random);
    expect(trace.holders, `schedule ${schedule}: ${trace.steps.join(' ')}`).toEqual([]);
  }
});
