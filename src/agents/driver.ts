import type { Clock, Ids, Logger } from '../foundation/index.js';
import type { ProgramExit, ProgramTools } from '../programs/index.js';
import type { AgentEvent } from './events.js';
import type { PermissionPolicy } from './permission.js';
import type { TokenCounts } from './usage.js';

/** What an agent can do, according to its protocol and, once started, to the agent itself. */
export interface AgentCapabilities {
  /** `live`: one process for many prompts. `process-per-prompt`: one each. */
  readonly conversation: 'live' | 'process-per-prompt';
  /** `exact`: it resumes its own conversation by id. `none`: only by replaying the context. */
  readonly resume: 'exact' | 'none';
  /** `protocol`: the turn ends and the process stays. `kill`: the process ends with the turn. */
  readonly cancel: 'protocol' | 'kill';
  /** Text arrives as it is written rather than in whole blocks. */
  readonly streamsText: boolean;
  readonly asksPermission: boolean;
  readonly reportsUsage: boolean;
  readonly reportsContextWindow: boolean;
  readonly reportsCost: boolean;
  /** It can be given MCP servers at start. */
  readonly takesMcpServers: boolean;
}

/** A stdio MCP server for the agent to start. */
export interface McpServerSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The conversation of an agent, for resuming it later. */
export interface ResumeHandle {
  readonly driver: string;
  readonly id: string;
  /** What the conversation had cost when it was left, if known: agents continue the sum. */
  readonly costUsd?: number | undefined;
}

export interface StartOptions {
  /** What people call the agent, for messages; absent = the driver's own name for it. */
  readonly name?: string | undefined;
  readonly command: string;
  /** The user's own arguments; those of the driver follow them. */
  readonly args: readonly string[];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly model?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly permissions: PermissionPolicy;
  readonly mcpServers: readonly McpServerSpec[];
  readonly resume?: ResumeHandle | undefined;
  /** Everything the program writes, as it comes. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
  /**
   * Where to keep everything it writes, redacted and limited in size. If each prompt has its own process, the second one
   * writes to this path with `-2` appended, and so on.
   */
  readonly logPath?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What drivers need from their surroundings. */
export interface DriverTools extends ProgramTools {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
}

/** Where to find an agent's own transcript of a conversation. */
export interface TranscriptPlace
  extends Pick<StartOptions, 'command' | 'args' | 'workingDirectory' | 'environment'> {
  /** The conversation, as in its resume handle. */
  readonly conversationId: string;
}

/** A reply of the model as the agent's own transcript records it. */
export interface KeptReply {
  /** The same name as in the driver's `usage` events; null if the transcript does not name replies. */
  readonly reply: string | null;
  readonly at: Date;
  readonly model: string | null;
  readonly tokens: TokenCounts;
  /** Null if the agent does not record it. */
  readonly costUsd: number | null;
}

/** The replies since a moment, oldest first; null if the transcript cannot be found or read. Never throws. */
export type ReadReplies = (
  tools: DriverTools,
  place: TranscriptPlace,
  since: Date,
) => Promise<readonly KeptReply[] | null>;

/** How to talk to one kind of agent program. */
export interface AgentDriver {
  readonly name: string;
  readonly capabilities: AgentCapabilities;
  /** Reads the agent's own transcript, for replies that we may have missed, such as after a crash of ours. */
  readonly readReplies?: ReadReplies | undefined;
  /** Starts the agent. Throws PROGRAM_NOT_STARTED, AGENT_NOT_STARTED; then nothing is left running. */
  start(tools: DriverTools, options: StartOptions): Promise<AgentConnection>;
}

/** A conversation with a started agent. */
export interface AgentConnection {
  /** As announced by the agent itself, if the protocol has that. */
  readonly capabilities: AgentCapabilities;
  /** Known from the start or from the first exchange on; null if the agent cannot be resumed. */
  readonly resumeHandle: ResumeHandle | null;
  /** The process to show and to record; null between the prompts of a process-per-prompt agent. */
  readonly pid: number | null;
  /** Version and model as the agent reported them. */
  readonly facts: { readonly version: string | null; readonly model: string | null };
  /** What the conversation has cost so far, including before a resume; null or absent if the agent keeps no total. */
  readonly conversationCostUsd?: number | null;
  /**
   * Sends a prompt and yields what happens, ending with exactly one `turn-end`, whatever becomes of the process. A second
   * prompt meanwhile throws AGENT_BUSY, one after the end AGENT_ENDED. Leaving the loop early cancels the exchange.
   */
  prompt(text: string, options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<AgentEvent>;
  /** Ends the current exchange, which yields `turn-end` with `cancelled`. Does nothing if there is none. */
  cancel(): Promise<void>;
  /** Ends the agent: goodbye, end of input, grace, SIGTERM, SIGKILL, sweep. No process of its tree survives. */
  end(): Promise<ProgramExit | null>;
  /** Ends it at once. No process of its tree survives. */
  terminate(): Promise<ProgramExit | null>;
}

/** How long an agent may take to leave on its own, and to obey SIGTERM. */
export const STOP_GRACE = { graceMs: 3_000, termMs: 2_000 } as const;
/** How long an agent may take to end a cancelled turn before it is killed. */
export const CANCEL_GRACE_MS = 5_000;
