import { it } from 'vitest';
import { killRunsAtRandom } from '../support/run-kills.js';

it('a run that is killed 12 times, or its agent or its check, goes on each time', async () => {
  await killRunsAtRandom(12, 5);
});
