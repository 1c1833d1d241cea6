import * as crypto from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUuidV4 } from '../../foundation/index.js';
import * as light from './light-crypto.js';

describe('the digest of the commands that start often', () => {
  it('is that of node:crypto', () => {
    const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const [ours, theirs] = [light.createHash('sha256'), crypto.createHash('sha256')];
        for (const one of parts) {
          ours.update(one);
          theirs.update(one);
        }
        expect(ours.digest('hex')).toBe(theirs.digest('hex'));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is that of node:crypto at every length around those of its blocks, and for long texts', () => {
    for (const length of [...Array(200).keys(), 2_039, 2_040, 2_047, 2_048, 2_049, 100_000]) {
      const bytes = crypto.randomBytes(length);
      const theirs = crypto.createHash('sha256').update(bytes).digest();
      expect([length, light.createHash('sha256').update(bytes).digest().equals(theirs)]).toEqual([
        length,
        true,
      ]);
    }
  });

  it('leaves every other algorithm to node:crypto', () => {
    expect(light.createHash('sha1').update('a').digest('hex')).toBe(
      crypto.createHash('sha1').update('a').digest('hex'),
    );
  });
});

describe('the random bytes of the commands that start often', () => {
  it('are as many as asked for, and never the same', () => {
    const seen = new Set<string>();
    for (let count = 0; count < 2_000; count++) {
      expect(light.randomBytes(16)).toHaveLength(16);
      seen.add(light.randomBytes(16).toString('hex'));
    }
    expect(seen.size).toBe(2_000);
    expect(light.randomBytes(0)).toHaveLength(0);
    expect(light.randomBytes(1_000)).toHaveLength(1_000);
  });

  it('have every bit set about half the time', () => {
    const counts = Array.from({ length: 128 }, () => 0);
    for (let round = 0; round < 4_000; round++)
      for (const [at, byte] of light.randomBytes(16).entries())
        for (let bit = 0; bit < 8; bit++)
          counts[at * 8 + bit] = (counts[at * 8 + bit] ?? 0) + ((byte >> bit) & 1);
    // Ten times the expected deviation.
    for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(320);
  });

  it('do not change when somebody writes into those given before', () => {
    const before = light.randomBytes(16);
    before.fill(0);
    expect(light.randomBytes(16).equals(before)).toBe(false);
  });

  it('make UUIDs of version 4', () => {
    const ids = Array.from({ length: 500 }, () => light.randomUUID());
    expect(ids.every(isUuidV4)).toBe(true);
    expect(new Set(ids).size).toBe(500);
  });
});
