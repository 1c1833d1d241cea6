import type { Claim, Measurement } from './measurement.js';
import { isGreen, newFailing } from './measurement.js';
import type { GateName, Phase } from './presets.js';
import type { Baseline, DualGate } from './schema.js';

/** What the gates are judged by. */
export interface GateFacts {
  readonly phase: Phase;
  /** Completed iterations of the phase, this one included. */
  readonly iteration: number;
  /** Null when nothing was measured in this iteration: then gate 1 stays shut. */
  readonly measured: Measurement | null;
  readonly claim: Claim;
  readonly baseline: Baseline | null;
  readonly criteriaCount: number;
  readonly newTests: number;
  readonly consecutiveGreenRuns: number;
  /** Files that changed during the whole phase. */
  readonly filesChangedInPhase: number;
}

interface Verdict {
  readonly satisfied: boolean;
  readonly condition: string;
}

/** One green run may be luck. */
const GREEN_RUNS = 2;
/** After so many iterations a green refactoring is done, whatever else could be improved. */
const REFACTOR_ITERATIONS = 5;
const MIN_DOCUMENTS = 3;

/** Both gates of one iteration; nothing is remembered from an earlier one. */
export function judgeGates(facts: GateFacts, at: string): DualGate {
  const first = judgeFirst(facts);
  const isSignalled = facts.claim.exitSignal === true;
  return {
    phase: facts.phase.name,
    iteration: facts.iteration,
    gate_1: { ...first, values: valuesOf(facts) },
    gate_2: { satisfied: isSignalled, source: isSignalled ? 'explicit_signal' : 'none' },
    canExit: first.satisfied && isSignalled,
    timestamp: at,
  };
}

function judgeFirst(facts: GateFacts): Verdict {
  const { measured } = facts;
  if (measured === null || (measured.exitCode === null && measured.tests === null))
    return { satisfied: false, condition: 'nothing was measured' };
  return GATE[facts.phase.gate](facts, measured);
}

const GATE: Readonly<Record<GateName, (facts: GateFacts, measured: Measurement) => Verdict>> = {
  'new-tests-fail': judgeNewTests,
  'tests-pass': judgePassing,
  'still-green': (facts, measured) => {
    const { refactoring_complete: isComplete, no_improvements_found: isNothingLeft } = facts.claim.metrics;
    const hasWorked = facts.filesChangedInPhase > 0 || isComplete === true || isNothingLeft === true;
    return {
      satisfied: isGreen(measured) && (hasWorked || facts.iteration >= REFACTOR_ITERATIONS),
      condition: `the checks are still green, and something was changed or nothing is left to change`,
    };
  },
  documents: (_facts, measured) => ({
    satisfied:
      isGreen(measured) &&
      measured.documents.total >= MIN_DOCUMENTS &&
      measured.documents.decisionRecords > 0,
    condition: `the checks are still green, ${MIN_DOCUMENTS} documents, one of them a decision record`,
  }),
  'story-done': (_facts, measured) => ({
    satisfied:
      isGreen(measured) &&
      measured.tasks !== undefined &&
      measured.tasks.total > 0 &&
      measured.tasks.done >= measured.tasks.total,
    condition: 'all tasks of the story are done and the checks are green',
  }),
};

function judgeNewTests(facts: GateFacts, measured: Measurement): Verdict {
  const wanted = Math.max(1, facts.criteriaCount);
  const { tests } = measured;
  if (tests !== null) {
    const isNothingBroken = tests.passing >= (facts.baseline?.tests?.passing ?? 0);
    return {
      satisfied: newFailing(tests, facts.baseline) >= wanted && isNothingBroken,
      condition: `at least ${wanted} new tests fail and no test of the baseline broke`,
    };
  }
  const wasGreen = (facts.baseline?.exitCode ?? 0) === 0;
  return {
    satisfied: measured.exitCode !== 0 && wasGreen,
    condition: wasGreen
      ? 'the checks, which passed at the start, fail now'
      : 'the checks failed before the start and tell no numbers: new failures cannot be seen',
  };
}

function judgePassing(facts: GateFacts, measured: Measurement): Verdict {
  const { tests } = measured;
  const isSteady = isGreen(measured) && facts.consecutiveGreenRuns >= GREEN_RUNS;
  if (tests === null)
    return { satisfied: isSteady, condition: `the checks pass ${GREEN_RUNS} times in a row` };
  const baseline = facts.baseline?.tests?.total ?? 0;
  const wanted = Math.max(1, facts.criteriaCount, baseline + facts.newTests);
  return {
    satisfied: isSteady && tests.total >= wanted,
    condition: `no test fails, at least ${wanted} tests, ${GREEN_RUNS} green runs in a row`,
  };
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
