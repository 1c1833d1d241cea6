import { it } from 'vitest';
import { killWritersAtRandom } from './kill-at-random.js';

it('400 writers killed at random instants lose nothing that they acknowledged', async () => {
  await killWritersAtRandom(400, 12);
});
