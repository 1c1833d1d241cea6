import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measured } from '../../../../test/support/loop-world.js';
import { verifies } from '../../../../test/support/verifies.js';
import type { Breaker } from '../schema.js';
import {
  afterIteration,
  type BreakerFacts,
  CLOSED_BREAKER,
  enterPhase,
  resetBreaker,
} from './circuit-breaker.js';
import { hashError } from './error-hash.js';
import { PRESETS } from './presets.js';

const AT = '2026-03-01T12:00:00.000Z';
const [RED, GREEN, REFACTOR, DOCUMENT] = PRESETS.tdd.phases as [
  BreakerFacts['phase'],
  BreakerFacts['phase'],
  BreakerFacts['phase'],
  BreakerFacts['phase'],
];

function facts(overrides: Partial<BreakerFacts> = {}): BreakerFacts {
  return {
    phase: GREEN,
    measured: measured(3, { hasTreeChanged: false }),
    claim: { metrics: {} },
    run: 'answered',
    error: null,
    permissionDenials: 0,
    consecutiveGreenRuns: 0,
    ...overrides,
  };
}

function breakerAfter(steps: readonly Partial<BreakerFacts>[], start: Breaker = CLOSED_BREAKER): Breaker {
  return steps.reduce<Breaker>((breaker, step) => afterIteration(breaker, facts(step), AT), start);
}

/** The first iteration counts as progress: there are no earlier numbers. */
const FIRST = {};
const STUCK = {};

describe('the circuit breaker', () => {
  for (const [phase, limit] of [
    [RED, 3],
    [GREEN, 2],
    [REFACTOR, 5],
    [DOCUMENT, 3],
  ] as const) {
    verifies('L10', `${phase.name} opens after ${limit} iterations without progress, not before`, () => {
      const stuck = {
        phase,
        measured: measured(0, {
          tests: { total: 0, passing: 0, failing: 0, skipped: 0 },
          hasTreeChanged: false,
        }),
      };
      const states = Array.from(
        { length: limit },
        (_, count) => breakerAfter(Array(count + 1).fill(stuck)).state,
      );
      expect(states.indexOf('OPEN')).toBe(limit - 1);
      expect(breakerAfter(Array(limit).fill(stuck))).toMatchObject({
        openedAt: AT,
        openReason: `no progress in ${limit} iterations of ${phase.name}`,
      });
    });
  }

  for (const [phase, limit] of [
    [RED, 5],
    [GREEN, 3],
  ] as const) {
    verifies('L10', `${phase.name} opens after the same error in ${limit} iterations`, () => {
      const patient = { ...phase, noProgress: 100 };
      const step = (count: number) => ({
        phase: patient,
        error: `TypeError at /tmp/run-${count}/a.ts:${count}:7`,
      });
      const breaker = breakerAfter(Array.from({ length: limit + 1 }, (_, count) => step(count)));
      expect(breaker).toMatchObject({
        state: 'OPEN',
        openReason: `the same error in ${limit} iterations of ${phase.name}`,
      });
    });
  }

  verifies('L10', 'is half open after two iterations without progress, and closed by progress', () => {
    const stuck = { phase: RED };
    const half = breakerAfter([{ phase: RED }, stuck, stuck]);
    expect(half.state).toBe('HALF_OPEN');
    const closed = afterIteration(
      half,
      facts({
        phase: RED,
        measured: measured(3, { tests: { total: 12, passing: 3, failing: 9, skipped: 0 } }),
      }),
      AT,
    );
    expect(closed).toMatchObject({ state: 'CLOSED', noProgressCount: 0 });
    expect(closed.history.filter(({ event }) => event === 'state_change')).toEqual([
      {
        timestamp: AT,
        event: 'state_change',
        fromState: 'CLOSED',
        toState: 'HALF_OPEN',
        reason: 'no progress in 2 iterations',
      },
      { timestamp: AT, event: 'state_change', fromState: 'HALF_OPEN', toState: 'CLOSED', reason: 'progress' },
    ]);
  });

  verifies('L10', 'opens after two iterations with permission denials', () => {
    const denied = (passing: number) => ({ measured: measured(passing), permissionDenials: 3 });
    expect(breakerAfter([denied(1), denied(2)])).toMatchObject({
      state: 'OPEN',
      openReason: 'permission denied in 2 iterations in a row',
    });
  });

  verifies('L10', 'opens after three failed runs, including crashes, and reports the last error', () => {
    const patient = { ...GREEN, noProgress: 100 };
    const runs = ['failed', 'timed-out', 'crashed'] as const;
    const failures = runs.map((run) => ({ run, measured: null, error: `it ${run}.\nat line 1` }));
    const openReason = '3 runs in a row failed; the last one: it crashed';
    expect(breakerAfter(failures.map((facts) => ({ ...facts, phase: patient })))).toMatchObject({
      state: 'OPEN',
      openReason,
    });
    // The reason is the failures, not the lack of progress.
    expect(breakerAfter(failures.map((facts) => ({ ...facts, phase: RED })))).toMatchObject({ openReason });
    expect(breakerAfter(failures.slice(1).map((facts) => ({ ...facts, phase: GREEN })))).toMatchObject({
      openReason: '2 runs in a row failed; the last one: it crashed',
    });
    expect(
      breakerAfter([{ run: 'failed', phase: patient }, { phase: patient }, { run: 'failed', phase: patient }])
        .failedRunCount,
    ).toBe(1);
  });

  verifies(
    'L10',
    'reset makes it half open with counters at zero; a new phase closes it and keeps the history',
    () => {
      const open = breakerAfter([FIRST, STUCK, STUCK]);
      expect(open.state).toBe('OPEN');
      const reset = resetBreaker(open, 'reset by a person', AT);
      expect(reset).toMatchObject({
        state: 'HALF_OPEN',
        noProgressCount: 0,
        openedAt: null,
        openReason: null,
      });
      expect(breakerAfter([STUCK], reset).state).toBe('HALF_OPEN');
      expect(breakerAfter([STUCK, STUCK], reset).state).toBe('OPEN');
      const entered = enterPhase(open, 'REFACTOR', AT);
      expect(entered).toMatchObject({
        state: 'CLOSED',
        noProgressCount: 0,
        sameErrorCount: 0,
        lastErrorHash: null,
      });
      expect(entered.history.length).toBe(open.history.length + 1);
    },
  );

  it('work that continues while the checks are green is progress; merely being green again is not', () => {
    const green = (hasTreeChanged: boolean) => ({ measured: measured(10, { hasTreeChanged }) });
    expect(breakerAfter([green(true), green(true), green(true)])).toMatchObject({
      state: 'CLOSED',
      noProgressCount: 0,
    });
    expect(breakerAfter([green(false), green(false), green(false)])).toMatchObject({
      state: 'OPEN',
      openReason: 'no progress in 2 iterations of GREEN',
    });
  });

  for (const [phase, limit] of [
    [RED, 3],
    [GREEN, 2],
    [REFACTOR, 5],
    [DOCUMENT, 3],
    [PRESETS.work.phases[0] as BreakerFacts['phase'], 3],
    ...PRESETS['tdd-strict'].phases.map((strict) => [strict, strict.noProgress] as const),
  ] as const) {
    it(`the first numbers of ${phase.name} (${phase.gate}) are not progress if they are the same as before`, () => {
      const tests = { total: 4, passing: 4, failing: 0, skipped: 0 };
      const idle = {
        phase,
        before: { exitCode: 0, tests },
        measured: measured(4, {
          tests,
          exitCode: 0,
          hasTreeChanged: false,
          documents: { total: 7, decisionRecords: 2, changed: 0 },
        }),
      };
      const states = Array.from({ length: limit }, (_, n) => breakerAfter(Array(n + 1).fill(idle)).state);
      expect(states.indexOf('OPEN')).toBe(limit - 1);
      expect(breakerAfter(Array(limit).fill(idle)).openReason).toBe(
        `no progress in ${limit} iterations of ${phase.name}`,
      );
    });
  }

  it('progress of one story says nothing about the next one', () => {
    const [story] = PRESETS.story.phases as [BreakerFacts['phase']];
    const step = (unit: string, done: number) => ({
      phase: story,
      unit,
      measured: measured(0, { tests: null, exitCode: 0, hasTreeChanged: false, tasks: { total: 3, done } }),
    });
    const first = breakerAfter([step('1', 3)]);
    expect(breakerAfter([step('2', 1)], enterPhase(first, '2', AT)).noProgressCount).toBe(0);
  });

  verifies('R10', 'failed runs are the stated cause if they are the cause, in every phase', () => {
    const failed = { run: 'failed' as const, measured: null, error: 'the model is confused' };
    expect(breakerAfter(Array(3).fill({ ...failed, phase: RED })).openReason).toBe(
      '3 runs in a row failed; the last one: the model is confused',
    );
    expect(breakerAfter(Array(2).fill({ ...failed, phase: GREEN })).openReason).toBe(
      '2 runs in a row failed; the last one: the model is confused',
    );
    const idle = { phase: RED, measured: measured(0, { hasTreeChanged: false }) };
    expect(breakerAfter([FIRST, idle, idle, { ...failed, phase: RED }].slice(1)).openReason).toBe(null);
    expect(
      breakerAfter([
        { ...idle, before: { exitCode: 1, tests: { total: 10, passing: 0, failing: 10, skipped: 0 } } },
        idle,
        { ...failed, phase: RED },
      ]).openReason,
    ).toBe('no progress in 3 iterations of RED');
  });

  it('an unchanged dirty tree is not progress; a changed one is, if tests are unknown', () => {
    const unknown = (hasTreeChanged: boolean) => ({
      measured: measured(0, { tests: null, exitCode: 1, hasTreeChanged }),
    });
    expect(breakerAfter([unknown(false), unknown(false)]).state).toBe('OPEN');
    expect(breakerAfter([unknown(true), unknown(true), unknown(true)]).state).toBe('CLOSED');
  });

  it('going down and up again is not progress', () => {
    expect(
      breakerAfter([{ measured: measured(5) }, { measured: measured(3) }, { measured: measured(5) }]).state,
    ).toBe('OPEN');
  });

  const step = fc.record({
    measured: fc.option(
      fc.record({
        passing: fc.integer({ min: 0, max: 10 }),
        isUnknown: fc.boolean(),
        hasTreeChanged: fc.boolean(),
      }),
    ),
    run: fc.constantFrom('answered', 'failed', 'timed-out', 'crashed', 'limited'),
    error: fc.option(fc.constantFrom('E one', 'E two')),
    permissionDenials: fc.integer({ min: 0, max: 2 }),
    consecutiveGreenRuns: fc.integer({ min: 0, max: 4 }),
  });

  it('without progress counts only upwards, by one at most, and explains every opening', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PRESETS.tdd.phases),
        fc.array(step, { maxLength: 12 }),
        (phase, steps) => {
          let breaker = CLOSED_BREAKER;
          for (const { measured: seen, ...rest } of steps) {
            const measurement =
              seen === null
                ? null
                : measured(seen.passing, {
                    hasTreeChanged: seen.hasTreeChanged,
                    ...(seen.isUnknown ? { tests: null } : {}),
                  });
            const after = afterIteration(
              breaker,
              facts({ ...rest, phase, measured: measurement } as Partial<BreakerFacts>),
              AT,
            );
            const grown = after.noProgressCount - breaker.noProgressCount;
            const hadProgress = after.history.length > breaker.history.length && after.noProgressCount === 0;
            if (!hadProgress && breaker.state !== 'OPEN') expect([0, 1]).toContain(grown);
            if (breaker.state === 'OPEN') expect(after).toBe(breaker);
            if (after.state === 'OPEN') {
              expect(after.openReason).toMatch(/no progress|same error|permission denied|failed/);
              expect(after.openedAt).toBe(AT);
              expect(
                after.history.some(
                  ({ toState, reason }) => toState === 'OPEN' && reason === after.openReason,
                ),
              ).toBe(true);
            } else expect([after.openReason, after.openedAt]).toEqual([null, null]);
            breaker = after;
          }
        },
      ),
    );
  });
});

describe('the hash of an error', () => {
  it.each([
    ['line numbers', 'Error at a.ts:10:3', 'Error at a.ts:99:1'],
    ['directories', 'ENOENT: /tmp/x1/project/a.ts', 'ENOENT: /home/me/project/a.ts'],
    [
      'times and ids',
      'at 2026-01-01T10:00:00Z id 123e4567-e89b-42d3-a456-426614174000',
      'at 2026-02-02T11:11:11Z id 00000000-0000-4000-8000-000000000000',
    ],
    ['addresses, colours and blanks', '\u001b[31mbad\u001b[0m  pointer 0xdeadbeef', 'bad pointer 0x1'],
  ])('does not see %s', (_what, one, two) => {
    expect(hashError(one)).toBe(hashError(two));
  });

  it('tells different errors apart', () => {
    expect(hashError('TypeError: x is not a function')).not.toBe(
      hashError('ReferenceError: x is not defined'),
    );
    expect(hashError('x')).toMatch(/^[0-9a-f]{64}$/);
  });
});
