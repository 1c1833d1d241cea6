import { expect, it } from 'vitest';
import { countTogether, readBesideWriter } from './shared-files.js';

it('8 processes that count together 25 times each lose no update', async () => {
  await countTogether(25);
});

it('3 readers beside a writer of 300 records see only whole beginnings of its log', async () => {
  expect(await readBesideWriter({ readers: 3, records: 300 })).toBeGreaterThan(3);
});
