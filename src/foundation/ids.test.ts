import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUuidV4, systemIds, uuidFrom } from './ids.js';

describe('systemIds', () => {
  it('gives UUIDs of version 4, each a new one', () => {
    const ids = Array.from({ length: 1_000 }, () => systemIds.uuid());
    expect(ids.every(isUuidV4)).toBe(true);
    expect(new Set(ids).size).toBe(1_000);
  });

  it('gives tokens of 128 bits in hexadecimal, each a new one', () => {
    const tokens = Array.from({ length: 1_000 }, () => systemIds.token());
    expect(tokens.every((token) => /^[0-9a-f]{32}$/.test(token))).toBe(true);
    expect(new Set(tokens).size).toBe(1_000);
  });
});

describe('isUuidV4', () => {
  const good = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

  it.each([good, good.toUpperCase()])('takes %s', (value) => {
    expect(isUuidV4(value)).toBe(true);
  });

  it.each([
    ['version 1', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
    ['a wrong variant', '3f2504e0-4f89-41d3-ca0c-0305e82c3301'],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['braces', `{${good}}`],
    ['a line break behind it', `${good}\n`],
    ['a line break before it', `\n${good}`],
    ['a path', `../${good}`],
    ['a path behind it', `${good}/..`],
    ['NUL', `${good}\0`],
    ['full-width digits', good.replace('3', '３')],
    ['an array of one', [good]],
    ['an object that says it is one', { toString: () => good }],
    ['empty text', ''],
    ['nothing', undefined],
    ['null', null],
    ['a number', 4],
  ])('refuses %s', (_what, value) => {
    expect(isUuidV4(value)).toBe(false);
  });
});

describe('uuidFrom', () => {
  it('is the same for the same parts, in version 4 form', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (parts) => {
        expect(uuidFrom(...parts)).toBe(uuidFrom(...parts));
        expect(isUuidV4(uuidFrom(...parts))).toBe(true);
      }),
    );
  });

  it('keeps parts apart', () => {
    const made = [['a', 'b'], ['ab'], ['ab', ''], ['', 'ab'], ['a', '1:b'], ['1:a1:b'], [], ['']];
    expect(new Set(made.map((parts) => uuidFrom(...parts))).size).toBe(made.length);
  });
});
