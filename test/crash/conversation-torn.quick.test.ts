import { expect } from 'vitest';
import { verifies } from '../support/verifies.js';
import { survey } from './conversation-torn.js';

verifies(
  'C10',
  '2,000 torn states: every intact turn is returned, none invented, the next append is good',
  async () => {
    expect((await survey(2_000, 1)).states).toBe(2_000);
  },
);
