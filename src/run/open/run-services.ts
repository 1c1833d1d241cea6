import type {
  AgentDefinition,
  DriverTools,
  PermissionMode,
  PermissionRequest,
  PriceOf,
} from '../../agents/index.js';
import type { Clock, Logger } from '../../foundation/index.js';
import type { ProgramRegistry } from '../../programs/index.js';
import type { ChangeSessions } from '../../sessions/change/index.js';
import type { Conversation, ConversationSessions } from '../../sessions/conversation/index.js';
import type { Budget, choosePreset, LoopSessions } from '../../sessions/loop/index.js';
import type { Workbench } from '../../sessions/process/index.js';
import type { QuestionSessions } from '../../sessions/question/index.js';
import type { LockTools } from '../../storage/index.js';
import type { ContentMemory } from '../../workspace/index.js';
import type { RunCheckpoint, SharedLimits } from '../run-parts.js';
import type { Continuation, TurnTaker } from '../turn/take-turn.js';
import type { WorktreeRecord } from '../worktree/record.js';

/** What is needed to see how a run stands. */
export interface RunShelf {
  readonly tools: LockTools;
  readonly clock: Clock;
  readonly log: Logger;
  readonly questions: QuestionSessions;
  /** The directory for what belongs to the runs of this user. */
  readonly runs: string;
  /** The directory for the records of worktrees. */
  readonly worktrees: string;
}

/** What a run in one project needs of the process it runs in. `app` puts it together. */
export interface RunServices extends RunShelf {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The top of the project. */
  readonly projectDirectory: string;
  /** The record of the worktree that this directory is; undefined in any other directory. */
  readonly worktree: WorktreeRecord | undefined;
  /** How this program is started. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  readonly programs: ProgramRegistry;
  readonly driverTools: DriverTools;
  readonly settings: RunSettings;
  openLoops(overrides?: {
    readonly callsPerHour?: number | undefined;
    readonly sessionId?: string | undefined;
  }): LoopSessions;
  openConversations(): ConversationSessions;
  conversationPath(id: string): string;
  openChanges(): ChangeSessions;
  /** Throws AGENT_UNKNOWN, NO_AGENT, PROGRAM_NOT_STARTED, ACCOUNT_UNKNOWN, INVALID_INPUT. */
  chooseAgent(name: string | undefined, account?: string | undefined): AgentDefinition;
  turnTaker(agent: AgentDefinition, conversation: Conversation, options: TakerWishes): TurnTaker;
  /** The limits that a run with this agent shares with all others. */
  openSharedLimits(agent: AgentDefinition, sessionId: string): SharedLimits;
  /**
   * What a run needs in addition if the fleet leased it to this machine; undefined for any other run. Throws
   * FLEET_LEASE_GONE.
   */
  openCheckpoint?: (
    sessionId: string,
    place: { readonly projectDirectory: string; readonly conversation: string },
  ) => Promise<(RunCheckpoint & AsyncDisposable) | undefined>;
  /** Starts processes of a run so that its guard can end them; absent if there is none. */
  readonly guard?: RunGuardian | undefined;
  openPrices(): Promise<PriceOf>;
  /** Opens the workbench that inspects working directories. */
  workbench(): Workbench;
  /** The same for another directory. Throws CONFIG_INVALID. */
  at(workingDirectory: string): RunServices;
}

/** Ends a run when its lease is over, whatever happened to its worker. */
export interface RunGuardian {
  /** What the processes of the run carry in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  around<Result>(start: () => Result): Result;
  follow(pid: number): void;
}

/** What the user configured for runs. */
export interface RunSettings {
  readonly budget: Budget;
  /** What all runs of one local day may cost together. */
  readonly dayCostUsd?: number | undefined;
  readonly idleMinutes: number;
  /** The person's own instructions for each phase, by its name. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Where new worktrees are made, and the person's own setup command for each. */
  readonly worktree: { readonly directory: string; readonly setup: string | undefined };
  readonly preset: Pick<Parameters<typeof choosePreset>[0], 'configured' | 'phases'>;
}

/** How the agent of a run is started. */
export interface TakerWishes {
  readonly permissions: PermissionMode;
  readonly model: string | undefined;
  readonly workingDirectory: string;
  readonly askerSession: string;
  readonly isAttended: boolean;
  readonly isTold: (request: PermissionRequest) => boolean;
  readonly signal: AbortSignal;
  readonly acceptsChanges: boolean;
  readonly priceOf: PriceOf;
  readonly isMeasured: boolean;
  readonly memory: ContentMemory;
  readonly onContinuation: (continuation: Continuation) => void;
}
