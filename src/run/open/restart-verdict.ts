import type { LoopView } from '../../sessions/loop/index.js';

/** What the service does about a run without a process, and why. */
export type RestartVerdict =
  /** It was working, so it continues. */
  | { readonly does: 'start'; readonly why: string }
  /** It was waiting, or a person stopped it, so it stays stopped. */
  | { readonly does: 'wait'; readonly why: string }
  /** It was working, but only a person can start it again, so they are asked. */
  | { readonly does: 'ask'; readonly why: string };

export interface RestartFacts {
  readonly loop: LoopView;
  /** Identifies the current boot of the machine; null if the system does not report it. */
  readonly bootId: string | null;
  /** The title of an unanswered question from the run or its agent. */
  readonly question: string | undefined;
  /** What it is waiting for before the agent may be called, in words. */
  readonly limit: string | undefined;
  /** Whether a person was asked to start it again and said no. */
  readonly isRefused: boolean;
  /** Why it cannot be started without a person; undefined if it can. */
  readonly obstacle: string | undefined;
}

/**
 * Only a run that was working continues: its process died without a word, or a shutdown stopped it. We know which signal it
 * was: SIGINT and SIGHUP come from a person at a terminal, and SIGTERM means a shutdown if the machine has booted since.
 */
export function judgeRestart(facts: RestartFacts): RestartVerdict {
  const { loop, question, limit, isRefused, obstacle } = facts;
  const rest = restingReason(facts);
  if (rest !== undefined) return { does: 'wait', why: rest };
  if (question !== undefined) return { does: 'wait', why: `waits for your answer: ${question}` };
  if (isRefused) return { does: 'wait', why: 'you said it should not continue' };
  if (obstacle !== undefined) return { does: 'ask', why: obstacle };
  const cause = loop.state.status === 'running' ? (loop.statusReason ?? 'its process is gone') : SHUT_DOWN;
  return { does: 'start', why: limit === undefined ? cause : `${cause}; it is still waiting: ${limit}` };
}

const SHUT_DOWN = 'the machine was shut down';

/** Why a run does not count as working; undefined if it was. */
function restingReason({ loop, bootId }: RestartFacts): string | undefined {
  const { state, status, statusReason, owner } = loop;
  const reason = statusReason === null ? '' : `: ${statusReason}`;
  if (status === 'halted' || status === 'paused') return `${status}${reason}`;
  // The signal of a shutdown does not turn a pause into work.
  if (state.pauseReason != null) return `paused: ${state.pauseReason}`;
  if (state.status === 'running') return owner.hold === 'dead' ? undefined : 'no process is running it';
  const { signal, bootId: then } = state.suspendedBy ?? { signal: null, bootId: null };
  const isShutdown = signal === 'SIGTERM' && then !== null && bootId !== null && then !== bootId;
  if (isShutdown) return undefined;
  return signal === null ? `stopped${reason}` : `stopped by ${signal}`;
}
