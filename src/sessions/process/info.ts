import { isOver, type ProcessState } from './lifecycle.js';
import type { Launch, ProcessFile } from './schema.js';

/** How a session stands, as a process that does not have it sees it. */
export type Standing =
  /** Its owner is alive. */
  | 'live'
  /** Its owner died in the middle of something. */
  | 'interrupted'
  /** Nobody has it; it can be gone on with. */
  | 'resumable'
  /** Nobody has it, and the agent cannot go on with it. */
  | 'left'
  | 'over';

/** With what an agent was started. */
export interface LaunchInfo {
  readonly driver: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly workingDirectory: string;
  /** The names of the variables that were set. */
  readonly env: readonly string[];
  readonly permissions: string;
  readonly model: string | null;
  readonly mcpServers: readonly string[];
}

/** What is told about a session. The configuration has the names of environment variables, never their values. */
export interface ProcessInfo {
  readonly id: string;
  readonly state: ProcessState;
  readonly standing: Standing;
  readonly agent: string;
  readonly createdAt: string;
  readonly lastActivity: string;
  readonly promptCount: number;
  readonly totalExecutionMs: number;
  readonly contextUsage: number;
  readonly launch: LaunchInfo;
  readonly isResumable: boolean;
  /** The prompt that was sent and of which no answer is recorded. */
  readonly openPrompt: { readonly number: number; readonly sentAt: string } | null;
  readonly ended: {
    readonly at: string;
    readonly reason: string;
    readonly exitCode: number | null;
    readonly signal: string | null;
  } | null;
  /** Processes that the agent may have left running; absent where none were seen. */
  readonly leftBehind?: readonly { readonly pid: number; readonly name: string }[] | undefined;
}

export function infoOf(record: Readonly<ProcessFile>, isOwned: boolean): ProcessInfo {
  const { prompt, ended } = record;
  return {
    id: record.id,
    state: record.state,
    standing: standingOf(record, isOwned),
    agent: record.agent,
    createdAt: record.created_at,
    lastActivity: record.last_activity,
    promptCount: record.prompt_count,
    totalExecutionMs: record.total_execution_ms,
    contextUsage: record.context_usage,
    launch: launchInfo(record.launch),
    isResumable: !isOver(record.state) && record.resume !== null,
    openPrompt: prompt === null ? null : { number: prompt.number, sentAt: prompt.sent_at },
    ended:
      ended === null
        ? null
        : { at: ended.at, reason: ended.reason, exitCode: ended.exit_code, signal: ended.signal },
    ...(record.left_behind === undefined
      ? {}
      : { leftBehind: record.left_behind.map(({ pid, name }) => ({ pid, name })) }),
  };
}

function standingOf(record: Readonly<ProcessFile>, isOwned: boolean): Standing {
  if (isOver(record.state)) return 'over';
  if (isOwned) return 'live';
  if (record.state === 'creating' || record.state === 'executing') return 'interrupted';
  return record.resume === null ? 'left' : 'resumable';
}

function launchInfo(launch: Readonly<Launch>): LaunchInfo {
  const { driver, command, args, working_dir: workingDirectory, env } = launch;
  const { permissions, model, mcp_servers: mcpServers } = launch;
  return { driver, command, args, workingDirectory, env, permissions, model, mcpServers };
}
