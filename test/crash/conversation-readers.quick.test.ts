import { expect } from 'vitest';
import { verifies } from '../support/verifies.js';
import { readBesideWriter, writeTogether } from './conversation-readers.js';

verifies('C12', '3 reader processes beside a writer see only whole beginnings of its log', async () => {
  expect(await readBesideWriter({ readers: 3, turns: 100, reads: 500 })).toBeGreaterThanOrEqual(500);
});

verifies('C11', 'of two writer processes the second is told the owner, or waits for its end', async () => {
  await writeTogether();
});
