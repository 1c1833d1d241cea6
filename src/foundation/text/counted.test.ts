import { expect, it } from 'vitest';
import { counted, grouped } from './counted.js';

it.each([
  [0, '0 files'],
  [1, '1 file'],
  [2, '2 files'],
])('a count of %i has its word in singular or plural as needed', (count, words) => {
  expect(counted(count, 'file')).toBe(words);
});

it('a word with a plural of its own keeps it', () => {
  expect([counted(1, 'story', 'stories'), counted(3, 'story', 'stories')]).toEqual(['1 story', '3 stories']);
});

it('a number in groups has a comma before every third digit', () => {
  expect([0, 999, 1_000, 12_345, 123_456, 1_234_567].map(grouped)).toEqual([
    ...['0', '999', '1,000', '12,345', '123,456', '1,234,567'],
  ]);
});
