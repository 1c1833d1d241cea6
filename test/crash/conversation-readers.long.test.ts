import { expect } from 'vitest';
import { verifies } from '../support/verifies.js';
import { readBesideWriter } from './conversation-readers.js';

verifies('C12', '8 reader processes beside a writer see only whole beginnings in 100,000 reads', async () => {
  expect(await readBesideWriter({ readers: 8, turns: 200, reads: 100_000 })).toBeGreaterThanOrEqual(100_000);
});
