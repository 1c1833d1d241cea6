import { judgeRestart } from '../run/index.js';
import type { LoopView } from '../sessions/loop/index.js';

/** What a worker knows about its entry's run while no process runs it. */
export interface StoppedFacts {
  readonly loop: LoopView;
  /** Whether the entry came back into the queue, by itself or because a person said so. */
  readonly isAgain: boolean;
  /** Whether it was brought here from another machine, where nothing could record why it stopped. */
  readonly isMoved?: boolean | undefined;
  /** Whether a halted run has asked how to continue: it gets the answer when it is started. */
  readonly isDecided: boolean;
  readonly bootId: string | null;
}

/**
 * `over`: it has ended. `rests`: a person paused it and has to resume it. `resume`: start it again. `reset`: the same,
 * and clear what halted it.
 */
export type StoppedVerdict = 'over' | 'rests' | 'resume' | 'reset';

/** Decides what to do about a run that no process runs. Pure. */
export function judgeStopped({
  loop,
  isAgain,
  isMoved = false,
  isDecided,
  bootId,
}: StoppedFacts): StoppedVerdict {
  if (loop.status === 'completed' || loop.status === 'aborted') return 'over';
  if (loop.status === 'halted') {
    if (isDecided) return 'resume';
    return isAgain ? 'reset' : 'over';
  }
  if (isAgain) return 'resume';
  if (isMoved) return loop.status === 'paused' ? 'rests' : 'resume';
  const facts = { question: undefined, limit: undefined, isRefused: false, obstacle: undefined };
  if (judgeRestart({ loop, bootId, ...facts }).does === 'start') return 'resume';
  // A resting run keeps its process. If the process died, a person decides; if it left, the run ended at a limit.
  return loop.status === 'paused' && loop.owner.hold === 'dead' ? 'rests' : 'over';
}
