import { isHoldfastError } from '../foundation/index.js';

/** The exit codes of every command. Pinned: scripts depend on them. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  needsPerson: 3,
  notFound: 4,
  locked: 5,
  breakerOpen: 6,
  limitReached: 7,
  damaged: 8,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The exit code by error code; anything not listed is `failed`. */
const BY_ERROR: Readonly<Record<string, ExitCode>> = {
  INVALID_INPUT: ExitCode.usage,
  INVALID_ANSWER: ExitCode.usage,
  INVALID_SESSION_ID: ExitCode.usage,
  INVALID_PROCESS_ID: ExitCode.usage,
  INVALID_CONVERSATION_ID: ExitCode.usage,
  LAUNCH_DIFFERS: ExitCode.needsPerson,
  CONVERSATION_ELSEWHERE: ExitCode.needsPerson,
  AMBIGUOUS_ID: ExitCode.usage,
  REQUEST_ID_REUSED: ExitCode.usage,
  CONFIG_INVALID: ExitCode.usage,
  INVALID_CHANGE_NAME: ExitCode.usage,
  SESSION_REQUIRED: ExitCode.usage,
  SESSION_ELSEWHERE: ExitCode.usage,
  STORY_REQUIRED: ExitCode.usage,
  SCOPE_ERROR: ExitCode.usage,
  USAGE: ExitCode.usage,
  CONFIRMATION_MISSING: ExitCode.needsPerson,
  SESSION_TIMED_OUT: ExitCode.needsPerson,
  NO_TASKS: ExitCode.needsPerson,
  AGENT_UNKNOWN: ExitCode.notFound,
  ACCOUNT_UNKNOWN: ExitCode.notFound,
  CHANNEL_NOT_FOUND: ExitCode.notFound,
  NO_AGENT: ExitCode.notFound,
  NO_DATABASE: ExitCode.notFound,
  HOOKS_UNKNOWN: ExitCode.notFound,
  PROGRAM_NOT_STARTED: ExitCode.notFound,
  SESSION_NOT_FOUND: ExitCode.notFound,
  SESSION_ENDED: ExitCode.notFound,
  PROJECT_NOT_FOUND: ExitCode.notFound,
  CHANGE_NOT_FOUND: ExitCode.notFound,
  CHANGE_NOT_HELD: ExitCode.notFound,
  STORY_NOT_FOUND: ExitCode.notFound,
  TASK_NOT_FOUND: ExitCode.notFound,
  CHANGE_LOCKED: ExitCode.locked,
  SESSION_ID_TAKEN: ExitCode.locked,
  LOOP_NOT_FOUND: ExitCode.notFound,
  RUN_NOT_FOUND: ExitCode.notFound,
  RUN_ELSEWHERE: ExitCode.needsPerson,
  WEB_NOT_RUNNING: ExitCode.notFound,
  DEVICE_NOT_FOUND: ExitCode.notFound,
  PORT_TAKEN: ExitCode.locked,
  BIND_REFUSED: ExitCode.usage,
  FLEET_ADDRESS_INVALID: ExitCode.usage,
  FLEET_NOT_JOINED: ExitCode.usage,
  REQUEST_NOT_FOUND: ExitCode.notFound,
  LINK_REFUSED: ExitCode.needsPerson,
  PLAN_NOT_FOUND: ExitCode.notFound,
  PLAN_NOT_QUEUED: ExitCode.usage,
  ENTRY_NOT_FOUND: ExitCode.notFound,
  ENTRY_RUNNING: ExitCode.needsPerson,
  ENTRY_NEEDED: ExitCode.needsPerson,
  QUEUE_CYCLE: ExitCode.usage,
  COST_UNKNOWN: ExitCode.usage,
  NO_CHECKS: ExitCode.usage,
  CHECK_NOT_RUNNABLE: ExitCode.usage,
  PHASE_NOT_SKIPPABLE: ExitCode.usage,
  WORKTREE_REFUSED: ExitCode.usage,
  WORKTREE_UNFINISHED: ExitCode.needsPerson,
  WORKTREE_HAS_WORK: ExitCode.needsPerson,
  WORKTREE_BRANCH_GONE: ExitCode.notFound,
  LOOP_NOT_RESUMABLE: ExitCode.needsPerson,
  LOCKED: ExitCode.locked,
  LOCK_LOST: ExitCode.locked,
  TOO_MANY_SESSIONS: ExitCode.limitReached,
  TOO_MANY_PROCESSES: ExitCode.limitReached,
  PROMPT_TIMED_OUT: ExitCode.limitReached,
  DOCUMENT_DAMAGED: ExitCode.damaged,
  ABORTED: ExitCode.interrupted,
};

/** Rules of the fleet that mean something does not exist. */
const MISSING: readonly string[] = ['no-such-run', 'no-such-machine', 'no-such-entry'];

/** The exit code for anything that was thrown. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!isHoldfastError(error)) return ExitCode.failed;
  // A session that the breaker halted; anything else that cannot be resumed needs a decision.
  if (error.code === 'LOOP_NOT_RESUMABLE' && 'isHalted' in error && error.isHalted === true)
    return ExitCode.breakerOpen;
  if (error.code === 'FLEET_RULE' && 'rule' in error && MISSING.includes(String(error.rule)))
    return ExitCode.notFound;
  return BY_ERROR[error.code] ?? ExitCode.failed;
}
