import { redact } from '../../foundation/index.js';
import { addUsage, type BudgetReached, checkBudget, NO_USAGE, type Used } from './policies/budget.js';
import { afterIteration, type BreakerFacts, enterPhase } from './policies/circuit-breaker.js';
import { hashError } from './policies/error-hash.js';
import type { Measurement, SelfReport } from './policies/measurement.js';
import { newFailing } from './policies/measurement.js';
import {
  closePhase,
  documentsChangedAfter,
  filesChangedAfter,
  greenRunsAfter,
  numbersOf,
  phasePercent,
  recordNumbers,
  withFiles,
} from './policies/metrics.js';
import { judgeGates, wantsFailingTests } from './policies/phase-gate.js';
import { type Phase, PRESETS } from './policies/presets.js';
import {
  type LimitSignal,
  type LimitWait,
  limitWait,
  recordAnswer,
  recordLimit,
  spreadOf,
} from './policies/rate-limit.js';
import { formatStatusBlock } from './policies/status-block.js';
import type { Baseline, ErrorEntry, LoopDocuments, LoopState, SkippedPhase } from './schema.js';

/** The outcome of one iteration, as the runner found it. */
export interface IterationOutcome {
  /** `limited`: the agent's service did not answer, and `limit` says why. */
  readonly run: BreakerFacts['run'] | 'limited';
  readonly measured: Measurement | null;
  readonly claim: SelfReport;
  readonly error?: string | null | undefined;
  /** What was denied, if that is the error. */
  readonly denied?: string | undefined;
  readonly permissionDenials?: number | undefined;
  readonly usage?: Used | undefined;
  readonly limit?: LimitSignal | undefined;
  /** The names of the changed files, kept if no repository can list them later. */
  readonly paths?: readonly string[] | undefined;
  /** With stories: the story after this one; null after the last. */
  readonly nextStory?: string | null | undefined;
}

/** What to do after an iteration. */
export type Decision =
  | { readonly next: 'iterate' }
  | { readonly next: 'enter-phase'; readonly phase: string; readonly story: string | null }
  | { readonly next: 'complete' }
  | { readonly next: 'halt'; readonly reason: string }
  | { readonly next: 'wait'; readonly wait: LimitWait }
  | { readonly next: 'pause'; readonly reason: string; readonly budget: BudgetReached };

const MAX_ERRORS = 50;
const MAX_ERROR_CHARACTERS = 500;

/** The documents after an iteration, what to do next, and the block for the log. Writes nothing. */
export function concludeIteration(
  before: LoopDocuments,
  outcome: IterationOutcome,
  now: Date,
): { documents: LoopDocuments; decision: Decision; block: string } {
  const { run, limit } = outcome;
  if (run === 'limited') return concludeLimited(before, outcome, limit ?? { kind: 'quota' }, now);
  const at = now.toISOString();
  const phase = phaseOf(before.state);
  const unit = unitOf(before.state);
  const error = outcome.error ?? null;
  const iteration = before.state.currentIteration + 1;
  const phaseMetrics = before.metrics.phases[unit];
  const greenRuns = greenRunsAfter(phaseMetrics, outcome.measured);
  const filesChanged = filesChangedAfter(phaseMetrics, outcome.measured);
  const documentsChanged = documentsChangedAfter(phaseMetrics, outcome.measured);
  const { criteriaCount, newTests } = before.state;
  const baseline = before.state.baseline ?? null;
  const breaker = afterIteration(
    before.breaker,
    {
      phase,
      measured: outcome.measured,
      claim: outcome.claim,
      run,
      error,
      permissionDenials: outcome.permissionDenials ?? 0,
      consecutiveGreenRuns: greenRuns,
      unit,
      before: lastMeasured(before),
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
      documentsChangedInPhase: documentsChanged,
    },
    at,
  );
  const numbers = numbersOf(outcome.measured, outcome.claim, {
    iteration,
    greenRuns,
    filesChanged,
    documentsChanged,
    criteriaCount,
  });
  const state = advance(before.state, { at, phase, unit, iteration, error, outcome });
  const rateLimit = run === 'answered' ? recordAnswer(before.rateLimit) : before.rateLimit;
  const metrics = recordNumbers(before.metrics, unit, numbers, { at, begun: begunOf(before.state, at) });
  const documents = { state, breaker, metrics, rateLimit, dualGate };
  const decision = decide(documents, outcome, phase);
  const block = blockOf(documents, outcome, phasePercent(phase, numbers), decision, at);
  return { documents: settle(documents, decision, outcome, at), decision, block };
}

/**
 * A turn that the agent's service refused. It says nothing about the work: the breaker stays as it is and no iteration
 * is used up. Its cost still counts, and anything it changed before it ended belongs to the phase.
 */
function concludeLimited(
  before: LoopDocuments,
  outcome: IterationOutcome,
  limit: LimitSignal,
  now: Date,
): { documents: LoopDocuments; decision: Decision; block: string } {
  const at = now.toISOString();
  const { breaker, dualGate } = before;
  const { inFlight, interrupted, currentIteration, usage, totalAgentCalls } = before.state;
  const unit = unitOf(before.state);
  const { measured } = outcome;
  const changed = {
    files: filesChangedAfter(undefined, measured),
    documents: documentsChangedAfter(undefined, measured),
  };
  const metrics = withFiles(before.metrics, unit, changed, begunOf(before.state, at));
  // Noted as counted, so the next start does not count them again.
  const cut = inFlight == null || measured === null ? inFlight : { ...inFlight, filesChanged: changed.files };
  const touched: LoopState = {
    ...withPaths(before.state, outcome.paths),
    lastActivity: at,
    inFlight: null,
    interrupted: cut ?? interrupted ?? null,
    totalAgentCalls: totalAgentCalls + 1,
    usage: addUsage(usage ?? NO_USAGE, outcome.usage ?? {}, 0),
  };
  const error = outcome.error ?? null;
  const state = error === null ? touched : withError(touched, error, at, currentIteration + 1);
  const spread = spreadOf(before.state.sessionId, before.rateLimit.overload.count);
  const rateLimit = recordLimit(before.rateLimit, limit, now, spread);
  const documents = { state, breaker, metrics, rateLimit, dualGate };
  const decision = decideLimited(documents, limit, now);
  const percent = phasePercent(phaseOf(state), metrics.phases[unit]?.currentMetrics);
  const block = blockOf(documents, outcome, percent, decision, at);
  return { documents: settle(documents, decision, outcome, at), decision, block };
}

function decideLimited({ state, rateLimit }: LoopDocuments, limit: LimitSignal, now: Date): Decision {
  if (limit.kind === 'hopeless') return { next: 'halt', reason: redact(limit.reason) };
  const budget = checkBudget(state.usage ?? NO_USAGE, state.budget ?? {});
  if (budget !== null) return { next: 'pause', reason: budget.reason, budget };
  const wait = limitWait(rateLimit, now);
  return wait === null ? { next: 'iterate' } : { next: 'wait', wait };
}

/** The last measurement; the baseline if there has been no iteration. */
function lastMeasured({ state, dualGate }: LoopDocuments): Baseline | null {
  const number = (key: string) => {
    const value = dualGate.first.values[key];
    return typeof value === 'number' ? value : null;
  };
  const [exitCode, total] = [number('exit_code'), number('tests_total')];
  if (exitCode === null && total === null) return state.baseline ?? null;
  const counts = { passing: number('tests_passing') ?? 0, failing: number('tests_failing') ?? 0, skipped: 0 };
  return { exitCode, tests: total === null ? null : { total, ...counts } };
}

/** The current phase of a session. A session written by another program follows the published preset. */
export function phaseOf(state: LoopState): Phase {
  const { phases } = presetOf(state);
  const found = phases.find((phase) => phase.name === state.currentPhase) ?? phases[0];
  if (found === undefined) throw new Error('a preset has at least one phase');
  return found;
}

export function presetOf(state: LoopState): { readonly name: string; readonly phases: readonly Phase[] } {
  return state.preset ?? PRESETS['tdd-strict'];
}

const MAX_FILES = 500;

/**
 * Adds to the files a session has changed. In a repository they can be derived from where the work began; without one,
 * nothing could list them once the process that measured them is gone.
 */
export function withPaths(state: LoopState, paths: readonly string[] = []): LoopState {
  if (state.startedFrom != null || paths.length === 0) return state;
  const known = state.filesChanged ?? [];
  const names = new Set(known.map(({ path }) => path));
  const more = [...new Set(paths)].filter((path) => !names.has(path));
  if (more.length === 0) return state;
  const files = [...known, ...more.map((path) => ({ path, added: null, deleted: null }))];
  return { ...state, filesChanged: files.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MAX_FILES) };
}

/** When the current phase (or story) of a session began. */
export function begunOf(state: LoopState, now: string): string {
  return state.phaseHistory[unitOf(state)]?.startedAt ?? now;
}

/** What iterations are counted by: the story if there is one, otherwise the phase. */
export function unitOf(state: LoopState): string {
  return state.currentStory ?? state.currentPhase;
}

/** Adds an error to the history; the last fifty are kept. */
export function withError(
  state: LoopState,
  error: string,
  at: string,
  iteration: number,
  denied?: string,
): LoopState {
  const entry: ErrorEntry = {
    timestamp: at,
    phase: state.currentPhase,
    iteration,
    error: kept(error),
    hash: hashError(error),
    ...(denied === undefined ? {} : { denied: kept(denied) }),
  };
  return { ...state, errorHistory: [...state.errorHistory, entry].slice(-MAX_ERRORS) };
}

function kept(error: string): string {
  const text = redact(error);
  return text.length > MAX_ERROR_CHARACTERS ? `${text.slice(0, MAX_ERROR_CHARACTERS - 1)}…` : text;
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
    ...withPaths(state, outcome.paths),
    currentIteration: iteration,
    lastActivity: at,
    inFlight: null,
    interrupted: null,
    ...(state.movedFrom == null ? {} : { movedFrom: null }),
    // An agent that did not answer may not have seen the guidance.
    guidance: outcome.run === 'answered' ? [] : state.guidance,
    totalAgentCalls: state.totalAgentCalls + 1,
    phaseHistory: { ...state.phaseHistory, [unit]: { ...run, iterations: run.iterations + 1 } },
    usage: addUsage(state.usage ?? NO_USAGE, outcome.usage ?? {}),
  };
  return facts.error === null ? next : withError(next, facts.error, at, iteration, outcome.denied);
}

function decide(
  { state, breaker, dualGate }: LoopDocuments,
  outcome: IterationOutcome,
  phase: Phase,
): Decision {
  if (dualGate.canExit) {
    const following = afterPhase(state, phase, outcome);
    return following === undefined ? { next: 'complete' } : { next: 'enter-phase', ...following };
  }
  if (breaker.state === 'OPEN') return { next: 'halt', reason: breaker.openReason ?? 'the breaker is open' };
  const budget = checkBudget(state.usage ?? NO_USAGE, state.budget ?? {});
  return budget === null ? { next: 'iterate' } : { next: 'pause', reason: budget.reason, budget };
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

/** Applies the decision: closes a phase and enters the next one, ends the loop, or halts it. */
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

/** Closes the current phase (or story) as complete. */
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
    metrics: closePhase(documents.metrics, unit, { at, begun: run.startedAt }),
    state: {
      ...state,
      newTests: newTests ?? state.newTests,
      phasesCompleted: [...state.phasesCompleted, unit],
      phaseHistory: { ...state.phaseHistory, [unit]: { ...run, completedAt: at, exitReason } },
    },
  };
}

/** Closes the current phase as ended by a person without its gates. It does not count as complete. */
export function dropPhase(documents: LoopDocuments, skipped: SkippedPhase): LoopDocuments {
  const { state } = documents;
  const { phase: unit, at, actor, reason } = skipped;
  const run = state.phaseHistory[unit] ?? { startedAt: at, iterations: 0 };
  const exitReason = `skipped by ${actor}: ${reason}`;
  return {
    ...documents,
    metrics: closePhase(documents.metrics, unit, { at, begun: run.startedAt }),
    state: {
      ...state,
      phasesSkipped: [...state.phasesSkipped, skipped],
      phaseHistory: { ...state.phaseHistory, [unit]: { ...run, completedAt: at, exitReason } },
    },
  };
}

/** Starts the next phase (or story), with its own counters. */
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
  if (!wantsFailingTests(phaseOf(state)) || tests === null) return state.newTests;
  // Tests that already pass because they guard existing behaviour count as new too.
  const added = tests.total - (state.baseline?.tests?.total ?? 0);
  return Math.max(0, added, newFailing(tests, state.baseline ?? null));
}

function blockOf(
  documents: LoopDocuments,
  outcome: IterationOutcome,
  percent: number,
  decision: Decision,
  at: string,
): string {
  const { state, breaker, dualGate, rateLimit } = documents;
  const isOver = decision.next === 'enter-phase' || decision.next === 'complete';
  const blockers = [
    ...('reason' in decision ? [decision.reason] : []),
    ...(outcome.error ? [outcome.error] : []),
  ];
  return formatStatusBlock({
    timestamp: at,
    phase: unitOf(state),
    status: isOver ? 'COMPLETE' : decision.next === 'halt' ? 'BLOCKED' : 'IN_PROGRESS',
    iteration: state.currentIteration,
    progressPercent: isOver ? 100 : percent,
    tests: outcome.measured?.tests ?? null,
    files: outcome.measured?.files ?? { created: 0, modified: 0, deleted: 0 },
    breaker,
    gates: {
      first: dualGate.first.satisfied,
      second: dualGate.second.satisfied,
      detail: dualGate.first.condition,
    },
    rateLimit: {
      calls: rateLimit.hourly.callsMade,
      limit: rateLimit.hourly.limit,
      isDetected: rateLimit.quota.detected,
    },
    blockers: blockers.map(redact),
    exitSignal: outcome.claim.exitSignal === true,
    recommendation: redact(outcome.claim.recommendation ?? ''),
  });
}
