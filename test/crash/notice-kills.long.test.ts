import { describe, expect } from 'vitest';
import { killWhileTelling } from '../support/notice-kills.js';
import { verifies } from '../support/verifies.js';

const ROUNDS = 40;
/** From before anything is queued until long after it was sent. */
const MAX_MS = 400;

describe('who is killed at any instant while it tells', () => {
  verifies(
    'N01',
    'leaves a notice that is sent at least once, at most twice, under the same id',
    async () => {
      const counts: number[] = [];
      for (let round = 0; round < ROUNDS; round++)
        counts.push(await killWhileTelling({ afterMs: (MAX_MS * round) / ROUNDS }));
      expect(counts.filter((count) => count !== 1 && count !== 2)).toEqual([]);
    },
  );
});
