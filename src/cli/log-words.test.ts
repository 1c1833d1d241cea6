import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SESSION_KINDS } from '../catalog/index.js';
import { hasWords, logWords } from './log-words.js';

it('shows known events in words', () => {
  expect(logWords('program.orphans-ended', { count: 2 })).toBe(
    'Ended 2 processes that the killed run had left behind.',
  );
  expect(logWords('program.orphans-ended', { count: 1 })).toBe(
    'Ended 1 process that the killed run had left behind.',
  );
  expect(
    logWords('question.damaged-file-set-aside', { sessionId: 's', file: 'draft.json', keptAt: '/x' }),
  ).toBe('draft.json of question s was damaged; it is kept as /x');
});

it('shows an unknown event without braces', () => {
  expect(logWords('something.else-happened', { path: '/x', count: 2 })).toBe(
    'something else happened: path /x, count 2',
  );
});

it('has words for every warning in the sources', () => {
  const events = sources().flatMap((text) => [
    ...text.matchAll(/\.(?:warn|error)\(\s*'([a-z-]+\.[a-z-]+)'/g),
  ]);
  const names = events.map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !hasWords(name))).toEqual([]);
});

it('has words for what cleaning reports of each kind that ages out', () => {
  const kinds = SESSION_KINDS.filter((kind) => kind !== 'loop');
  const events = kinds.flatMap((kind) => [`${kind}.not-cleaned`, `${kind}.trash-not-emptied`]);
  expect(events.filter((name) => !hasWords(name))).toEqual([]);
});

function sources(): string[] {
  const root = join(import.meta.dirname, '..');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, name), 'utf8'));
}
