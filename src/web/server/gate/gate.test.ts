import { expect, it } from 'vitest';
import { FakeClock } from '../../../../test/support/fake-clock.js';
import { cookieIn, setCookie } from './cookie.js';
import { OwnOrigins } from './own-origins.js';
import { Rate } from './rates.js';
import { behindOrigin, checkReach, originsOf } from './reach.js';
import { hashOf, isSecretOf, newSecret } from './secrets.js';

const [OWN] = new OwnOrigins([{ origin: 'http://hf-aaaaaaaa.localhost:4001', isBehind: false }]).all;
if (OWN === undefined) throw new Error('unreachable');

it('has its own cookie for each port, and the strictest that https gives', () => {
  const { all } = new OwnOrigins(
    ['http://a.localhost:1', 'https://b.example', 'https://b.example:8443'].map((origin) => ({
      origin,
      isBehind: true,
    })),
  );
  expect(all.map(({ cookieName }) => cookieName)).toEqual(['hf_1', '__Host-hf_443', '__Host-hf_8443']);
  expect(all.map((own) => setCookie(own, 'v').includes('Secure'))).toEqual([false, true, true]);
});

it.each([
  ['hf_4001=v', 'v'],
  ['other=1; hf_4001=v; more=2', 'v'],
  ['hf_4002=v', undefined],
  ['xhf_4001=v', undefined],
  ['hf_4001=', undefined],
  ['hf_4001=v; hf_4001=w', undefined],
  ['', undefined],
])('finds in the cookies %j its own: %j', (header, value) => {
  expect(cookieIn(header, OWN)).toBe(value);
});

it('knows a secret by its hash and no other', () => {
  const secret = newSecret(256);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect(isSecretOf(secret, hashOf(secret))).toBe(true);
  expect(isSecretOf(newSecret(256), hashOf(secret))).toBe(false);
  expect(isSecretOf(secret, '')).toBe(false);
});

it('counts what happened within a minute, by whom', async () => {
  const clock = new FakeClock();
  const rate = new Rate(clock, 2);
  expect([rate.count('a'), rate.count('a'), rate.isOver('a'), rate.isOver('b')]).toEqual([1, 2, true, false]);
  await clock.advance(60_001);
  expect(rate.isOver('a')).toBe(false);
});

it.each([
  'https://a.example',
  'https://a.example:8443',
  'http://localhost:8080',
  'http://x.localhost:1',
  'http://127.0.0.1:1',
])('may be behind %s', (origin) => expect(behindOrigin(origin)).toBe(origin));

it.each([
  'http://a.example',
  'http://192.168.0.2',
  'https://a.example/x',
  'https://u:p@a.example',
  'a.example',
  'ftp://a',
  'javascript:1',
])('may not be behind %s', (origin) => expect(() => behindOrigin(origin)).toThrow());

it("uses its own name first, and behind a proxy the proxy's", () => {
  const reach = { behind: [] };
  checkReach(reach);
  expect(originsOf(reach, 'hf-aaaaaaaa', 4001).map(({ origin }) => origin)).toEqual([
    'http://hf-aaaaaaaa.localhost:4001',
    'http://127.0.0.1:4001',
    'http://[::1]:4001',
  ]);
  expect(originsOf({ behind: ['https://a.example'], socket: '/s' }, '', 0)).toEqual([
    { origin: 'https://a.example', isBehind: true },
  ]);
});

it.each([[], ['http://localhost:8080']])(
  'is not shown to a network in the clear, whatever it stands behind: %s',
  (...behind) => {
    expect(() => checkReach({ bind: '0.0.0.0', behind })).toThrow('plain http can be read on its way');
    expect(() => checkReach({ bind: '0.0.0.0', behind: ['https://a.example'] })).not.toThrow();
  },
);
