import { expect } from 'vitest';
import { verifies } from '../support/verifies.js';
import { survey } from './conversation-torn.js';

// In parts, each with its own logs, so that a busy machine has time for each of them; HOLDFAST_TEST_MORE=1 runs twice as many.
const SEEDS = process.env.HOLDFAST_TEST_MORE === '1' ? [2, 3, 4, 5] : [2, 3];

for (const seed of SEEDS)
  verifies(
    'C10',
    `50,000 torn states of seed ${seed}: every intact turn is returned, none invented, the next append is good`,
    async () => {
      expect((await survey(50_000, seed)).states).toBe(50_000);
    },
  );
