import type { LoopView } from '../../sessions/loop/index.js';

/** What the service does about a run that nobody runs, and why. */
export type RestartVerdict =
  /** It was working: it goes on. */
  | { readonly does: 'start'; readonly why: string }
  /** It waited, or a person stopped it: so it stays. */
  | { readonly does: 'wait'; readonly why: string }
  /** It was working, but only a person can start it again: they are asked. */
  | { readonly does: 'ask'; readonly why: string };

export interface RestartFacts {
  readonly loop: LoopView;
  /** Which start of the machine this is; null where the system does not tell. */
  readonly bootId: string | null;
  /** The title of what it asked, or its agent did, that nobody has answered. */
  readonly question: string | undefined;
  /** What it waits for before the agent may be called, in words. */
  readonly limit: string | undefined;
  /** Whether a person was asked to start it again, and said no. */
  readonly isRefused: boolean;
  /** Why it cannot be started without a person; undefined where it can. */
  readonly obstacle: string | undefined;
}

/**
 * Only a run that was working goes on: its process died without a word, or the end of the machine stopped it. Of a signal
 * we know the name: SIGINT and SIGHUP are a person at a terminal, and SIGTERM is the end of the machine if that was
 * started anew since.
 */
export function judgeRestart(facts: RestartFacts): RestartVerdict {
  const { loop, question, limit, isRefused, obstacle } = facts;
  const rest = restingReason(facts);
  if (rest !== undefined) return { does: 'wait', why: rest };
  if (question !== undefined) return { does: 'wait', why: `waits for your answer: ${question}` };
  if (isRefused) return { does: 'wait', why: 'you said that it is not to go on' };
  if (obstacle !== undefined) return { does: 'ask', why: obstacle };
  const cause = loop.state.status === 'running' ? (loop.statusReason ?? 'its process is gone') : SHUT_DOWN;
  return { does: 'start', why: limit === undefined ? cause : `${cause}; it waits on: ${limit}` };
}

const SHUT_DOWN = 'the machine was shut down';

/** Why a run is not one that was working; undefined for one that was. */
function restingReason({ loop, bootId }: RestartFacts): string | undefined {
  const { state, status, statusReason, owner } = loop;
  const reason = statusReason === null ? '' : `: ${statusReason}`;
  if (status === 'halted' || status === 'paused') return `${status}${reason}`;
  // The signal of a shutdown makes no work of a pause.
  if (state.pauseReason != null) return `paused: ${state.pauseReason}`;
  if (state.status === 'running') return owner.hold === 'dead' ? undefined : 'no process is running it';
  const { signal, bootId: then } = state.suspendedBy ?? { signal: null, bootId: null };
  const isShutdown = signal === 'SIGTERM' && then !== null && bootId !== null && then !== bootId;
  if (isShutdown) return undefined;
  return signal === null ? `stopped${reason}` : `stopped by ${signal}`;
}
