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
  /** Where what belongs to the runs of this user is kept. */
  readonly runs: string;
  /** Where the worktrees of runs are known. */
  readonly worktrees: string;
}

/** What a run needs of the process that it runs in, in one project. `app` puts it together. */
export interface RunServices extends RunShelf {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The top of the project. */
  readonly projectDirectory: string;
  /** The worktree of a run that this is; undefined in any other directory. */
  readonly worktree: WorktreeRecord | undefined;
  /** How this very program is started. */
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
  /** What a run with this agent shares with all others. */
  openSharedLimits(agent: AgentDefinition, sessionId: string): SharedLimits;
  /** What a run that the fleet leased to this machine needs beside; undefined for every other. Throws FLEET_LEASE_GONE. */
  openCheckpoint?: (
    sessionId: string,
    place: { readonly projectDirectory: string; readonly conversation: string },
  ) => Promise<(RunCheckpoint & AsyncDisposable) | undefined>;
  /** Where processes of a run are started so that its guard can end them; absent where there is none. */
  readonly guard?: RunGuardian | undefined;
  openPrices(): Promise<PriceOf>;
  /** How working directories are looked at. */
  workbench(): Workbench;
  /** The same for another directory. Throws CONFIG_INVALID. */
  at(workingDirectory: string): RunServices;
}

/** What ends a run when its lease is over, whatever became of its worker. */
export interface RunGuardian {
  /** What the processes of the run carry in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  around<Result>(start: () => Result): Result;
  follow(pid: number): void;
}

/** What the user configured about runs. */
export interface RunSettings {
  readonly budget: Budget;
  /** What all runs of a local day may cost together. */
  readonly dayCostUsd?: number | undefined;
  readonly idleMinutes: number;
  /** What the person wants said in each phase, by its name. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Where new worktrees are made, and the person's own command for each. */
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
