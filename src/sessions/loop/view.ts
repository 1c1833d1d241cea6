import { basename } from 'node:path';
import type { Actor } from '../../foundation/index.js';
import type { LockOwner, LockState } from '../../storage/index.js';
import { presetOf } from './iteration.js';
import type { LoopStatus } from './lifecycle.js';
import { overallPercent, phasePercent } from './policies/metrics.js';
import { roll } from './policies/rate-limit.js';
import type { LoopSnapshot } from './read-loop.js';
import type { LoopDocuments, LoopState } from './schema.js';
import { causeOfWait, momentOf } from './wait-words.js';

/** A loop as people see it. */
export interface LoopView {
  readonly directory: string;
  readonly sessionId: string;
  /** A stored `running` whose owner is gone is `suspended`. */
  readonly status: LoopStatus;
  readonly statusReason: string | null;
  /** Who paused or stopped it; null if nobody did, or it was not recorded. */
  readonly statusActor: Actor | null;
  readonly state: LoopState;
  readonly documents: Partial<LoopDocuments>;
  readonly phases: readonly PhaseView[];
  readonly percent: number;
  readonly owner: LockState;
  /** What a killed run left running. */
  readonly leftBehind: LeftBehind | null;
  readonly faults: readonly string[];
}

/** A process that outlives the one that ran the loop: usually its agent. */
export interface LeftBehind {
  readonly pid: number;
  readonly command: string;
}

/** Provide what a loop cannot know by itself. */
export interface Informants {
  readonly whoHalted: (state: LoopState) => Actor | null;
  readonly leftBehindBy: (owner: LockOwner) => LeftBehind | null;
}

export interface PhaseView {
  readonly name: string;
  /** For a story, if known. */
  readonly title: string | null;
  readonly progress: 'complete' | 'in_progress' | 'pending' | 'skipped';
  readonly percent: number;
  readonly iterations: number;
  readonly numbers: Readonly<Record<string, unknown>>;
}

/** Derives the view from the files and the lock. */
export function viewOf(
  directory: string,
  snapshot: LoopSnapshot,
  owner: LockState,
  now: Date,
  { whoHalted, leftBehindBy }: Informants,
): LoopView | undefined {
  const { state, rateLimit } = snapshot.documents;
  if (state === undefined) return undefined;
  const { phases } = presetOf(state);
  const isLost = state.status === 'running' && owner.hold !== 'held';
  const leftBehind = isLost && owner.owner !== undefined ? leftBehindBy(owner.owner) : null;
  const documents =
    rateLimit === undefined ? snapshot.documents : { ...snapshot.documents, rateLimit: roll(rateLimit, now) };
  return {
    directory,
    sessionId: state.sessionId,
    status: isLost ? 'suspended' : state.status,
    statusReason: isLost ? lossReason(owner, leftBehind, state, now) : reasonOf(state),
    statusActor: isLost ? null : whoHalted(state),
    state,
    documents,
    phases: phasesOf(state, documents),
    percent: overallPercent(phases, state),
    owner,
    leftBehind,
    faults: snapshot.faults.map(({ file, reason }) => `${file}: ${reason}`),
  };
}

/** The only place that words this: lists, the status, the overview and the page all show this reason. */
function lossReason(
  owner: LockState,
  left: LeftBehind | null,
  { sessionId, cutOff }: LoopState,
  now: Date,
): string {
  const gone = owner.hold === 'dead' ? owner.reason : 'no process is running it';
  if (cutOff != null)
    return `${causeOfWait({ cause: 'cut-off', ...cutOff })} since ${momentOf(cutOff.since, now)}; ${gone}`;
  if (left === null) return gone;
  // The remedy comes first, because lists cut long reasons.
  const still = `${basename(left.command)} (process ${left.pid}) is alive`;
  return `${still}, holdfast stop ${sessionId.slice(0, 8)} ends it; ${gone}`;
}

function reasonOf(state: LoopState): string | null {
  if (state.status === 'paused') return state.pauseReason ?? null;
  if (state.status === 'suspended') return state.suspendReason ?? null;
  return state.status === 'halted' ? state.haltReason : null;
}

/** The phases of the preset. With stories, all of them; in an older session, those that are known. */
function phasesOf(state: LoopState, { metrics }: Partial<LoopDocuments>): PhaseView[] {
  const { phases } = presetOf(state);
  const story = state.currentStory ?? null;
  const stories = state.stories ?? [];
  const names =
    story === null
      ? phases.map((phase) => phase.name)
      : [...new Set([...stories.map(({ id }) => id), ...state.phasesCompleted, story])];
  const current = story ?? state.currentPhase;
  return names.map((name) => {
    const phase = phases.find((other) => other.name === name) ?? phases[0];
    const known = metrics?.phases[name];
    const numbers = known?.finalMetrics ?? known?.currentMetrics ?? {};
    const isComplete = state.phasesCompleted.includes(name);
    const isSkipped = state.phasesSkipped.some((skipped) => skipped.phase === name);
    return {
      name,
      title: stories.find(({ id }) => id === name)?.title ?? null,
      progress: isComplete
        ? 'complete'
        : isSkipped
          ? 'skipped'
          : name === current
            ? 'in_progress'
            : 'pending',
      percent: isComplete || isSkipped ? 100 : phase === undefined ? 0 : phasePercent(phase, numbers),
      iterations: state.phaseHistory[name]?.iterations ?? (name === current ? state.currentIteration : 0),
      numbers,
    };
  });
}
