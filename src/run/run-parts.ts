import type { DayLedger, QuotaGate } from '../accounts/index.js';
import type { ServiceName } from '../agents/index.js';
import type { Clock, Logger } from '../foundation/index.js';
import type { Conversation } from '../sessions/conversation/index.js';
import type { HeldLoop, LoopExport, LoopSessions } from '../sessions/loop/index.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import type { FileSystem } from '../storage/index.js';
import type { ChangedCounts } from '../workspace/index.js';
import type { RunJournal } from './journal/journal.js';
import type { RunPlan } from './plan/plan.js';
import type { Check, CheckResults, CheckTools } from './turn/checks.js';
import type { IdleLimits } from './turn/idle-clock.js';
import type { TurnTaker } from './turn/take-turn.js';

/** Whether the agent remembers one iteration in the next. `redline`: until its context is nearly full. */
export const CONTEXT_MODES = ['fresh', 'continue', 'redline'] as const;
export type ContextMode = (typeof CONTEXT_MODES)[number];

/** What a run shares with all others. */
export interface SharedLimits {
  /** Admits prompts to the account. */
  readonly quota: QuotaGate;
  /** How much of a window of the account may be used; absent = all of it. */
  readonly stopAtPercent?: number | undefined;
  /** What was used on each day; absent if no daily budget is configured. */
  readonly days?: DayLedger | undefined;
}

/** Everything of a run that another machine needs to continue it. */
export interface CheckpointFacts {
  readonly loop: LoopExport;
  /** The prompt about to be sent; null between two iterations. */
  readonly prompt: string | null;
  /** The open questions of the run. */
  readonly openQuestions: readonly string[];
}

/** What cannot be reached, since when, and until when the run may continue without it; null = as long as it takes. */
export interface CheckpointWait {
  readonly what: 'fleet' | 'git';
  readonly since: string;
  readonly until: string | null;
}

/** What a run of the fleet needs in addition: its lease, and a place that outlives this machine. */
export interface RunCheckpoint {
  /**
   * Stores a checkpoint durably where another machine can continue from it. If that place cannot be reached, it waits as
   * long as the run may live. False if the run is no longer this machine's, or the signal fired.
   */
  store(facts: CheckpointFacts, signal: AbortSignal): Promise<boolean>;
  /** Calls back when something cannot be reached, and with null when it can again. */
  follow(listener: (wait: CheckpointWait | null) => void): Disposable;
  /** Fires, with the reason in words, when the run is no longer this machine's. */
  readonly lost: AbortSignal;
  /** Fires when another machine wants the run: it leaves between two iterations. */
  readonly wanted: AbortSignal;
}

/** Everything a run is made of. */
export interface RunParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly fileSystem: FileSystem;
  readonly loops: LoopSessions;
  readonly loop: HeldLoop;
  readonly plan: RunPlan;
  readonly conversation: Conversation;
  /** How many files of the project were written since a moment, as far as that can still be determined. */
  readonly filesChangedSince: (since: Date) => Promise<ChangedCounts>;
  readonly taker: TurnTaker;
  readonly questions: QuestionSessions;
  readonly checks: readonly Check[];
  readonly checkTools: CheckTools;
  readonly projectDirectory: string;
  readonly context: ContextMode;
  /** Whose wording the agent's service uses, and the time zone of the times the agent prints; absent = ours. */
  readonly service: { readonly service: ServiceName; readonly zone?: string | undefined };
  /** What this run shares with all others; absent if it shares nothing. */
  readonly shared?: SharedLimits | undefined;
  /** How long the agent may show no sign of life before it is ended. */
  readonly idle: IdleLimits;
  /** The measured paths that changed while the agent worked. */
  readonly touched: Set<string>;
  /** Nobody is there to answer: anything that needs a person ends the run. */
  readonly isUnattended: boolean;
  readonly journal: RunJournal;
  /** The person's own instructions for each phase, by its name. */
  readonly ownWords: Readonly<Record<string, string>>;
  /** Who wants the phase in which the session halted skipped first, and why. */
  readonly skip: SkipWish | null;
  /** When the person started this run: earlier requests are outdated. */
  readonly startedAt: Date;
  /** Absent for a run of this machine only. */
  readonly checkpoint?: RunCheckpoint | undefined;
}

/** Who wants a phase skipped, and why; without a reason of their own, it is why the session halted. */
export interface SkipWish {
  readonly actor: string;
  readonly reason?: string | undefined;
}

/** What a run remembers from one iteration to the next; none of it is needed after a restart. */
export interface RunMemory {
  checks: CheckResults | null;
  /** The agent's context can hold no more. */
  isContextFull: boolean;
  /** The phase that is still to be skipped. */
  skip: SkipWish | null;
  /** Why the last phase could not be skipped, until a person has been told. */
  refusal: string | null;
  /** Whether this process has prompted the agent. */
  hasWorked: boolean;
  /** A person said to send the next prompt now, whatever the run is waiting for. */
  triesNow: boolean;
}

/** Why an iteration was cut short. */
export type CutReason = 'signal' | 'request' | 'question' | 'lost' | 'journal' | 'fenced' | 'hand-over';
