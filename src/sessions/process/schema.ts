import * as z from 'zod';
import type { ResumeHandle } from '../../agents/index.js';
import { isUuidV4 } from '../../foundation/index.js';
import { processLifecycle } from './lifecycle.js';

const PREFIX = 'ses_';

/** Whether a value is the id of a process session: `ses_` and a UUID v4. */
export function isProcessId(value: string): boolean {
  return value.startsWith(PREFIX) && isUuidV4(value.slice(PREFIX.length));
}

export function processId(uuid: string): string {
  return `${PREFIX}${uuid}`;
}

const ProcessId = z.string().refine(isProcessId, 'not `ses_` and a UUID v4');
const Time = z.iso.datetime({ offset: true });

/** With what an agent was started: to go on elsewhere than it began must be said first. No value of the environment. */
export const Launch = z.looseObject({
  driver: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  working_dir: z.string(),
  env: z.array(z.string()),
  permissions: z.string(),
  model: z.string().nullable(),
  mcp_servers: z.array(z.string()),
});
export type Launch = z.infer<typeof Launch>;

/** `session.json`: what a later process must know to go on. Keys as the published `SessionInfo` spells them. */
export const ProcessFile = z.looseObject({
  version: z.int().min(1).optional(),
  id: ProcessId,
  state: z.enum(processLifecycle.states),
  agent: z.string(),
  created_at: Time,
  last_activity: Time,
  prompt_count: z.int().nonnegative(),
  total_execution_ms: z.number().nonnegative(),
  context_usage: z.number().min(0).max(100),
  launch: Launch,
  /** The agent's own conversation; null until it is known, or where there is none. */
  resume: z.object({ driver: z.string(), id: z.string() }).nullable(),
  /** What that conversation had cost after the last answer, where the agent sums up. */
  resume_cost_usd: z.number().nonnegative().nullable().optional(),
  /** The prompt that was sent and not yet answered: it is written before it is sent, so never sent twice. */
  prompt: z
    .looseObject({ number: z.int().min(1), sent_at: Time, characters: z.int().nonnegative() })
    .nullable(),
  /** How it ended. */
  ended: z
    .looseObject({
      at: Time,
      reason: z.string(),
      exit_code: z.int().nullable(),
      signal: z.string().nullable(),
    })
    .nullable(),
  /** Processes that the agent may have left running: seen after its end, and not known well enough to be ended. */
  left_behind: z.array(z.looseObject({ pid: z.int().min(1), name: z.string() })).optional(),
});
export type ProcessFile = z.infer<typeof ProcessFile>;

/** `stop.json`: somebody else asks the owner to end the session. */
export const StopFile = z.looseObject({
  version: z.int().min(1).optional(),
  mode: z.enum(['end', 'terminate']),
});
export type StopMode = z.infer<typeof StopFile>['mode'];

/** The agent's own conversation as its driver wants it; null where there is none. */
export function handleIn({ resume, resume_cost_usd: costUsd }: ProcessFile): ResumeHandle | null {
  if (resume === null) return null;
  return { ...resume, ...(typeof costUsd === 'number' ? { costUsd } : {}) };
}
