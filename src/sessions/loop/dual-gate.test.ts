import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measured } from '../../../test/support/loop-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { type GateFacts, judgeGates } from './dual-gate.js';
import { type Phase, PRESETS } from './presets.js';

const AT = '2026-03-01T12:00:00.000Z';
const phase = (name: string) =>
  [...PRESETS.tdd.phases, ...PRESETS.story.phases].find((one) => one.name === name) as Phase;

function judge(name: string, overrides: Partial<GateFacts> = {}) {
  return judgeGates(
    {
      phase: phase(name),
      iteration: 1,
      measured: measured(10),
      claim: { metrics: {}, exitSignal: true },
      baseline: { exitCode: 0, tests: { total: 4, passing: 4, failing: 0, skipped: 0 } },
      criteriaCount: 3,
      newTests: 6,
      consecutiveGreenRuns: 2,
      filesChangedInPhase: 1,
      ...overrides,
    },
    AT,
  );
}

const counts = (total: number, passing: number) => ({
  tests: { total, passing, failing: total - passing, skipped: 0 },
});

describe('the dual gate', () => {
  verifies('L11', 'needs what was measured and an explicit signal, both in this iteration', () => {
    expect(judge('GREEN')).toMatchObject({
      canExit: true,
      gate_1: { satisfied: true, values: { tests_failing: 0, tests_total: 10 } },
      gate_2: { satisfied: true, source: 'explicit_signal' },
    });
    for (const exitSignal of [false, undefined])
      expect(judge('GREEN', { claim: { metrics: {}, status: 'COMPLETE', exitSignal } })).toMatchObject({
        canExit: false,
        gate_1: { satisfied: true },
        gate_2: { satisfied: false, source: 'none' },
      });
    expect(judge('GREEN', { measured: measured(9) }).canExit).toBe(false);
  });

  verifies(
    'L11',
    'GREEN: 0 of 0 tests, too few tests, a single green run do not pass; an exit code alone can',
    () => {
      expect(
        judge('GREEN', {
          measured: measured(0, { ...counts(0, 0), exitCode: 0 }),
          baseline: null,
          newTests: 0,
          criteriaCount: 0,
        }).gate_1.satisfied,
      ).toBe(false);
      expect(
        judge('GREEN', { measured: measured(9, { ...counts(9, 9), exitCode: 0 }) }).gate_1.satisfied,
      ).toBe(false);
      expect(judge('GREEN', { consecutiveGreenRuns: 1 }).gate_1.satisfied).toBe(false);
      expect(judge('GREEN', { measured: measured(0, { tests: null, exitCode: 0 }) })).toMatchObject({
        gate_1: { satisfied: true, values: { tests_total: 'unknown' } },
      });
      expect(judge('GREEN', { measured: measured(10, { exitCode: 1 }) }).gate_1.satisfied).toBe(false);
    },
  );

  verifies(
    'L11',
    'RED: as many new tests fail as there are criteria, and no test of the baseline broke',
    () => {
      expect(judge('RED', { measured: measured(4, { ...counts(7, 4), exitCode: 1 }) }).gate_1.satisfied).toBe(
        true,
      );
      expect(judge('RED', { measured: measured(4, { ...counts(6, 4), exitCode: 1 }) }).gate_1.satisfied).toBe(
        false,
      );
      expect(judge('RED', { measured: measured(3, { ...counts(7, 3), exitCode: 1 }) }).gate_1.satisfied).toBe(
        false,
      );
      expect(
        judge('RED', { measured: measured(0, { ...counts(0, 0) }), criteriaCount: 0, baseline: null }).gate_1
          .satisfied,
      ).toBe(false);
      expect(judge('RED', { measured: measured(0, { tests: null, exitCode: 1 }) }).gate_1.satisfied).toBe(
        true,
      );
      const failedBefore = { exitCode: 2, tests: null };
      expect(
        judge('RED', { measured: measured(0, { tests: null, exitCode: 1 }), baseline: failedBefore }).gate_1
          .satisfied,
      ).toBe(false);
    },
  );

  verifies('L11', 'REFACTOR, DOCUMENT and STORY are measured too; a claim alone opens nothing', () => {
    const boast = {
      metrics: { refactoring_complete: true, docs_generated: 9, has_adr: true },
      exitSignal: true,
    };
    expect(judge('REFACTOR', { claim: boast, measured: measured(9) }).gate_1.satisfied).toBe(false);
    expect(judge('REFACTOR', { claim: boast, filesChangedInPhase: 0 }).gate_1.satisfied).toBe(true);
    expect(judge('REFACTOR', { filesChangedInPhase: 0 }).gate_1.satisfied).toBe(false);
    expect(judge('REFACTOR', { filesChangedInPhase: 0, iteration: 5 }).gate_1.satisfied).toBe(true);
    expect(judge('DOCUMENT', { claim: boast }).gate_1.satisfied).toBe(false);
    expect(
      judge('DOCUMENT', { measured: measured(10, { documents: { total: 3, decisionRecords: 1 } }) }).gate_1
        .satisfied,
    ).toBe(true);
    expect(
      judge('STORY', { measured: measured(10, { tasks: { total: 3, done: 2 } }) }).gate_1.satisfied,
    ).toBe(false);
    expect(
      judge('STORY', { measured: measured(10, { tasks: { total: 3, done: 3 } }) }).gate_1.satisfied,
    ).toBe(true);
    expect(
      judge('STORY', { measured: measured(10, { tasks: { total: 0, done: 0 } }) }).gate_1.satisfied,
    ).toBe(false);
  });

  it('stays shut when nothing was measured', () => {
    for (const { name } of [...PRESETS.tdd.phases, ...PRESETS.story.phases]) {
      expect(judge(name, { measured: null }).canExit).toBe(false);
      expect(judge(name, { measured: measured(0, { tests: null, exitCode: null }) }).canExit).toBe(false);
    }
  });

  it('never passes on 0 of 0, whatever else is said', () => {
    const anything = fc.record({
      exitCode: fc.constantFrom(0, 1, null),
      iteration: fc.integer({ min: 1, max: 20 }),
      criteriaCount: fc.integer({ min: 0, max: 5 }),
      newTests: fc.integer({ min: 0, max: 5 }),
      consecutiveGreenRuns: fc.integer({ min: 0, max: 9 }),
      filesChangedInPhase: fc.integer({ min: 0, max: 9 }),
      documents: fc.integer({ min: 0, max: 9 }),
      isBoasting: fc.boolean(),
    });
    const names = [...PRESETS.tdd.phases, ...PRESETS.story.phases].map(({ name }) => name);
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        anything,
        (name, { exitCode, documents, isBoasting, ...rest }) => {
          const { canExit } = judge(name, {
            ...rest,
            claim: {
              exitSignal: true,
              metrics: { refactoring_complete: isBoasting, tests_passing: 99, has_adr: true },
            },
            measured: measured(0, {
              ...counts(0, 0),
              exitCode,
              documents: { total: documents, decisionRecords: documents },
              tasks: { total: 1, done: 1 },
            }),
          });
          expect(canExit).toBe(false);
        },
      ),
    );
  });
});
