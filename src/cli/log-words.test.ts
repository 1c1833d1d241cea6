import { expect, it } from 'vitest';
import { logWords } from './log-words.js';

it('says known events in words, and leaves unknown ones as they are', () => {
  expect(logWords('program.orphans-ended', { count: 2 })).toBe(
    'Ended 2 processes that the killed run had left behind.',
  );
  expect(logWords('program.orphans-ended', { count: 1 })).toBe(
    'Ended 1 process that the killed run had left behind.',
  );
  expect(logWords('something.else', {})).toBeUndefined();
});
