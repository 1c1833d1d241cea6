import { InvalidInputError, next, redact, visibleExcerpt } from '../../foundation/index.js';
import { leavePhase, presetOf, startPhase, withError } from './iteration.js';
import { type LoopStatus, loopLifecycle } from './lifecycle.js';
import type { LoopDocuments, LoopState } from './schema.js';

/** What a caller outside a run may change about a session. */
export interface LoopUpdate {
  /** Another phase of its preset. A later phase completes the current one; an earlier phase is done again. */
  readonly phase?: string | undefined;
  /** Completed iterations of the phase. */
  readonly iteration?: number | undefined;
  readonly status?: LoopStatus | undefined;
  /** Why it is paused, suspended or halted. */
  readonly reason?: string | undefined;
  /** Added to the error history. */
  readonly error?: string | undefined;
}

const EVENT_TO = {
  running: 'resume',
  paused: 'pause',
  suspended: 'suspend',
  completed: 'complete',
  halted: 'halt',
  aborted: 'abort',
} as const satisfies Record<LoopStatus, keyof typeof loopLifecycle.on>;

/** Applies an update to the documents. Writes nothing. Throws INVALID_INPUT, ILLEGAL_TRANSITION. */
export function updated(documents: LoopDocuments, update: LoopUpdate, at: string): LoopDocuments {
  const { phase, iteration, status, reason, error } = update;
  const moved =
    phase === undefined || phase === documents.state.currentPhase
      ? documents
      : enterPhase(documents, phase, at);
  let state: LoopState = { ...moved.state, lastActivity: at };
  if (iteration !== undefined) state = { ...state, currentIteration: countGiven(iteration) };
  if (error !== undefined) state = withError(state, error, at, state.currentIteration);
  if (status !== undefined) state = withStatus(state, status, reason, at);
  return { ...moved, state };
}

function enterPhase(documents: LoopDocuments, phase: string, at: string): LoopDocuments {
  const { phases } = presetOf(documents.state);
  const names = phases.map(({ name }) => name);
  const place = names.indexOf(phase);
  if (place === -1 || (documents.state.currentStory ?? null) !== null)
    throw new InvalidInputError(`${visibleExcerpt(phase, 80)} is not a phase of this session`, {
      place: 'current_phase',
      hint: `Its phases are ${names.join(', ')}.`,
    });
  if (place > names.indexOf(documents.state.currentPhase))
    return startPhase(leavePhase(documents, 'updated', at), { phase, story: null }, at);
  const phasesCompleted = documents.state.phasesCompleted.filter((name) => names.indexOf(name) < place);
  const state = { ...documents.state, phasesCompleted };
  return startPhase({ ...documents, state }, { phase, story: null }, at);
}

function withStatus(state: LoopState, wanted: LoopStatus, reason: string | undefined, at: string): LoopState {
  const status = next(loopLifecycle, state.status, EVENT_TO[wanted]);
  const why = redact(reason ?? 'updated');
  switch (status) {
    case 'running':
      return { ...state, status, pauseReason: null, pausedAt: null, suspendReason: null, resumedAt: at };
    case 'paused':
      return { ...state, status, pauseReason: why, pausedAt: at };
    case 'suspended':
      return { ...state, status, suspendReason: why };
    case 'completed':
      return { ...state, status, completedAt: at, inFlight: null };
    case 'halted':
      return { ...state, status, haltReason: why, inFlight: null };
    case 'aborted':
      return { ...state, status, inFlight: null };
  }
}

function countGiven(iteration: number): number {
  if (!Number.isSafeInteger(iteration) || iteration < 0)
    throw new InvalidInputError(`${iteration} is not a valid number of iterations`, {
      place: 'current_iteration',
    });
  return iteration;
}
