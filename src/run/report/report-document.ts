import type { ConversationView } from '../../sessions/conversation/index.js';
import type { Budget, ChangedFile, LoopView, Missing } from '../../sessions/loop/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import type { ChangedPaths } from '../journal/events.js';
import type { WorktreeReport } from '../worktree/worktree-report.js';
import type { Attempt, CheckRun, RunHistory } from './run-history.js';
import type { UsedReport } from './used.js';

/** The version of the document that `holdfast report --json` prints. */
export const REPORT_VERSION = 1;

/** The results of a run, from files alone: the documents of its loop, its journal, its conversation, its questions. */
export interface RunReport {
  readonly version: typeof REPORT_VERSION;
  /** When the report was made. */
  readonly madeAt: string;
  readonly sessionId: string;
  readonly project: { readonly path: string; readonly isThere: boolean };
  readonly agent: string | null;
  readonly preset: string | null;
  readonly plan: string;
  readonly status: string;
  /** Why it stopped, or null. */
  readonly reason: string | null;
  readonly isRunning: boolean;
  readonly startedAt: string;
  readonly lastActivityAt: string;
  /** The commit it began at, in a repository. */
  readonly startedFrom: string | null;
  /** From its start to its end, or to when it was last active. */
  readonly elapsedMs: number;
  /** The part of it spent waiting for people and limits, and the part in which no process ran it. */
  readonly waitedMs: number;
  readonly notRunningMs: number;
  readonly usage: {
    readonly iterations: number;
    readonly activeMs: number;
  } & UsedReport;
  readonly budget: Budget;
  /** The sources of the prices that were used, with their dates. */
  readonly priceSources: readonly string[];
  readonly phases: readonly PhaseReport[];
  /** Phases that a person ended without their gates. */
  readonly skipped: readonly {
    readonly phase: string;
    readonly at: string;
    readonly actor: string;
    readonly reason: string;
  }[];
  readonly iterations: readonly ReportedIteration[];
  readonly tests: readonly IterationTests[];
  /** Before the run changed anything, and at the last count; null if no check reported numbers. */
  readonly testsBefore: TestNumbers | null;
  readonly testsAfter: TestNumbers | null;
  /** What it has changed since it began; null if unknown. */
  readonly files: readonly ReportedFile[] | null;
  readonly questions: readonly AskedQuestion[];
  readonly permissions: readonly ReportedPermission[];
  /** Permissions that were denied, with what was wanted. */
  readonly denials: readonly { readonly at: string; readonly what: string }[];
  readonly errors: readonly { readonly at: string; readonly phase: string; readonly error: string }[];
  readonly breaker: { readonly state: string; readonly openReason: string | null };
  readonly openings: RunHistory['openings'];
  /** The processes that ran it, oldest first. */
  readonly processes: RunHistory['processes'];
  readonly waits: RunHistory['waits'];
  readonly requests: RunHistory['requests'];
  readonly conversation: string | null;
  /** What its last run in the background said before it ended, if anything. */
  readonly lastWords: string | null;
  /** The file that holds its lines. */
  readonly log: string | null;
  /** The worktree it works in; null if it works in the project itself. */
  readonly worktree: WorktreeReport | null;
  /** What a person types to continue it, the most likely first. */
  readonly commands: readonly string[];
  /** What is missing from this report, and why. */
  readonly gaps: readonly ReportGap[];
}

export interface TestNumbers {
  readonly passing: number;
  readonly failing: number;
  readonly total: number;
}

/** A changed file; if it was not committed at the start, its numbers include the person's own changes. */
export interface ReportedFile extends ChangedFile {
  readonly wasUncommitted: boolean;
}

/** A question and what happened to it. */
export interface AskedQuestion {
  readonly id: string;
  readonly title: string;
  readonly prompts: readonly string[];
  readonly status: string;
  readonly isPermission: boolean;
  /** The decision, if it is a permission that was decided. */
  readonly isAllowed: boolean | null;
  /** Whether the agent asked, or the run itself. */
  readonly from: 'agent' | 'run';
  readonly askedAt: string;
  readonly askedBy: string | null;
  /** The answer as the agent reads it, or the reason why there is none; null while it is waiting. */
  readonly answer: string | null;
  readonly answeredAt: string | null;
  /** Who gave it, if known. */
  readonly answeredBy: string | null;
}

/** What the agent wanted permission for. Equal ones decided by a rule are counted as one. */
export interface ReportedPermission {
  readonly tool: string;
  readonly what: string;
  readonly decision: 'allowed' | 'denied';
  /** The rule, or the person as far as known. */
  readonly by: string;
  /** What a person said with the decision. */
  readonly message: string | null;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

export interface PhaseReport extends UsedReport {
  readonly name: string;
  readonly iterations: number;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly exitReason: string | null;
  readonly filesChanged: number;
}

export interface IterationTests {
  readonly phase: string;
  readonly iteration: number;
  readonly at: string;
  readonly total: number;
  readonly passing: number;
  readonly failing: number;
}

/** What a report is made of. */
export interface ReportSources {
  readonly sessionId?: string | undefined;
  /** Undefined if its documents are gone or cannot be read: then the journal is used instead. */
  readonly loop: LoopView | undefined;
  readonly conversation: ConversationView | undefined;
  readonly questions: readonly QuestionView[];
  readonly lastWords: string | null;
  readonly files: readonly ChangedFile[] | null;
  readonly log: string | null;
  readonly worktree?: WorktreeReport | null | undefined;
  readonly history?: RunHistory | undefined;
  readonly project?: RunReport['project'] | undefined;
  readonly isRunning?: boolean | undefined;
  readonly commands?: readonly string[] | undefined;
  readonly madeAt?: string | undefined;
}

/** One iteration of a run, complete or not. */
export interface ReportedIteration {
  /** Counted over the whole run, including those that were cut short. */
  readonly number: number;
  readonly phase: string;
  readonly story: string | null;
  /** Counted within its phase or story. */
  readonly iteration: number;
  readonly title: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  /** Time the agent and the checks worked; null if no process survived to count it. */
  readonly activeMs: number | null;
  /** The rest: time spent waiting for answers. */
  readonly waitedMs: number | null;
  /** `lost`: its process ended without a word. `open`: it is still running, as far as we know. */
  readonly end: Attempt['end'];
  readonly cutReason: string | null;
  /** In words: what the gates said, or why there is no verdict. */
  readonly verdict: string;
  readonly isGateOpen: boolean;
  readonly saysDone: boolean;
  readonly missing: readonly Missing[];
  readonly breaker: string | null;
  readonly error: string | null;
  /** What the agent was sent: the turns of the conversation, and a digest of the whole text. */
  readonly prompt: {
    readonly turns: readonly number[];
    readonly characters: number;
    readonly digest: string;
  } | null;
  readonly files: { readonly created: number; readonly modified: number; readonly deleted: number } | null;
  readonly changed: ChangedPaths | null;
  /** Files that an earlier try had changed before it was cut short. */
  readonly filesLeft: number;
  readonly checks: readonly CheckRun[];
  readonly testsBefore: TestNumbers | null;
  readonly testsAfter: TestNumbers | null;
  /** Null if unknown. */
  readonly used: UsedReport | null;
  readonly toolCalls: number;
  /** The end of what the agent said. */
  readonly said: string;
  /** The ids of the questions asked in the meantime. */
  readonly questions: readonly string[];
  readonly denials: readonly string[];
}

/** Something the report cannot say, and why. */
export interface ReportGap {
  readonly kind:
    | 'project-gone'
    | 'loop-gone'
    | 'loop-damaged'
    | 'journal-missing'
    | 'journal-damaged'
    | 'journal-capped'
    | 'journal-lost'
    | 'conversation-missing'
    | 'conversation-damaged'
    | 'questions-gone'
    | 'permissions-left-out';
  readonly words: string;
}
