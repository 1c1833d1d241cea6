import { it } from 'vitest';
import { killWritersAtRandom } from './kill-at-random.js';

it('30 writers killed at random instants lose nothing that they acknowledged', async () => {
  await killWritersAtRandom(30, 11);
});
