import { redact } from '../../foundation/index.js';
import { addUsage, type BudgetReached, checkBudget, NO_USAGE, type Used } from './budget.js';
import { afterIteration, type BreakerFacts, enterPhase } from './circuit-breaker.js';
import { judgeGates } from './dual-gate.js';
import { hashError } from './error-hash.js';
import type { Claim, Measurement } from './measurement.js';
import { newFailing } from './measurement.js';
import {
  closePhase,
  filesChangedAfter,
  greenRunsAfter,
  numbersOf,
  phasePercent,
  recordNumbers,
} from './metrics.js';
import { type Phase, PRESETS } from './presets.js';
import { type LimitSignal, recordAnswer, recordLimit } from './rate-limit.js';
import type { ErrorEntry, LoopDocuments, LoopState } from './schema.js';
import { formatStatusBlock } from './status-block.js';

/** What came of one iteration, as the runner found it. */
export interface IterationOutcome {
  readonly run: BreakerFacts['run'];
  readonly measured: Measurement | null;
  readonly claim: Claim;
  readonly error?: string | null | undefined;
  readonly permissionDenials?: number | undefined;
  readonly usage?: Used | undefined;
  readonly limit?: LimitSignal | undefined;
  /** With stories: the one that follows this one; null after the last. */
  readonly nextStory?: string | null | undefined;
}

/** What is to happen after an iteration. */
export type Decision =
  | { readonly next: 'iterate' }
  | { readonly next: 'enter-phase'; readonly phase: string; readonly story: string | null }
  | { readonly next: 'complete' }
  | { readonly next: 'halt'; readonly reason: string }
  | { readonly next: 'wait'; readonly until: string; readonly reason: string }
  | { readonly next: 'pause'; readonly reason: string; readonly budget: BudgetReached };

const MAX_ERRORS = 50;
const MAX_ERROR_CHARACTERS = 500;

/** The documents after an iteration, what to do next, and the block for the log. Nothing is written here. */
export function concludeIteration(
  before: LoopDocuments,
  outcome: IterationOutcome,
  now: Date,
): { documents: LoopDocuments; decision: Decision; block: string } {
  const at = now.toISOString();
  const phase = phaseOf(before.state);
  const unit = unitOf(before.state);
  const error = outcome.error ?? null;
  const iteration = before.state.currentIteration + 1;
  const phaseMetrics = before.metrics.phases[unit];
  const greenRuns = greenRunsAfter(phaseMetrics, outcome.measured);
  const filesChanged = filesChangedAfter(phaseMetrics, outcome.measured);
  const { criteriaCount, newTests } = before.state;
  const baseline = before.state.baseline ?? null;
  const breaker = afterIteration(
    before.breaker,
    {
      phase,
      measured: outcome.measured,
      claim: outcome.claim,
      run: outcome.run,
      error,
      permissionDenials: outcome.permissionDenials ?? 0,
      consecutiveGreenRuns: greenRuns,
    },
    at,
  );
  const dualGate = judgeGates(
    {
      phase,
      iteration,
      measured: outcome.measured,
      claim: outcome.claim,
      baseline,
      criteriaCount,
      newTests,
      consecutiveGreenRuns: greenRuns,
      filesChangedInPhase: filesChanged,
    },
    at,
  );
  const numbers = numbersOf(outcome.measured, outcome.claim, {
    iteration,
    greenRuns,
    filesChanged,
    criteriaCount,
  });
  const state = advance(before.state, { at, phase, unit, iteration, error, outcome });
  const limited =
    outcome.limit === undefined ? before.rateLimit : recordLimit(before.rateLimit, outcome.limit, now);
  const rateLimit = outcome.run === 'answered' ? recordAnswer(limited) : limited;
  const metrics = recordNumbers(before.metrics, unit, numbers, at);
  const documents = { state, breaker, metrics, rateLimit, dualGate };
  const decision = decide(documents, outcome, phase);
  const block = blockOf(documents, outcome, phasePercent(phase, numbers), decision);
  return { documents: settle(documents, decision, outcome, at), decision, block };
}

/** The phase that a session is in. A session of somebody else follows the built-in preset. */
export function phaseOf(state: LoopState): Phase {
  const { phases } = presetOf(state);
  const found = phases.find((phase) => phase.name === state.currentPhase) ?? phases[0];
  if (found === undefined) throw new Error('a preset has at least one phase');
  return found;
}

export function presetOf(state: LoopState): { readonly name: string; readonly phases: readonly Phase[] } {
  return state.preset ?? PRESETS.tdd;
}

/** What iterations are counted by: the story where there is one, else the phase. */
export function unitOf(state: LoopState): string {
  return state.currentStory ?? state.currentPhase;
}

/** The history of errors with one more; the last fifty are kept. */
export function withError(state: LoopState, error: string, at: string, iteration: number): LoopState {
  const text = redact(error);
  const entry: ErrorEntry = {
    timestamp: at,
    phase: state.currentPhase,
    iteration,
    error: text.length > MAX_ERROR_CHARACTERS ? `${text.slice(0, MAX_ERROR_CHARACTERS - 1)}…` : text,
    hash: hashError(error),
  };
  return { ...state, errorHistory: [...state.errorHistory, entry].slice(-MAX_ERRORS) };
}

function advance(
  state: LoopState,
  facts: {
    at: string;
    phase: Phase;
    unit: string;
    iteration: number;
    error: string | null;
    outcome: IterationOutcome;
  },
): LoopState {
  const { at, unit, iteration, outcome } = facts;
  const run = state.phaseHistory[unit] ?? { startedAt: at, completedAt: null, iterations: 0 };
  const next = {
    ...state,
    currentIteration: iteration,
    lastActivity: at,
    inFlight: null,
    interrupted: null,
    // An agent that did not answer may not have heard what the person says.
    guidance: outcome.run === 'answered' ? [] : state.guidance,
    totalAgentCalls: state.totalAgentCalls + 1,
    phaseHistory: { ...state.phaseHistory, [unit]: { ...run, iterations: run.iterations + 1 } },
    usage: addUsage(state.usage ?? NO_USAGE, outcome.usage ?? {}),
  };
  return facts.error === null ? next : withError(next, facts.error, at, iteration);
}

function decide(
  { state, breaker, dualGate, rateLimit }: LoopDocuments,
  outcome: IterationOutcome,
  phase: Phase,
): Decision {
  if (outcome.limit?.kind === 'disabled') return { next: 'halt', reason: outcome.limit.message };
  if (dualGate.canExit) {
    const following = afterPhase(state, phase, outcome);
    return following === undefined ? { next: 'complete' } : { next: 'enter-phase', ...following };
  }
  if (breaker.state === 'OPEN') return { next: 'halt', reason: breaker.openReason ?? 'the breaker is open' };
  const budget = checkBudget(state.usage ?? NO_USAGE, state.budget ?? {});
  if (budget !== null) return { next: 'pause', reason: budget.reason, budget };
  const until =
    outcome.limit === undefined ? null : (rateLimit.overload.retryAt ?? rateLimit.anthropic_5h.resumeAt);
  const reason =
    outcome.limit?.kind === 'overload' ? "the agent's service is overloaded" : "the agent's own limit";
  return until === null ? { next: 'iterate' } : { next: 'wait', until, reason };
}

/** What follows the phase that ended; undefined at the end. */
export function afterPhase(
  state: LoopState,
  phase: Phase,
  outcome: Pick<IterationOutcome, 'nextStory'>,
): { phase: string; story: string | null } | undefined {
  if (typeof outcome.nextStory === 'string') return { phase: phase.name, story: outcome.nextStory };
  const { phases } = presetOf(state);
  const following = phases[phases.findIndex((other) => other.name === phase.name) + 1];
  return following === undefined ? undefined : { phase: following.name, story: null };
}

/** What the decision changes: a phase is closed and the next one entered, the loop ends, or it halts. */
function settle(
  documents: LoopDocuments,
  decision: Decision,
  outcome: IterationOutcome,
  at: string,
): LoopDocuments {
  const { state } = documents;
  if (decision.next === 'halt')
    return { ...documents, state: { ...state, status: 'halted', haltReason: decision.reason } };
  if (decision.next === 'pause')
    return {
      ...documents,
      state: { ...state, status: 'paused', pauseReason: decision.reason, pausedAt: at },
    };
  if (decision.next !== 'enter-phase' && decision.next !== 'complete') return documents;
  const closed = leavePhase(documents, 'Dual-Gate satisfied', at, newTestsOf(documents, outcome));
  if (decision.next === 'enter-phase') return startPhase(closed, decision, at);
  return { ...closed, state: { ...closed.state, status: 'completed', completedAt: at } };
}

/** The phase (or story) as one that is complete. */
export function leavePhase(
  documents: LoopDocuments,
  exitReason: string,
  at: string,
  newTests?: number,
): LoopDocuments {
  const { state } = documents;
  const unit = unitOf(state);
  const run = state.phaseHistory[unit] ?? { startedAt: at, iterations: 0 };
  return {
    ...documents,
    metrics: closePhase(documents.metrics, unit, at),
    state: {
      ...state,
      newTests: newTests ?? state.newTests,
      phasesCompleted: [...state.phasesCompleted, unit],
      phaseHistory: { ...state.phaseHistory, [unit]: { ...run, completedAt: at, exitReason } },
    },
  };
}

/** The next phase (or story), with counters of its own. */
export function startPhase(
  documents: LoopDocuments,
  following: { readonly phase: string; readonly story: string | null },
  at: string,
): LoopDocuments {
  const { state, metrics } = documents;
  const unit = following.story ?? following.phase;
  return {
    ...documents,
    breaker: enterPhase(documents.breaker, unit, at),
    metrics: {
      ...metrics,
      currentPhase: following.phase,
      phases: { ...metrics.phases, [unit]: { startedAt: at, completedAt: null, iterations: 0 } },
    },
    state: {
      ...state,
      currentPhase: following.phase,
      currentStory: following.story,
      currentIteration: 0,
      phaseHistory: { ...state.phaseHistory, [unit]: { startedAt: at, completedAt: null, iterations: 0 } },
    },
  };
}

function newTestsOf({ state }: LoopDocuments, outcome: IterationOutcome): number {
  const tests = outcome.measured?.tests ?? null;
  if (phaseOf(state).gate !== 'new-tests-fail' || tests === null) return state.newTests;
  return Math.max(0, newFailing(tests, state.baseline ?? null));
}

function blockOf(
  documents: LoopDocuments,
  outcome: IterationOutcome,
  percent: number,
  decision: Decision,
): string {
  const { state, breaker, dualGate, rateLimit } = documents;
  const isOver = decision.next === 'enter-phase' || decision.next === 'complete';
  const blockers = [
    ...('reason' in decision ? [decision.reason] : []),
    ...(outcome.error ? [outcome.error] : []),
  ];
  return formatStatusBlock({
    timestamp: dualGate.timestamp,
    phase: unitOf(state),
    status: isOver ? 'COMPLETE' : decision.next === 'halt' ? 'BLOCKED' : 'IN_PROGRESS',
    iteration: state.currentIteration,
    progressPercent: isOver ? 100 : percent,
    tests: outcome.measured?.tests ?? null,
    files: outcome.measured?.files ?? { created: 0, modified: 0, deleted: 0 },
    breaker,
    gates: {
      first: dualGate.gate_1.satisfied,
      second: dualGate.gate_2.satisfied,
      detail: dualGate.gate_1.condition,
    },
    rateLimit: {
      calls: rateLimit.hourly.callsMade,
      limit: rateLimit.hourly.limit,
      isDetected: rateLimit.anthropic_5h.detected,
    },
    blockers: blockers.map(redact),
    exitSignal: outcome.claim.exitSignal === true,
    recommendation: redact(outcome.claim.recommendation ?? ''),
  });
}
