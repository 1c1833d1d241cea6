import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.js';
import { RateLimit } from '../schema.js';
import {
  countdown,
  endWait,
  type LimitSignal,
  limitWait,
  mayCall,
  newRateLimit,
  recordAnswer,
  recordCall,
  recordLimit,
  roll,
} from './rate-limit.js';

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
    expect(limitWait(limit, at(59))).toEqual({
      cause: 'calls-per-hour',
      until: at(61).toISOString(),
      calls: 2,
    });
    expect(mayCall(limit, at(61))).toEqual({ isAllowed: true });
    expect(limitWait(recordCall(limit, at(61)), at(62))).toMatchObject({ until: at(71).toISOString() });
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
          // As it would be read back from disk.
          limit = RateLimit.fromDisk(JSON.parse(JSON.stringify(RateLimit.toDisk(limit))));
          const permission = mayCall(limit, new Date(now));
          if (!permission.isAllowed) {
            expect(Date.parse(permission.wait.until)).toBeGreaterThan(now);
            expect(mayCall(limit, new Date(permission.wait.until))).toEqual({ isAllowed: true });
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

  it('a window in the future, or one that ends before it starts, counts as fresh', () => {
    const limit = recordCall(newRateLimit(1), at(100));
    expect(mayCall(limit, at(0))).toEqual({ isAllowed: true });
    expect(roll(limit, at(0)).hourly).toMatchObject({ callsMade: 0, windowStart: null, nextReset: null });
  });

  it('takes over the count of a file written by another program', () => {
    const foreign = RateLimit.fromDisk({
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
  const waitAfter = (signal: LimitSignal, limit = newRateLimit(9)) =>
    limitWait(recordLimit(limit, signal, at(0)), at(0));

  verifies(
    'R11',
    'a quota waits for the time the service gives, however far off, with scope and words',
    () => {
      const until = (resetsAt: Date) => waitAfter({ kind: 'quota', resetsAt })?.until;
      expect(waitAfter({ kind: 'quota', resetsAt: at(150), scope: 'weekly', words: 'wait!' })).toEqual({
        cause: 'quota',
        until: at(150).toISOString(),
        scope: 'weekly',
        words: 'wait!',
      });
      expect(until(at(0.2))).toBe(at(0.2).toISOString());
      expect(until(at(60 * 24 * 6))).toBe(at(60 * 24 * 6).toISOString());
      expect(until(at(60 * 24 * 31))).toBe(at(60 * 24 * 31).toISOString());
    },
  );

  verifies('R11', 'a limit without a known end backs off from 30 seconds to 30 minutes', () => {
    const untold = [undefined, null, at(-10), at(60 * 24 * 400), new Date(Number.NaN)];
    for (const resetsAt of untold)
      expect(waitAfter({ kind: 'quota', resetsAt })?.until).toBe(at(0.5).toISOString());
    for (const signal of [{ kind: 'quota' }, { kind: 'overload' }, { kind: 'network' }] as const) {
      let limit = newRateLimit(9);
      const waits: number[] = [];
      for (let count = 0; count < 9; count++) {
        limit = recordLimit(limit, signal, at(0));
        waits.push(Date.parse(limitWait(limit, at(0))?.until ?? '') - START);
      }
      expect(waits.slice(0, 4)).toEqual([30_000, 60_000, 120_000, 240_000]);
      expect(waits).toEqual([...waits].sort((a, b) => a - b));
      expect(waits.at(-1)).toBe(30 * 60_000);
      expect(mayCall(recordAnswer(limit), at(0))).toEqual({ isAllowed: true });
      expect(limitWait(recordLimit(recordAnswer(limit), signal, at(0)), at(0))?.until).toBe(
        at(0.5).toISOString(),
      );
    }
  });

  verifies('L12', 'overload waits at least as long as the service asks for', () => {
    expect(waitAfter({ kind: 'overload', status: 529, retryAt: at(1.5), words: 'slow' })).toEqual({
      cause: 'overload',
      until: at(1.5).toISOString(),
      status: 529,
      words: 'slow',
    });
    expect(waitAfter({ kind: 'overload', retryAt: at(0.1) })?.until).toBe(at(0.5).toISOString());
  });

  verifies('R11', 'a person can end any wait, and after another limit it is as patient as before', () => {
    const twice = recordLimit(
      recordLimit(newRateLimit(9), { kind: 'network' }, at(0)),
      { kind: 'network' },
      at(1),
    );
    const tried = endWait(twice, at(1));
    expect(limitWait(tried, at(1))).toBeNull();
    expect(limitWait(recordLimit(tried, { kind: 'network' }, at(1)), at(1))?.until).toBe(at(3).toISOString());
    const quota = recordLimit(newRateLimit(9), { kind: 'quota', resetsAt: at(9_000) }, at(0));
    expect(limitWait(endWait(quota, at(0)), at(0))).toBeNull();
    const calls = recordCall(newRateLimit(1), at(0));
    expect(limitWait(calls, at(1))?.cause).toBe('calls-per-hour');
    expect(limitWait(endWait(calls, at(1)), at(1))).toBeNull();
    const called = recordCall(newRateLimit(2), at(0));
    expect(endWait(called, at(1)).hourly).toEqual(called.hourly);
  });

  it('is known after a restart', () => {
    const limit = recordLimit(
      newRateLimit(9),
      { kind: 'quota', resetsAt: at(9), scope: '5h', words: 'x' },
      at(0),
    );
    const restored = RateLimit.fromDisk(JSON.parse(JSON.stringify(RateLimit.toDisk(limit))));
    expect(limitWait(restored, at(0))).toEqual(limitWait(limit, at(0)));
  });

  it('a file of the first release keeps waiting for the same thing', () => {
    const old = RateLimit.fromDisk({
      hourly: {},
      anthropic_5h: { detected: true, resume_at: at(9).toISOString(), waiting: true, kind: null },
      overload: { count: 0, retry_at: null },
    });
    expect(limitWait(old, at(0))).toEqual({
      cause: 'quota',
      until: at(9).toISOString(),
      scope: null,
      words: null,
    });
  });

  it('a hopeless limit is not waited for', () => {
    const limit = newRateLimit(9);
    expect(recordLimit(limit, { kind: 'hopeless', reason: 'by your admin' }, at(0))).toBe(limit);
  });

  it.each([
    [754, '12m 34s'],
    [45, '45s'],
    [3_725, '1h 2m'],
    [200_000, '2d 7h'],
    [0, 'Ready to resume'],
    [-5, 'Ready to resume'],
  ])('%i seconds are told as %s', (seconds, text) => {
    expect(countdown(new Date(START + seconds * 1_000).toISOString(), at(0))).toBe(text);
  });
});
