import { isOver, type ProcessState } from './lifecycle.js';
import type { Launch, ProcessFile } from './schema.js';

/** How a session stands, as seen by a process that does not own it. */
export type ProcessStanding =
  /** Its owner is alive. */
  | 'live'
  /** Its owner died in the middle of something. */
  | 'interrupted'
  /** It has no owner and can be resumed. */
  | 'resumable'
  /** It has no owner, and the agent cannot resume it. */
  | 'left'
  | 'over';

/** What is reported about a session. The configuration has the names of environment variables, never their values. */
export interface ProcessInfo {
  readonly id: string;
  readonly state: ProcessState;
  readonly standing: ProcessStanding;
  readonly agent: string;
  readonly createdAt: string;
  readonly lastActivity: string;
  readonly promptCount: number;
  readonly totalExecutionMs: number;
  readonly contextUsage: number;
  readonly launch: Readonly<Launch>;
  readonly isResumable: boolean;
  /** The prompt that was sent and has no recorded answer. */
  readonly openPrompt: { readonly number: number; readonly sentAt: string } | null;
  readonly ended: {
    readonly at: string;
    readonly reason: string;
    readonly exitCode: number | null;
    readonly signal: string | null;
  } | null;
  /** Processes that the agent may have left running; absent if none were seen. */
  readonly leftBehind?: readonly { readonly pid: number; readonly name: string }[] | undefined;
}

export function infoOf(record: Readonly<ProcessFile>, isOwned: boolean): ProcessInfo {
  const { id, state, agent, createdAt, lastActivity, promptCount, totalExecutionMs, contextUsage } = record;
  const { driver, command, args, workingDirectory, env, permissions, model, mcpServers } = record.launch;
  const { prompt, ended, leftBehind } = record;
  return {
    id,
    state,
    standing: standingOf(record, isOwned),
    agent,
    createdAt,
    lastActivity,
    promptCount,
    totalExecutionMs,
    contextUsage,
    launch: { driver, command, args, workingDirectory, env, permissions, model, mcpServers },
    isResumable: !isOver(state) && record.resume !== null,
    openPrompt: prompt === null ? null : { number: prompt.number, sentAt: prompt.sentAt },
    ended:
      ended === null
        ? null
        : { at: ended.at, reason: ended.reason, exitCode: ended.exitCode, signal: ended.signal },
    ...(leftBehind === undefined ? {} : { leftBehind: leftBehind.map(({ pid, name }) => ({ pid, name })) }),
  };
}

function standingOf({ state, resume }: Readonly<ProcessFile>, isOwned: boolean): ProcessStanding {
  if (isOver(state)) return 'over';
  if (isOwned) return 'live';
  if (state === 'creating' || state === 'executing') return 'interrupted';
  return resume === null ? 'left' : 'resumable';
}
