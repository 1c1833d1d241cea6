import { expect, it } from 'vitest';
import { countTogether, readBesideWriter } from './shared-files.js';

it('8 processes that count together 500 times each lose no update', async () => {
  await countTogether(500);
});

it('8 readers beside a writer of 3,000 records see only whole beginnings of its log', async () => {
  expect(await readBesideWriter({ readers: 8, records: 3_000 })).toBeGreaterThan(100);
});
