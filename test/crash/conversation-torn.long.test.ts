import { expect } from 'vitest';
import { verifies } from '../support/verifies.js';
import { survey } from './conversation-torn.js';

verifies(
  'C10',
  '200,000 torn states: every intact turn is returned, none invented, the next append is good',
  async () => {
    expect((await survey(200_000, 2)).states).toBe(200_000);
  },
);
