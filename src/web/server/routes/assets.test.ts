import { expect, it } from 'vitest';
import type { PageAsset } from '../assets.js';
import { assetResponse } from './assets.js';

const FILE = { type: 'text/plain', body: new Uint8Array(), isImmutable: false };
const ASSETS = new Map<string, PageAsset>([
  ['/', { ...FILE, late: { '/s/': ['/reader-1.js', '/shared-1.js'], '/s': ['/list-1.js'] } }],
  ['/reader-1.js', FILE],
]);

const linkOf = (path: string) =>
  assetResponse(ASSETS, new Request(`http://127.0.0.1${path}`), path).headers.get('link');

it('lists what a place needs beyond the shell, so that a browser loads it at once', () => {
  expect(linkOf('/s/some-conversation')).toBe(
    '</reader-1.js>; rel=modulepreload, </shared-1.js>; rel=modulepreload',
  );
  expect(linkOf('/s')).toBe('</list-1.js>; rel=modulepreload');
});

it('lists nothing for the inbox, for other places and for files', () => {
  expect(['/', '/runs', '/q/1', '/sign-in', '/reader-1.js'].map(linkOf)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});
