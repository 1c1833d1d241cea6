import { NO_USAGE } from './policies/budget.js';
import { CLOSED_BREAKER } from './policies/circuit-breaker.js';
import type { Preset } from './policies/presets.js';
import { newRateLimit } from './policies/rate-limit.js';
import type { Breaker, Budget, LoopDocuments, LoopState } from './schema.js';

/** What a new session starts with. */
export interface NewLoop {
  readonly sessionId: string;
  readonly prpFile: string;
  readonly prpHash: string | null;
  readonly preset: Preset;
  readonly criteriaCount: number;
  readonly callsPerHour: number;
  readonly budget: Budget;
  /** With stories: the first one, and how many there are. */
  readonly story?: FirstStory | undefined;
}

/** A plan's stories: the first one, how many there are, and which. */
export interface FirstStory {
  readonly first: string;
  readonly total: number;
  readonly all?: readonly { readonly id: string; readonly title: string }[] | undefined;
}

/** The documents of a session at iteration 0. */
export function newDocuments(facts: NewLoop, at: string): LoopDocuments {
  const currentPhase = facts.preset.phases[0]?.name ?? '';
  const unit = facts.story?.first ?? currentPhase;
  const run = { startedAt: at, completedAt: null, iterations: 0 };
  const state: LoopState = {
    sessionId: facts.sessionId,
    prpFile: facts.prpFile,
    startedAt: at,
    currentPhase,
    currentIteration: 0,
    lastActivity: at,
    status: 'running',
    haltReason: null,
    phasesCompleted: [],
    errorHistory: [],
    phaseHistory: { [unit]: run },
    totalAgentCalls: 0,
    prpHash: facts.prpHash,
    criteriaCount: facts.criteriaCount,
    preset: { name: facts.preset.name, phases: [...facts.preset.phases] },
    currentStory: facts.story?.first ?? null,
    ...(facts.story === undefined ? {} : { storiesTotal: facts.story.total }),
    ...(facts.story?.all === undefined
      ? {}
      : { stories: facts.story.all.map(({ id, title }) => ({ id, title })) }),
    phasesSkipped: [],
    inFlight: null,
    baseline: null,
    newTests: 0,
    guidance: [],
    openQuestions: [],
    lastRequest: -1,
    usage: NO_USAGE,
    budget: facts.budget,
  };
  return completeDocuments({ state, breaker: CLOSED_BREAKER }, facts.callsPerHour, at);
}

/** A session written by another program may have nothing but its state; the other documents start empty. */
export function completeDocuments(
  known: Partial<LoopDocuments> & { state: LoopState },
  callsPerHour: number,
  at: string,
): LoopDocuments {
  const { state } = known;
  return {
    state,
    breaker: known.breaker ?? (CLOSED_BREAKER satisfies Breaker),
    metrics: known.metrics ?? {
      sessionId: state.sessionId,
      prpFile: state.prpFile,
      startedAt: state.startedAt,
      currentPhase: state.currentPhase,
      phases: {},
    },
    rateLimit: known.rateLimit ?? newRateLimit(callsPerHour),
    dualGate: known.dualGate ?? {
      phase: state.currentPhase,
      iteration: state.currentIteration,
      first: { satisfied: false, condition: 'nothing was measured', values: {} },
      second: { satisfied: false, source: 'none' },
      canExit: false,
      timestamp: at,
    },
  };
}
