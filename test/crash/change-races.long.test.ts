import { describe } from 'vitest';
import { changeWorkers, raceForChange } from '../support/change-races.js';
import { tempDir } from '../support/temp-dir.js';
import { verifies } from '../support/verifies.js';

describe('sixteen processes at once', () => {
  verifies('S02', 'starting a session on one change: exactly one wins (200 rounds)', async () => {
    await using sixteen = await changeWorkers(16);
    for (let batch = 0; batch < 4; batch++) {
      await using dir = await tempDir();
      for (let round = 0; round < 50; round++) await raceForChange(sixteen.workers, dir, `c${round}`);
    }
  });
});
