import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measured } from '../../../../test/support/loop-world.js';
import { verifies } from '../../../../test/support/verifies.js';
import { describeMissing, isAboutTests } from './missing.js';
import { type GateFacts, judgeGates } from './phase-gate.js';
import { type Phase, PRESETS } from './presets.js';

const AT = '2026-03-01T12:00:00.000Z';
const ALL = [...PRESETS.tdd.phases, ...PRESETS.work.phases, ...PRESETS.story.phases];
const phase = (name: string) =>
  name.startsWith('strict ')
    ? (PRESETS['tdd-strict'].phases.find((one) => one.name === name.slice(7)) as Phase)
    : (ALL.find((one) => one.name === name) as Phase);

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
  it.each(['REFACTOR', 'DOCUMENT'])('is not open in %s once tests are lost that it began with', (name) => {
    const facts = { documentsChangedInPhase: 1 };
    expect(judge(name, facts).canExit).toBe(true);
    expect(judge(name, { ...facts, measured: { ...measured(10), ...counts(9, 9) } })).toMatchObject({
      canExit: false,
      first: { satisfied: false, missing: [{ what: 'tests', have: 9, want: 10 }] },
    });
  });

  verifies('L11', 'needs a measurement and an explicit signal, both in this iteration', () => {
    expect(judge('GREEN')).toMatchObject({
      canExit: true,
      first: { satisfied: true, values: { tests_failing: 0, tests_total: 10 } },
      second: { satisfied: true, source: 'explicit_signal' },
    });
    for (const exitSignal of [false, undefined])
      expect(judge('GREEN', { claim: { metrics: {}, status: 'COMPLETE', exitSignal } })).toMatchObject({
        canExit: false,
        first: { satisfied: true },
        second: { satisfied: false, source: 'none' },
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
        }).first.satisfied,
      ).toBe(false);
      expect(
        judge('GREEN', { measured: measured(9, { ...counts(9, 9), exitCode: 0 }) }).first.satisfied,
      ).toBe(false);
      expect(judge('GREEN', { consecutiveGreenRuns: 1 }).first.satisfied).toBe(false);
      expect(judge('GREEN', { measured: measured(0, { tests: null, exitCode: 0 }) })).toMatchObject({
        first: { satisfied: true, values: { tests_total: 'unknown' } },
      });
      expect(judge('GREEN', { measured: measured(10, { exitCode: 1 }) }).first.satisfied).toBe(false);
    },
  );

  verifies(
    'L11',
    'tdd-strict RED: as many new tests fail as there are criteria, and no test of the baseline broke',
    () => {
      expect(
        judge('strict RED', { measured: measured(4, { ...counts(7, 4), exitCode: 1 }) }).first.satisfied,
      ).toBe(true);
      expect(
        judge('strict RED', { measured: measured(4, { ...counts(6, 4), exitCode: 1 }) }).first.satisfied,
      ).toBe(false);
      expect(
        judge('strict RED', { measured: measured(3, { ...counts(7, 3), exitCode: 1 }) }).first.satisfied,
      ).toBe(false);
      expect(
        judge('strict RED', { measured: measured(0, { ...counts(0, 0) }), criteriaCount: 0, baseline: null })
          .first.satisfied,
      ).toBe(false);
      expect(
        judge('strict RED', { measured: measured(0, { tests: null, exitCode: 1 }) }).first.satisfied,
      ).toBe(true);
      const failedBefore = { exitCode: 2, tests: null };
      expect(
        judge('strict RED', { measured: measured(0, { tests: null, exitCode: 1 }), baseline: failedBefore })
          .first.satisfied,
      ).toBe(false);
    },
  );

  verifies(
    'L11',
    'tdd-strict REFACTOR and DOCUMENT, and STORY, are measured too; a claim alone opens nothing',
    () => {
      const boast = {
        metrics: { refactoring_complete: true, docs_generated: 9, has_adr: true },
        exitSignal: true,
      };
      expect(judge('strict REFACTOR', { claim: boast, measured: measured(9) }).first.satisfied).toBe(false);
      expect(judge('strict REFACTOR', { claim: boast, filesChangedInPhase: 0 }).first.satisfied).toBe(true);
      expect(judge('strict REFACTOR', { filesChangedInPhase: 0 }).first.satisfied).toBe(false);
      expect(judge('strict REFACTOR', { filesChangedInPhase: 0, iteration: 5 }).first.satisfied).toBe(true);
      expect(judge('strict DOCUMENT', { claim: boast }).first.satisfied).toBe(false);
      expect(
        judge('strict DOCUMENT', { measured: measured(10, { documents: { total: 3, decisionRecords: 1 } }) })
          .first.satisfied,
      ).toBe(true);
      expect(
        judge('STORY', { measured: measured(10, { tasks: { total: 3, done: 2 } }) }).first.satisfied,
      ).toBe(false);
      expect(
        judge('STORY', { measured: measured(10, { tasks: { total: 3, done: 3 } }) }).first.satisfied,
      ).toBe(true);
      expect(
        judge('STORY', { measured: measured(10, { tasks: { total: 0, done: 0 } }) }).first.satisfied,
      ).toBe(false);
    },
  );

  verifies('R04', 'tdd RED: one new failing test is enough, whatever the number of criteria', () => {
    expect(judge('RED', { measured: measured(5, { ...counts(6, 5), exitCode: 1 }) })).toMatchObject({
      canExit: true,
      first: { missing: [] },
    });
    expect(judge('RED', { measured: measured(5, { ...counts(5, 5), exitCode: 0 }) }).first).toMatchObject({
      satisfied: false,
      missing: [{ what: 'new-failing-tests', have: 0, want: 1 }],
    });
    expect(judge('RED', { measured: measured(3, { ...counts(6, 3), exitCode: 1 }) }).first).toMatchObject({
      satisfied: false,
      missing: [{ what: 'earlier-tests', have: 3, want: 4 }],
    });
    const exitOnly = (exitCode: number, before: number) =>
      judge('RED', {
        measured: measured(0, { tests: null, exitCode }),
        baseline: { exitCode: before, tests: null },
      }).first;
    expect(exitOnly(1, 0)).toMatchObject({ satisfied: true });
    expect(exitOnly(0, 0)).toMatchObject({ missing: [{ what: 'failing-checks' }] });
    expect(exitOnly(1, 1)).toMatchObject({ missing: [{ what: 'green-baseline' }] });
  });

  verifies(
    'R04',
    'tdd GREEN: as many tests as baseline and new, green twice in a row; criteria do not count',
    () => {
      const facts = { newTests: 1, criteriaCount: 9, baseline: { exitCode: 0, tests: counts(4, 4).tests } };
      expect(
        judge('GREEN', { ...facts, measured: measured(5, { ...counts(5, 5), exitCode: 0 }) }).canExit,
      ).toBe(true);
      expect(
        judge('GREEN', { ...facts, measured: measured(4, { ...counts(4, 4), exitCode: 0 }) }).first,
      ).toMatchObject({
        missing: [{ what: 'tests', have: 4, want: 5 }],
      });
      expect(
        judge('GREEN', {
          ...facts,
          measured: measured(5, { ...counts(5, 5), exitCode: 0 }),
          consecutiveGreenRuns: 1,
        }).first,
      ).toMatchObject({
        missing: [{ what: 'green-runs', have: 1, want: 2 }],
      });
      expect(judge('GREEN', { ...facts, measured: measured(3, { ...counts(5, 3) }) }).first).toMatchObject({
        missing: [{ what: 'passing-tests', have: 3, want: 5 }],
      });
    },
  );

  verifies(
    'R04',
    'tdd REFACTOR: green checks; DOCUMENT: a document that changed, or a reason why none has to',
    () => {
      expect(judge('REFACTOR', { filesChangedInPhase: 0 }).canExit).toBe(true);
      expect(judge('REFACTOR', { measured: measured(9) }).canExit).toBe(false);
      expect(judge('DOCUMENT').first.missing).toEqual([{ what: 'changed-documents', have: 0, want: 1 }]);
      expect(judge('DOCUMENT', { documentsChangedInPhase: 1 }).canExit).toBe(true);
      const because = (reason: string | boolean) =>
        judge('DOCUMENT', { claim: { exitSignal: true, metrics: { no_documents_needed: reason } } }).canExit;
      expect(because('the README was written in GREEN')).toBe(true);
      for (const empty of ['', ' ', '<reason>', true]) expect(because(empty)).toBe(false);
    },
  );

  verifies('R04', 'work: green checks and files changed in the phase, nothing else', () => {
    const facts = { newTests: 0, criteriaCount: 5, consecutiveGreenRuns: 1 };
    expect(judge('WORK', facts).canExit).toBe(true);
    expect(judge('WORK', { ...facts, measured: measured(0, { tests: null, exitCode: 0 }) }).canExit).toBe(
      true,
    );
    expect(judge('WORK', { ...facts, filesChangedInPhase: 0 }).first.missing).toEqual([
      { what: 'changed-files', have: 0, want: 1 },
    ]);
    expect(
      judge('WORK', { ...facts, measured: measured(0, { tests: null, exitCode: 2 }) }).first.missing,
    ).toEqual([{ what: 'passing-checks', have: 2, want: 0 }]);
  });

  verifies('R04', 'what is missing is shown in numbers, for the published presets too', () => {
    const words = (name: string, facts: Partial<GateFacts>) =>
      describeMissing(judge(name, facts).first.missing ?? []);
    expect(words('strict RED', { measured: measured(4, { ...counts(6, 4), exitCode: 1 }) })).toBe(
      'needs 3 new failing tests, has 2',
    );
    expect(
      words('strict DOCUMENT', { measured: measured(9, { documents: { total: 1, decisionRecords: 0 } }) }),
    ).toBe('9 of 10 tests pass · needs 3 documents, has 1 · needs 1 decision record, has 0');
    expect(words('WORK', { filesChangedInPhase: 0 })).toBe('no files changed');
    expect(words('STORY', { measured: measured(10, { tasks: { total: 3, done: 2 } }) })).toBe(
      '2 of 3 tasks done',
    );
    expect(words('GREEN', {})).toBe('');
  });

  it('a test that the plan does not need is what --phases work is for', () => {
    const about = (name: string, facts: Partial<GateFacts>) =>
      isAboutTests(judge(name, facts).first.missing ?? []);
    expect(about('RED', { measured: measured(4, { ...counts(4, 4), exitCode: 0 }) })).toBe(true);
    expect(about('GREEN', { measured: measured(9) })).toBe(false);
    expect(about('WORK', { filesChangedInPhase: 0 })).toBe(false);
  });

  it('stays shut when nothing was measured', () => {
    for (const { name } of ALL) {
      expect(judge(name, { measured: null }).canExit).toBe(false);
      expect(judge(name, { measured: measured(0, { tests: null, exitCode: null }) }).canExit).toBe(false);
    }
  });

  it('never passes on 0 of 0, whatever else is claimed', () => {
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
    const names = [
      ...ALL.map(({ name }) => name),
      ...PRESETS['tdd-strict'].phases.map(({ name }) => `strict ${name}`),
    ];
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
