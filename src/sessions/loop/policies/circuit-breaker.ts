import { redact } from '../../../foundation/index.js';
import type { Baseline, Breaker } from '../schema.js';
import { hashError } from './error-hash.js';
import type { Measurement, SelfReport } from './measurement.js';
import { isGreen } from './measurement.js';
import type { Phase } from './presets.js';

/** What the breaker must know about an iteration. */
export interface BreakerFacts {
  readonly phase: Phase;
  readonly measured: Measurement | null;
  readonly claim: SelfReport;
  /** How the run went. Anything but `answered` is a failed run; a limited run never gets here. */
  readonly run: 'answered' | 'failed' | 'timed-out' | 'crashed';
  readonly error: string | null;
  readonly permissionDenials: number;
  readonly consecutiveGreenRuns: number;
  /** What progress is recorded under: the story if there is one, otherwise (if absent) the phase. */
  readonly unit?: string | undefined;
  /** The measurement before the phase began: the same numbers again are not progress. */
  readonly before?: Baseline | null | undefined;
}

/** Half open after this many iterations without progress. */
const HALF_OPEN_AT = 2;
const MAX_PERMISSION_DENIALS = 2;
const MAX_FAILED_RUNS = 3;
const MAX_HISTORY = 50;

export const CLOSED_BREAKER: Breaker = {
  state: 'CLOSED',
  noProgressCount: 0,
  sameErrorCount: 0,
  permissionDenialCount: 0,
  failedRunCount: 0,
  lastProgressMetric: {},
  lastErrorHash: null,
  openedAt: null,
  openReason: null,
  history: [],
};

/** The breaker after an iteration. An open one stays open: only `resetBreaker` gets it out of that state. */
export function afterIteration(breaker: Breaker, facts: BreakerFacts, at: string): Breaker {
  if (breaker.state === 'OPEN') return breaker;
  const unit = facts.unit ?? facts.phase.name;
  const best = breaker.lastProgressMetric[unit] ?? startOf(facts.before ?? null);
  const numbers = numbersOf(facts);
  const hasProgress = facts.measured !== null && isProgress(facts, numbers, best);
  const counted = count(breaker, facts, hasProgress);
  const lastProgressMetric = { ...breaker.lastProgressMetric, [unit]: better(best, numbers) };
  const noted = note({ ...counted, lastProgressMetric }, facts, hasProgress, at);
  const reason = reasonToOpen(noted, facts);
  if (reason !== undefined) return { ...change(noted, 'OPEN', reason, at), openedAt: at, openReason: reason };
  if (hasProgress) return change(noted, 'CLOSED', 'progress', at);
  if (noted.noProgressCount >= HALF_OPEN_AT)
    return change(noted, 'HALF_OPEN', `no progress in ${noted.noProgressCount} iterations`, at);
  return noted;
}

/** The breaker after a person lets the session try again: half open until there is progress, all counters at zero. */
export function resetBreaker(breaker: Breaker, reason: string, at: string): Breaker {
  const cleared = { ...breaker, ...ZERO, openedAt: null, openReason: null };
  return breaker.state === 'OPEN' ? change(cleared, 'HALF_OPEN', reason, at) : cleared;
}

/** A new phase starts with its own counters; the history stays. */
export function enterPhase(breaker: Breaker, phase: string, at: string): Breaker {
  const cleared = { ...breaker, ...ZERO, lastErrorHash: null, openedAt: null, openReason: null };
  return change(cleared, 'CLOSED', `phase ${phase}`, at);
}

const ZERO = { noProgressCount: 0, sameErrorCount: 0, permissionDenialCount: 0, failedRunCount: 0 };

function count(breaker: Breaker, facts: BreakerFacts, hasProgress: boolean): Breaker {
  const hash = facts.error === null ? null : hashError(facts.error);
  const isSame = hash !== null && hash === breaker.lastErrorHash && !hasProgress;
  return {
    ...breaker,
    noProgressCount: hasProgress ? 0 : breaker.noProgressCount + 1,
    sameErrorCount: hash === null ? 0 : isSame ? breaker.sameErrorCount + 1 : 1,
    lastErrorHash: hash,
    permissionDenialCount: facts.permissionDenials > 0 ? breaker.permissionDenialCount + 1 : 0,
    failedRunCount: facts.run === 'answered' ? 0 : breaker.failedRunCount + 1,
  };
}

function reasonToOpen(breaker: Breaker, { phase, error }: BreakerFacts): string | undefined {
  const { failedRunCount, noProgressCount, sameErrorCount, permissionDenialCount } = breaker;
  const isStuck = noProgressCount >= phase.noProgress;
  // If every iteration without progress was a failed run, the failures are the cause.
  if (failedRunCount >= MAX_FAILED_RUNS || (isStuck && failedRunCount >= noProgressCount))
    return `${failedRunCount} runs in a row failed${error === null ? '' : `; the last one: ${lineOf(error)}`}`;
  if (permissionDenialCount >= MAX_PERMISSION_DENIALS)
    return `permission denied in ${permissionDenialCount} iterations in a row`;
  if (isStuck) return `no progress in ${noProgressCount} iterations of ${phase.name}`;
  if (sameErrorCount >= phase.sameError)
    return `the same error in ${sameErrorCount} iterations of ${phase.name}`;
  return undefined;
}

const MAX_REASON = 200;

/** The first line of an error, redacted. */
function lineOf(error: string): string {
  const [line = ''] = redact(error.trim()).split('\n');
  const cut = line.length > MAX_REASON ? `${line.slice(0, MAX_REASON - 1)}…` : line;
  return cut.replace(/\.$/, '');
}

type Numbers = Readonly<Record<string, unknown>>;

/** The numbers a phase starts from. */
function startOf(before: Baseline | null): Numbers {
  if (before === null) return {};
  const { tests } = before;
  return {
    ...(tests === null
      ? {}
      : { tests_total: tests.total, tests_passing: tests.passing, tests_failing: tests.failing }),
    green: isGreen(before) ? 1 : 0,
  };
}

/** The numbers that progress is measured by; which ones count depends on the gate of the phase. */
function numbersOf({ measured, claim, consecutiveGreenRuns }: BreakerFacts): Numbers {
  const tests = measured?.tests ?? null;
  return {
    ...(tests === null
      ? {}
      : { tests_total: tests.total, tests_passing: tests.passing, tests_failing: tests.failing }),
    consecutive_green_runs: consecutiveGreenRuns,
    green: measured !== null && isGreen(measured) ? 1 : 0,
    documents: measured?.documents.total ?? 0,
    decision_records: measured?.documents.decisionRecords ?? 0,
    tasks_done: measured?.tasks?.done ?? 0,
    criteria_covered: Number(claim.metrics.criteria_covered ?? 0) || 0,
  };
}

function isProgress(facts: BreakerFacts, numbers: Numbers, best: Numbers): boolean {
  const rose = (key: string) => countOf(numbers, key) > countOf(best, key);
  const { measured } = facts;
  if (measured === null) return false;
  const hasChanged = measured.hasTreeChanged;
  switch (facts.phase.gate) {
    case 'a-test-fails':
    case 'new-tests-fail':
      // A rising claim counts only if the tree changed: words alone are not progress.
      return rose('tests_total') || (hasChanged && (measured.tests === null || rose('criteria_covered')));
    case 'all-pass':
    case 'tests-pass':
      return isGreenProgress(measured, rose) || fewerFail(numbers, best);
    case 'checks-green':
    case 'still-green':
      return rose('green') || (hasChanged && isGreen(measured));
    case 'document-changed':
      return rose('green') || (hasChanged && (measured.documents.changed ?? 0) > 0);
    case 'documents':
      return hasChanged && (rose('documents') || rose('decision_records'));
    case 'work-done':
    case 'story-done':
      return rose('tasks_done') || isGreenProgress(measured, rose) || fewerFail(numbers, best);
  }
}

/** More tests pass, or all of them do and the work continues. Passing again without any change is nothing new. */
function isGreenProgress(measured: Measurement, rose: (key: string) => boolean): boolean {
  if (rose('tests_passing') || rose('green')) return true;
  return measured.hasTreeChanged && (measured.tests === null || isGreen(measured));
}

function fewerFail(numbers: Numbers, best: Numbers): boolean {
  if (best.tests_failing === undefined || numbers.tests_failing === undefined) return false;
  return (
    numbers.tests_total === best.tests_total &&
    countOf(numbers, 'tests_failing') < countOf(best, 'tests_failing')
  );
}

/** Keeps the best counts, so that going down and up again is not progress. */
function better(best: Numbers, numbers: Numbers): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...best };
  for (const key of Object.keys(numbers)) {
    const isLessBetter = key === 'tests_failing' && numbers.tests_total === best.tests_total && key in best;
    const pick = isLessBetter ? Math.min : Math.max;
    merged[key] = key in best ? pick(countOf(numbers, key), countOf(best, key)) : numbers[key];
  }
  if (numbers.tests_total !== undefined && numbers.tests_total !== best.tests_total)
    merged.tests_failing = numbers.tests_failing;
  return merged;
}

function countOf(numbers: Numbers, key: string): number {
  const value = numbers[key];
  return typeof value === 'number' ? value : 0;
}

function note(breaker: Breaker, facts: BreakerFacts, hasProgress: boolean, at: string): Breaker {
  const events: Breaker['history'] = [];
  if (hasProgress) events.push({ timestamp: at, event: 'progress' });
  if (facts.error !== null) events.push({ timestamp: at, event: 'error', reason: breaker.lastErrorHash });
  return { ...breaker, history: [...breaker.history, ...events].slice(-MAX_HISTORY) };
}

function change(breaker: Breaker, to: Breaker['state'], reason: string, at: string): Breaker {
  if (breaker.state === to) return breaker;
  const event = {
    timestamp: at,
    event: 'state_change' as const,
    fromState: breaker.state,
    toState: to,
    reason,
  };
  return { ...breaker, state: to, history: [...breaker.history, event].slice(-MAX_HISTORY) };
}
