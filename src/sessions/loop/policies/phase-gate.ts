import type { Baseline, DualGate } from '../schema.js';
import type { Measurement, SelfReport } from './measurement.js';
import { isGreen, newFailing, reasonForNoDocuments } from './measurement.js';
import type { Missing } from './missing.js';
import type { GateName, Phase } from './presets.js';

/** What the gates are judged by. */
export interface GateFacts {
  readonly phase: Phase;
  /** Completed iterations of the phase, including this one. */
  readonly iteration: number;
  /** Null if nothing was measured in this iteration; then gate 1 stays shut. */
  readonly measured: Measurement | null;
  readonly claim: SelfReport;
  readonly baseline: Baseline | null;
  readonly criteriaCount: number;
  readonly newTests: number;
  readonly consecutiveGreenRuns: number;
  /** Files changed during the whole phase, and the documents among them. */
  readonly filesChangedInPhase: number;
  readonly documentsChangedInPhase?: number | undefined;
}

/** What a gate wants, in words, and what is missing. If nothing is missing, it is open. */
interface GateVerdict {
  readonly condition: string;
  readonly missing: readonly (Missing | null)[];
}

/** One green run may be luck. */
const GREEN_RUNS = 2;
/** After this many iterations a green refactoring is done, whatever could still be improved. */
const REFACTOR_ITERATIONS = 5;
const MIN_DOCUMENTS = 3;

/** Both gates for one iteration; nothing carries over from an earlier one. */
export function judgeGates(facts: GateFacts, at: string): DualGate {
  const { condition, missing } = judgeFirst(facts);
  const lacking = missing.filter((one) => one !== null);
  const isSatisfied = lacking.length === 0;
  const isSignalled = facts.claim.exitSignal === true;
  return {
    phase: facts.phase.name,
    iteration: facts.iteration,
    first: { satisfied: isSatisfied, condition, values: valuesOf(facts), missing: lacking },
    second: { satisfied: isSignalled, source: isSignalled ? 'explicit_signal' : 'none' },
    canExit: isSatisfied && isSignalled,
    timestamp: at,
  };
}

/** Whether the gate wants green checks more than once, which makes a second run worthwhile. */
export function wantsSecondRun({ gate }: Phase): boolean {
  return gate === 'tests-pass' || gate === 'all-pass';
}

/** Whether the purpose of the phase is failing tests. */
export function wantsFailingTests({ gate }: Phase): boolean {
  return gate === 'new-tests-fail' || gate === 'a-test-fails';
}

/** What a gate wants, in words, as far as it is known before the first measurement. */
export function conditionOf(phase: Phase, criteriaCount: number): string {
  return CONDITIONS[phase.gate](criteriaCount);
}

function judgeFirst(facts: GateFacts): GateVerdict {
  const { measured } = facts;
  if (measured === null || (measured.exitCode === null && measured.tests === null))
    return { condition: 'nothing was measured', missing: [lack('measurement', 0, 1)] };
  return GATE[facts.phase.gate](facts, measured);
}

const GATE: Readonly<Record<GateName, (facts: GateFacts, measured: Measurement) => GateVerdict>> = {
  'a-test-fails': (facts, measured) => judgeNewTests(facts, measured, 1),
  'new-tests-fail': (facts, measured) => judgeNewTests(facts, measured, Math.max(1, facts.criteriaCount)),
  'all-pass': (facts, measured) => judgePassing(facts, measured, 1),
  'tests-pass': (facts, measured) => judgePassing(facts, measured, Math.max(1, facts.criteriaCount)),
  'checks-green': (facts, measured) => ({
    condition: conditionOf(facts.phase, 0),
    missing: [notGreen(measured), lostTests(facts, measured)],
  }),
  'still-green': (facts, measured) => {
    const { refactoring_complete: isComplete, no_improvements_found: isNothingLeft } = facts.claim.metrics;
    const hasWorked = facts.filesChangedInPhase > 0 || isComplete === true || isNothingLeft === true;
    const isOver = hasWorked || facts.iteration >= REFACTOR_ITERATIONS;
    return {
      condition: conditionOf(facts.phase, 0),
      missing: [notGreen(measured), isOver ? null : lack('improvement', 0, 1)],
    };
  },
  'document-changed': (facts, measured) => {
    const changed = facts.documentsChangedInPhase ?? 0;
    const isWritten = changed > 0 || reasonForNoDocuments(facts.claim) !== null;
    return {
      condition: conditionOf(facts.phase, 0),
      missing: [
        notGreen(measured),
        lostTests(facts, measured),
        isWritten ? null : lack('changed-documents', changed, 1),
      ],
    };
  },
  documents: (facts, measured) => ({
    condition: conditionOf(facts.phase, 0),
    missing: [
      notGreen(measured),
      atLeast('documents', measured.documents.total, MIN_DOCUMENTS),
      atLeast('decision-records', measured.documents.decisionRecords, 1),
    ],
  }),
  'work-done': (facts, measured) => ({
    condition: conditionOf(facts.phase, 0),
    missing: [notGreen(measured), atLeast('changed-files', facts.filesChangedInPhase, 1)],
  }),
  'story-done': (facts, measured) => {
    const { done = 0, total = 0 } = measured.tasks ?? {};
    return {
      condition: conditionOf(facts.phase, 0),
      missing: [notGreen(measured), atLeast('tasks', done, Math.max(1, total))],
    };
  },
};

const STAY_GREEN = 'the checks pass';

/** What each gate wants, as far as it is known before the first measurement. */
const CONDITIONS: Readonly<Record<GateName, (criteriaCount: number) => string>> = {
  'a-test-fails': () => newTestsWords(1),
  'new-tests-fail': (criteriaCount) => newTestsWords(Math.max(1, criteriaCount)),
  'all-pass': () => `no test fails, and the checks pass ${GREEN_RUNS} times in a row`,
  'tests-pass': () => `no test fails, and the checks pass ${GREEN_RUNS} times in a row`,
  'checks-green': () => `${STAY_GREEN}, and no test is lost`,
  'still-green': () => `${STAY_GREEN}, and something was changed or nothing is left to change`,
  'document-changed': () =>
    `${STAY_GREEN}, no test is lost, and a document changed or there is a reason why none has to`,
  documents: () => `${STAY_GREEN}, and there are ${MIN_DOCUMENTS} documents, one of them a decision record`,
  'work-done': () => `${STAY_GREEN}, and files changed in this phase`,
  'story-done': () => `${STAY_GREEN}, and all tasks of the story are done`,
};

function newTestsWords(wanted: number): string {
  return wanted === 1
    ? 'at least 1 new test fails, and no test broke that passed before the run'
    : `at least ${wanted} new tests fail, and no test broke that passed before the run`;
}

function judgeNewTests(facts: GateFacts, measured: Measurement, wanted: number): GateVerdict {
  const { tests } = measured;
  if (tests !== null) {
    return {
      condition: newTestsWords(wanted),
      missing: [
        atLeast('new-failing-tests', Math.max(0, newFailing(tests, facts.baseline)), wanted),
        atLeast('earlier-tests', tests.passing, facts.baseline?.tests?.passing ?? 0),
      ],
    };
  }
  const wasGreen = (facts.baseline?.exitCode ?? 0) === 0;
  return {
    condition: wasGreen
      ? 'the checks, which passed before the run, fail now'
      : 'the checks failed before the run and report no test numbers: a new failure cannot be seen',
    missing: [
      wasGreen ? null : lack('green-baseline', 0, 1),
      measured.exitCode === 0 ? lack('failing-checks', 0, 1) : null,
    ],
  };
}

function judgePassing(facts: GateFacts, measured: Measurement, atLeastTests: number): GateVerdict {
  const { tests } = measured;
  const steady = isGreen(measured)
    ? atLeast('green-runs', facts.consecutiveGreenRuns, GREEN_RUNS)
    : notGreen(measured);
  if (tests === null) return { condition: `the checks pass ${GREEN_RUNS} times in a row`, missing: [steady] };
  const wanted = Math.max(atLeastTests, (facts.baseline?.tests?.total ?? 0) + facts.newTests);
  return {
    condition: `no test fails, there are at least ${wanted} tests, and the checks pass ${GREEN_RUNS} times in a row`,
    missing: [steady, atLeast('tests', tests.total, wanted)],
  };
}

/** Tests that existed before the run or were added in RED, and are gone: without them, green says nothing. */
function lostTests({ baseline, newTests }: GateFacts, { tests }: Measurement): Missing | null {
  return tests === null ? null : atLeast('tests', tests.total, (baseline?.tests?.total ?? 0) + newTests);
}

/** What keeps the checks from being green; null if they are. */
function notGreen(measured: Measurement): Missing | null {
  if (isGreen(measured)) return null;
  const { tests, exitCode } = measured;
  if (tests !== null && tests.total === 0) return lack('tests', 0, 1);
  if (tests !== null && tests.failing > 0)
    return lack('passing-tests', tests.passing, tests.passing + tests.failing);
  return lack('passing-checks', exitCode ?? 1, 0);
}

function atLeast(what: Missing['what'], have: number, want: number): Missing | null {
  return have >= want ? null : lack(what, have, want);
}

function lack(what: Missing['what'], have: number, want: number): Missing {
  return { what, have, want };
}

function valuesOf(facts: GateFacts): Record<string, unknown> {
  const { measured } = facts;
  const { tests = null, exitCode = null } = measured ?? {};
  return {
    exit_code: exitCode,
    tests_total: tests?.total ?? 'unknown',
    tests_passing: tests?.passing ?? 'unknown',
    tests_failing: tests?.failing ?? 'unknown',
    consecutive_green_runs: facts.consecutiveGreenRuns,
    ...(measured?.tasks === undefined
      ? {}
      : { tasks_done: measured.tasks.done, tasks_total: measured.tasks.total }),
  };
}
