import { judgeRestart } from '../run/index.js';
import type { LoopView } from '../sessions/loop/index.js';

/** What a worker knows about the run of its entry that no process runs. */
export interface StoppedFacts {
  readonly loop: LoopView;
  /** It came back into the queue, by itself or because a person said so. */
  readonly isAgain: boolean;
  /** It was brought here from another machine, where nobody could write down why it stopped. */
  readonly isMoved?: boolean | undefined;
  /** A halted one asked how it is to go on: it hears the answer when it is started. */
  readonly isDecided: boolean;
  readonly bootId: string | null;
}

/** It is over; a person let it rest, and lets it go on; it goes on; the same, and what halted it is forgotten. */
export type StoppedVerdict = 'over' | 'rests' | 'resume' | 'reset';

/** What is to be done about a run that no process runs. Pure. */
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
  // One that rests keeps its process. If that died, a person decides; if it left, the run ended at a limit.
  return loop.status === 'paused' && loop.owner.hold === 'dead' ? 'rests' : 'over';
}
