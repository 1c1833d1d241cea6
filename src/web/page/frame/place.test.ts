import { expect, it } from 'vitest';
import { placeOf } from './place.js';

it.each([
  ['/', { name: 'inbox' }],
  ['/runs', { name: 'runs' }],
  [
    '/q/0b54a6e5-4c1e-4b5a-9a2c-0d5c5b1f6e77',
    { name: 'question', id: '0b54a6e5-4c1e-4b5a-9a2c-0d5c5b1f6e77' },
  ],
  ['/r/abc', { name: 'run', id: 'abc' }],
  ['/r/', { name: 'nowhere' }],
  ['/q/../../etc', { name: 'nowhere' }],
  ['/q/a%2fb', { name: 'nowhere' }],
  ['/settings', { name: 'nowhere' }],
])('%s is a place of the page, or not', (path, place) => {
  expect(placeOf(path)).toEqual(place);
});
