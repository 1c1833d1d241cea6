import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.js';
import { toDisk } from './disk-keys.js';
import {
  countdown,
  mayCall,
  newRateLimit,
  recordAnswer,
  recordCall,
  recordLimit,
  roll,
} from './rate-limit.js';
import { RateLimit } from './schema.js';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(START + minutes * 60_000);

describe('calls per hour', () => {
  verifies('L12', 'after the limit the next call waits until the oldest minute has left the hour', () => {
    let limit = newRateLimit(2);
    limit = recordCall(recordCall(limit, at(0)), at(10));
    expect(limit.hourly).toMatchObject({
      callsMade: 2,
      windowStart: at(0).toISOString(),
      nextReset: at(61).toISOString(),
    });
    expect(mayCall(limit, at(59))).toEqual({
      isAllowed: false,
      until: at(61).toISOString(),
      reason: '2 calls within an hour',
    });
    expect(mayCall(limit, at(61))).toEqual({ isAllowed: true });
    expect(mayCall(recordCall(limit, at(61)), at(62))).toMatchObject({
      isAllowed: false,
      until: at(71).toISOString(),
    });
  });

  it('no hour ever has more calls than allowed, and a restart changes nothing', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 40 * 60_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), gaps, (allowed, steps) => {
        let limit = newRateLimit(allowed);
        let now = START;
        const calls: number[] = [];
        for (const gap of steps) {
          now += gap;
          // As it comes back from disk.
          limit = RateLimit.parse(JSON.parse(JSON.stringify(toDisk(limit))));
          const permission = mayCall(limit, new Date(now));
          if (!permission.isAllowed) {
            expect(Date.parse(permission.until)).toBeGreaterThan(now);
            expect(mayCall(limit, new Date(permission.until))).toEqual({ isAllowed: true });
            continue;
          }
          limit = recordCall(limit, new Date(now));
          calls.push(now);
          expect(calls.filter((time) => time > now - 3_600_000).length).toBeLessThanOrEqual(allowed);
          expect(limit.hourly.callsMade).toBeLessThanOrEqual(allowed);
        }
      }),
    );
  });

  it('a window of the future, or one that ends before it starts, is a fresh one', () => {
    const limit = recordCall(newRateLimit(1), at(100));
    expect(mayCall(limit, at(0))).toEqual({ isAllowed: true });
    expect(roll(limit, at(0)).hourly).toMatchObject({ callsMade: 0, windowStart: null, nextReset: null });
  });

  it('takes over the count of a file that somebody else wrote', () => {
    const foreign = RateLimit.parse({
      hourly: {
        calls_made: 100,
        limit: 100,
        window_start: at(0).toISOString(),
        next_reset: at(60).toISOString(),
      },
    });
    expect(mayCall(foreign, at(30))).toMatchObject({ isAllowed: false });
    expect(mayCall(foreign, at(62))).toEqual({ isAllowed: true });
  });
});

describe("the agent's own limits", () => {
  verifies('L12', 'a quota waits for the time it names, within bounds; without one for an hour', () => {
    const until = (resetsAt?: Date, scope?: string) => {
      const permission = mayCall(
        recordLimit(newRateLimit(9), { kind: 'quota', resetsAt, scope }, at(0)),
        at(0),
      );
      return permission.isAllowed ? undefined : permission.until;
    };
    expect(until(at(150))).toBe(at(150).toISOString());
    expect(until(at(-10))).toBe(at(1).toISOString());
    expect(until(at(60 * 24))).toBe(at(6 * 60).toISOString());
    expect(until(at(60 * 24 * 3), 'seven_day')).toBe(at(60 * 24 * 3).toISOString());
    expect(until()).toBe(at(60).toISOString());
    expect(until(new Date(Number.NaN))).toBe(at(60).toISOString());
  });

  verifies('L12', 'overload backs off, longer each time, and is over with the first answer', () => {
    let limit = newRateLimit(9);
    const waits: number[] = [];
    for (let count = 0; count < 9; count++) {
      limit = recordLimit(limit, { kind: 'overload' }, at(0));
      waits.push(Date.parse(limit.overload.retryAt ?? '') - START);
    }
    expect(waits.slice(0, 4)).toEqual([30_000, 60_000, 120_000, 240_000]);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits.at(-1)).toBe(30 * 60_000);
    expect(mayCall(limit, at(0))).toMatchObject({
      isAllowed: false,
      reason: "the agent's service is overloaded",
    });
    expect(mayCall(recordAnswer(limit), at(0))).toEqual({ isAllowed: true });
    expect(
      recordLimit(newRateLimit(9), { kind: 'overload', retryAfterMs: 90_000 }, at(0)).overload.retryAt,
    ).toBe(at(1.5).toISOString());
  });

  it('disabled is not something to wait for', () => {
    const limit = newRateLimit(9);
    expect(recordLimit(limit, { kind: 'disabled', message: 'by your admin' }, at(0))).toBe(limit);
  });

  it.each([
    [754, '12m 34s'],
    [45, '45s'],
    [3_725, '1h 2m'],
    [0, 'Ready to resume'],
    [-5, 'Ready to resume'],
  ])('%i seconds are told as %s', (seconds, text) => {
    expect(countdown(new Date(START + seconds * 1_000).toISOString(), at(0))).toBe(text);
  });
});
