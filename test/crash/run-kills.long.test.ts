import { it } from 'vitest';
import { killRunsAtRandom } from '../support/run-kills.js';

it('a run that is killed 200 times, or its agent or its check, goes on each time', async () => {
  await killRunsAtRandom(200, 31);
});

it('Ctrl+C at 100 random instants: exit code 130, nothing left, resumable each time', async () => {
  await killRunsAtRandom(100, 32, ['interrupt']);
});
