import type { ResumeHandle } from '../../agents/index.js';
import {
  count,
  isUuidV4,
  listOf,
  named,
  nullable,
  number,
  oneOf,
  optional,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
} from '../../foundation/index.js';
import { processLifecycle } from './lifecycle.js';

const PREFIX = 'ses_';

/** Whether a value is the id of a process session: `ses_` and a UUID v4. */
export function isProcessId(value: string): boolean {
  return value.startsWith(PREFIX) && isUuidV4(value.slice(PREFIX.length));
}

export function processId(uuid: string): string {
  return `${PREFIX}${uuid}`;
}

/** How an agent was started: continuing with anything else must be confirmed first. Environment values are never stored. */
const Launch = record({
  driver: text,
  command: text,
  args: listOf(text),
  workingDirectory: named('working_dir', text),
  /** The names of the variables that were set. */
  env: listOf(text),
  permissions: text,
  model: nullable(text),
  mcpServers: named('mcp_servers', listOf(text)),
});
export type Launch = ValueOf<typeof Launch>;

/** `session.json`: what a later process must know to continue. Keys are spelled as in the published `SessionInfo`. */
export const ProcessFile = record({
  version: optional(whole(1)),
  id: textThat(isProcessId, 'not `ses_` and a UUID v4'),
  state: oneOf(processLifecycle.states),
  agent: text,
  createdAt: named('created_at', time),
  lastActivity: named('last_activity', time),
  promptCount: named('prompt_count', count),
  totalExecutionMs: named('total_execution_ms', number(0)),
  contextUsage: named('context_usage', number(0, 100)),
  launch: Launch,
  /** The agent's own conversation; null until it is known, or if there is none. */
  resume: nullable(record({ driver: text, id: text })),
  /** What that conversation had cost after the last answer, if the agent keeps a running total. */
  resumeCostUsd: named('resume_cost_usd', optional(nullable(number(0)))),
  /** The prompt that was sent and not yet answered. It is recorded before it is sent, so it is never sent twice. */
  prompt: nullable(record({ number: whole(1), sentAt: named('sent_at', time), characters: count })),
  /** How it ended. */
  ended: nullable(
    record({
      at: time,
      reason: text,
      exitCode: named('exit_code', nullable(whole())),
      signal: nullable(text),
    }),
  ),
  /** Processes that the agent may have left running: seen after its end, but not identified surely enough to be ended. */
  leftBehind: named('left_behind', optional(listOf(record({ pid: whole(1), name: text })))),
});
export type ProcessFile = ValueOf<typeof ProcessFile>;

/** `stop.json`: another process asks the owner to end the session. */
export const StopFile = record({ version: optional(whole(1)), mode: oneOf(['end', 'terminate']) });
export type StopMode = ValueOf<typeof StopFile>['mode'];

/** The agent's own conversation as its driver expects it; null if there is none. */
export function handleIn({ resume, resumeCostUsd: costUsd }: ProcessFile): ResumeHandle | null {
  if (resume === null) return null;
  const { driver, id } = resume;
  return { driver, id, ...(typeof costUsd === 'number' ? { costUsd } : {}) };
}
