import {
  type Budget,
  gatesOf,
  type HeldLoop,
  type LoopDocuments,
  type LoopState,
  type LoopStatus,
  type LoopUsage,
  type Missing,
  phaseOf,
} from '../sessions/loop/index.js';
import type { TurnTaker } from './turn/take-turn.js';

/** The test results at one moment. */
export interface TestPoint {
  readonly passing: number;
  readonly total: number;
}

/** How a run stands: what is done, what is used up, how close it is to its limits. */
export interface Standing {
  readonly status: LoopStatus;
  /** Why it is paused, halted or suspended. */
  readonly reason: string | null;
  readonly phase: string;
  readonly story: string | null;
  /** Phases, or with stories the ids of the stories. */
  readonly completed: readonly string[];
  /** Complete iterations of the phase or story. */
  readonly iteration: number;
  readonly usage: LoopUsage;
  readonly budget: Budget;
  /** Prompts within the last hour, and how many are allowed. */
  readonly calls: { readonly made: number; readonly limit: number };
  readonly breaker: {
    readonly state: 'CLOSED' | 'HALF_OPEN' | 'OPEN';
    readonly reason: string | null;
    readonly noProgress: { readonly count: number; readonly limit: number };
    readonly sameError: { readonly count: number; readonly limit: number };
  };
  /**
   * What gate 1 of the phase lacked after its last iteration, and whether the agent said it was done; null before the first
   * one.
   */
  readonly gate: { readonly missing: readonly Missing[]; readonly isSignalled: boolean } | null;
  /** Phases that a person skipped. */
  readonly skipped: readonly string[];
  /** How full the agent's context is, in percent; null before its first answer. */
  readonly contextPercent: number | null;
  /** Questions of the agent whose answer it has not been told yet. */
  readonly openQuestions: readonly string[];
}

export function standingOf({ loop, taker }: { loop: HeldLoop; taker: TurnTaker }): Standing {
  const { state, breaker, rateLimit, dualGate } = loop.documents;
  const gates = gatesOf(state, dualGate);
  const phase = phaseOf(state);
  return {
    status: state.status,
    reason: reasonOf(state),
    phase: state.currentPhase,
    story: state.currentStory ?? null,
    completed: state.phasesCompleted,
    iteration: state.currentIteration,
    usage: state.usage ?? NO_USAGE,
    budget: state.budget ?? {},
    calls: { made: rateLimit.hourly.callsMade, limit: rateLimit.hourly.limit },
    breaker: {
      state: breaker.state,
      reason: breaker.openReason,
      noProgress: { count: breaker.noProgressCount, limit: phase.noProgress },
      sameError: { count: breaker.sameErrorCount, limit: phase.sameError },
    },
    gate: gates.isMeasured ? { missing: gates.missing, isSignalled: gates.second } : null,
    skipped: state.phasesSkipped.map((skipped) => skipped.phase),
    contextPercent: taker.session?.contextPercent ?? null,
    openQuestions: state.openQuestions,
  };
}

const NO_USAGE: LoopUsage = { iterations: 0, activeMs: 0, tokens: 0, costUsd: 0 };

function reasonOf(state: LoopState): string | null {
  if (state.status === 'paused') return state.pauseReason ?? null;
  if (state.status === 'suspended') return state.suspendReason ?? null;
  return state.status === 'halted' ? state.haltReason : null;
}

const MAX_POINTS = 100;

/** The test results so far, oldest first: the baseline, and each iteration that had numbers. */
export function testHistory({ state, metrics }: Pick<LoopDocuments, 'state' | 'metrics'>): TestPoint[] {
  const baseline = state.baseline?.tests ?? null;
  const measured = Object.values(metrics.phases)
    .flatMap((phase) => phase?.history ?? [])
    .map((numbers) => ({
      at: String(numbers.timestamp ?? ''),
      passing: Number(numbers.tests_passing ?? Number.NaN),
      total: Number(numbers.tests_total ?? Number.NaN),
    }))
    .filter(({ passing, total }) => Number.isFinite(passing) && Number.isFinite(total))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  return [...(baseline === null ? [] : [baseline]), ...measured]
    .slice(-MAX_POINTS)
    .map(({ passing, total }) => ({ passing, total }));
}
