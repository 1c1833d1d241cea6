import type { ConversationView } from '../../sessions/conversation/index.js';
import type { Budget, ChangedFile, LoopView, Missing } from '../../sessions/loop/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import type { ChangedPaths } from '../journal/events.js';
import type { WorktreeReport } from '../worktree/worktree-report.js';
import type { Attempt, CheckRun, RunHistory } from './run-history.js';
import type { UsedReport } from './used.js';

/** Of the document that `holdfast report --json` prints. */
export const REPORT_VERSION = 1;

/** What a run came to, from its files alone: the documents of its loop, its journal, its conversation, its questions. */
export interface RunReport {
  readonly version: typeof REPORT_VERSION;
  /** When it was put together. */
  readonly madeAt: string;
  readonly sessionId: string;
  readonly project: { readonly path: string; readonly isThere: boolean };
  readonly agent: string | null;
  readonly preset: string | null;
  readonly plan: string;
  readonly status: string;
  /** Why it stands as it does: why it stopped, or null. */
  readonly reason: string | null;
  readonly isRunning: boolean;
  readonly startedAt: string;
  readonly lastActivityAt: string;
  /** The commit that it began at, in a repository. */
  readonly startedFrom: string | null;
  /** From its start to its end, or to when it was last active. */
  readonly elapsedMs: number;
  /** Of that, how long it waited for people and limits, and how long no process ran it. */
  readonly waitedMs: number;
  readonly notRunningMs: number;
  readonly usage: {
    readonly iterations: number;
    readonly activeMs: number;
  } & UsedReport;
  readonly budget: Budget;
  /** Where prices come from that were used, with their date. */
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
  /** Before anybody touched the tree, and what they came to last; null where nothing told numbers. */
  readonly testsBefore: TestNumbers | null;
  readonly testsAfter: TestNumbers | null;
  /** What it changed since it began; null where nobody knows. */
  readonly files: readonly ReportedFile[] | null;
  readonly questions: readonly AskedQuestion[];
  readonly permissions: readonly ReportedPermission[];
  /** Permissions that were denied, with what was wanted. */
  readonly denials: readonly { readonly at: string; readonly what: string }[];
  readonly errors: readonly { readonly at: string; readonly phase: string; readonly error: string }[];
  readonly breaker: { readonly state: string; readonly openReason: string | null };
  readonly openings: RunHistory['openings'];
  /** The processes that ran it, one after the other. */
  readonly processes: RunHistory['processes'];
  readonly waits: RunHistory['waits'];
  readonly requests: RunHistory['requests'];
  readonly conversation: string | null;
  /** What its last run in the background said before it ended, if anything. */
  readonly lastWords: string | null;
  /** Where its lines are kept. */
  readonly log: string | null;
  /** The worktree that it works in; null for one that works in the project itself. */
  readonly worktree: WorktreeReport | null;
  /** What a person types to go on with it, the likeliest first. */
  readonly commands: readonly string[];
  /** What is missing from this report, and why. */
  readonly gaps: readonly ReportGap[];
}

export interface TestNumbers {
  readonly passing: number;
  readonly failing: number;
  readonly total: number;
}

/** A changed file; its numbers hold the person's own changes, too, where it was not committed at the start. */
export interface ReportedFile extends ChangedFile {
  readonly wasUncommitted: boolean;
}

/** What was asked, and what became of it. */
export interface AskedQuestion {
  readonly id: string;
  readonly title: string;
  readonly prompts: readonly string[];
  readonly status: string;
  readonly isPermission: boolean;
  /** Of a permission that was decided: how. */
  readonly isAllowed: boolean | null;
  /** Whether the agent asked, or the run itself. */
  readonly from: 'agent' | 'run';
  readonly askedAt: string;
  readonly askedBy: string | null;
  /** The answer as the agent reads it, or the reason why there is none; null while it waits. */
  readonly answer: string | null;
  readonly answeredAt: string | null;
  /** Who gave it, where that is known. */
  readonly answeredBy: string | null;
}

/** What the agent wanted leave for. Alike ones that a rule decided are one. */
export interface ReportedPermission {
  readonly tool: string;
  readonly what: string;
  readonly decision: 'allowed' | 'denied';
  /** The rule, or the person as far as it is known who that was. */
  readonly by: string;
  /** What a person said with it. */
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
  /** Undefined where its documents are gone or cannot be read: then the journal has to do. */
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

/** One iteration of a run, or what was begun of one. */
export interface ReportedIteration {
  /** Counted over the whole run, those that were cut short included. */
  readonly number: number;
  readonly phase: string;
  readonly story: string | null;
  /** Counted within its phase or story. */
  readonly iteration: number;
  readonly title: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  /** Work of the agent and of the checks; null where nobody lived to count it. */
  readonly activeMs: number | null;
  /** The rest: waiting for an answer. */
  readonly waitedMs: number | null;
  /** `lost`: its process ended without a word. `open`: it goes on, as far as anybody knows. */
  readonly end: Attempt['end'];
  readonly cutReason: string | null;
  /** In words: what the gates said, or why there is no verdict. */
  readonly verdict: string;
  readonly isGateOpen: boolean;
  readonly saysDone: boolean;
  readonly missing: readonly Missing[];
  readonly breaker: string | null;
  readonly error: string | null;
  /** What the agent was sent: the turns of the conversation, and what all of it is known by. */
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
  /** Null where nobody knows. */
  readonly used: UsedReport | null;
  readonly toolCalls: number;
  /** The end of what the agent said. */
  readonly said: string;
  /** The questions that were asked meanwhile, by their ids. */
  readonly questions: readonly string[];
  readonly denials: readonly string[];
}

/** Something that a report cannot tell, and why. */
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
