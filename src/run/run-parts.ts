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

/** Whether the agent keeps what it knows from one iteration to the next. `redline`: until its context is nearly full. */
export const CONTEXT_MODES = ['fresh', 'continue', 'redline'] as const;
export type ContextMode = (typeof CONTEXT_MODES)[number];

/** What a run and all others may use together. */
export interface SharedLimits {
  /** The door to the account. */
  readonly quota: QuotaGate;
  /** How much of a window of the account may be used; absent = all of it. */
  readonly stopAtPercent?: number | undefined;
  /** What was used on each day; absent where no budget of the day is configured. */
  readonly days?: DayLedger | undefined;
}

/** What of a run another machine could go on with. */
export interface CheckpointFacts {
  readonly loop: LoopExport;
  /** About to be sent; null between two iterations. */
  readonly prompt: string | null;
  /** The questions of the run that are open. */
  readonly openQuestions: readonly string[];
}

/** What cannot be reached, since when, and until when the run may live without; null = as long as it takes. */
export interface CheckpointWait {
  readonly what: 'fleet' | 'git';
  readonly since: string;
  readonly until: string | null;
}

/** What a run of the fleet needs beside: its lease, and a place that outlives this machine. */
export interface RunCheckpoint {
  /**
   * Stores one, durably, where another machine can go on from; waits where that cannot be reached, for as long as the run may
   * live. False where the run is no longer this machine's, or the signal fired.
   */
  store(facts: CheckpointFacts, signal: AbortSignal): Promise<boolean>;
  /** Told when something cannot be reached, and null when it can again. */
  follow(listener: (wait: CheckpointWait | null) => void): Disposable;
  /** Fires, with the reason in words, when the run is no longer this machine's. */
  readonly lost: AbortSignal;
  /** Fires when it is wanted elsewhere: it leaves between two iterations. */
  readonly wanted: AbortSignal;
}

/** Everything that a run is put together from. */
export interface RunParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly fileSystem: FileSystem;
  readonly loops: LoopSessions;
  readonly loop: HeldLoop;
  readonly plan: RunPlan;
  readonly conversation: Conversation;
  /** How many files of the project were written since a moment, as far as that can still be told. */
  readonly filesChangedSince: (since: Date) => Promise<ChangedCounts>;
  readonly taker: TurnTaker;
  readonly questions: QuestionSessions;
  readonly checks: readonly Check[];
  readonly checkTools: CheckTools;
  readonly projectDirectory: string;
  readonly context: ContextMode;
  /** Whose words the agent's service speaks, and in which time zone the agent tells times; absent = ours. */
  readonly service: { readonly service: ServiceName; readonly zone?: string | undefined };
  /** What this run and all others may use together; absent where nobody else is asked. */
  readonly shared?: SharedLimits | undefined;
  /** How long the agent may show no sign of life before it is ended. */
  readonly idle: IdleLimits;
  /** The paths that changed while the agent worked, by what was measured. */
  readonly touched: Set<string>;
  /** Nobody is there to answer: what needs a person ends the run. */
  readonly isUnattended: boolean;
  readonly journal: RunJournal;
  /** What the person wants said in each phase, by its name. */
  readonly ownWords: Readonly<Record<string, string>>;
  /** The phase in which the session halted is to be skipped first: by whom and why. */
  readonly skip: SkipWish | null;
  /** When the person started this run: what was asked of it before is outdated. */
  readonly startedAt: Date;
  /** Absent for a run of this machine alone. */
  readonly checkpoint?: RunCheckpoint | undefined;
}

/** Who wants a phase skipped, and why; without a reason of their own it is why the session halted. */
export interface SkipWish {
  readonly actor: string;
  readonly reason?: string | undefined;
}

/** What a run remembers from one iteration to the next; none of it is needed after a restart. */
export interface RunMemory {
  checks: CheckResults | null;
  /** The agent cannot take more into its context. */
  isContextFull: boolean;
  /** A phase to be skipped that was not yet. */
  skip: SkipWish | null;
  /** Why the last phase could not be skipped, until somebody is told. */
  refusal: string | null;
  /** Whether this process has prompted the agent. */
  hasWorked: boolean;
  /** A person said that the next prompt is to be sent now, whatever the run waits for. */
  triesNow: boolean;
}

/** Why an iteration was cut short. */
export type CutReason = 'signal' | 'request' | 'question' | 'lost' | 'journal' | 'fenced' | 'hand-over';
