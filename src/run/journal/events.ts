import type { AgentEvent } from '../../agents/index.js';
import type { Actor } from '../../foundation/index.js';
import type {
  Budget,
  Decision,
  IterationOutcome,
  LoopRequest,
  Missing,
  SkippedPhase,
  TestCounts,
  Waiting,
} from '../../sessions/loop/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import type { StoryPlace } from '../plan/plan.js';
import type { Standing, TestPoint } from '../run-standing.js';
import type { Continuation } from '../turn/take-turn.js';

/** How a run ended. Unless it is `completed`, the run can be resumed. */
export interface RunEnd {
  readonly outcome:
    | 'completed'
    /** The breaker is open. */
    | 'halted'
    /** A limit is used up. */
    | 'limit'
    /** A person must answer a question. */
    | 'needs-person'
    /** Somebody asked it to stop. */
    | 'stopped'
    /** A signal arrived. */
    | 'interrupted'
    /** It could not go on; the reason is the error. */
    | 'failed';
  readonly reason: string | null;
  /** For a run that was halted: what the gate of its phase lacks. */
  readonly missing?: readonly Missing[] | undefined;
}

/** Files by what happened to them. */
export interface ChangedPaths {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
}

/** What happens during a run, as facts: the journal keeps it, and `holdfast run --json` prints one event per line. */
export type RunEvent =
  | {
      readonly type: 'run-start';
      readonly sessionId: string;
      readonly plan: string;
      readonly agent: string;
      readonly isResumed: boolean;
      /** Who started it; absent in journals of earlier releases. */
      readonly actor?: Actor | undefined;
      readonly conversation: string;
      readonly phase: string;
      readonly story: string | null;
      readonly verify: readonly string[];
      readonly budget: Budget;
      /** The name of the set of phases: `tdd`, `work`. */
      readonly preset: string;
      /** The phases of the plan in order; with stories, the one phase that each story goes through. */
      readonly phases: readonly string[];
      /** How many stories the plan has; null for a plan without. */
      readonly stories: number | null;
      /** The test results before a restart, oldest first. */
      readonly tests: readonly TestPoint[];
    }
  /** How the run stands; sent whenever that may have changed. */
  | ({ readonly type: 'standing' } & Standing)
  | { readonly type: 'baseline'; readonly exitCode: number | null; readonly tests: TestCounts | null }
  | {
      readonly type: 'iteration-start';
      readonly phase: string;
      readonly story: string | null;
      readonly iteration: number;
      /** What the agent should work on: the title of the plan or the story. */
      readonly title: string;
      /** Which story of how many; null for a plan without. */
      readonly place: StoryPlace | null;
    }
  | { readonly type: 'continuation'; readonly continuation: Continuation }
  | { readonly type: 'agent'; readonly event: AgentEvent }
  | { readonly type: 'verify-start'; readonly command: string }
  | {
      readonly type: 'verify-end';
      readonly command: string;
      readonly exitCode: number | null;
      readonly tests: TestCounts | null;
      readonly durationMs: number;
    }
  | {
      readonly type: 'iteration-end';
      readonly phase: string;
      readonly story: string | null;
      readonly iteration: number;
      readonly run: IterationOutcome['run'];
      readonly error: string | null;
      /** What was denied, if that is the error. */
      readonly denied: string | null;
      readonly tests: TestCounts | null;
      readonly files: { readonly created: number; readonly modified: number; readonly deleted: number };
      /** The first of these files, by name; absent in journals of earlier releases. */
      readonly changed?: ChangedPaths | undefined;
      /** How many files an earlier try had changed before it was cut short; this one started with them. */
      readonly filesLeft: number;
      readonly denials: readonly string[];
      readonly exitSignal: boolean;
      readonly gates: {
        readonly first: boolean;
        readonly second: boolean;
        readonly condition: string;
        /** What gate 1 lacks, in numbers. */
        readonly missing: readonly Missing[];
      };
      readonly breaker: string;
      readonly decision: Decision;
      readonly activeMs: number;
      /** The part of it that was neither agent nor checks. */
      readonly overheadMs: number;
    }
  /** A person ended a phase without its gates; `next` is the phase after it, null at the end. */
  | {
      readonly type: 'phase-skipped';
      readonly phase: string;
      readonly actor: string;
      readonly reason: string;
      readonly next: string | null;
    }
  /** An iteration that was cut short; it is not counted, and its prompt is not sent again. */
  | { readonly type: 'iteration-cut'; readonly reason: string }
  /** The run is waiting; sent once for each wait. */
  | ({ readonly type: 'waiting' } & Waiting)
  | {
      readonly type: 'question';
      readonly sessionId: string;
      readonly title: string;
      /** The first question, as it was written. */
      readonly prompt: string;
      readonly from: 'agent' | 'run';
    }
  | { readonly type: 'request'; readonly request: LoopRequest }
  /** From here on the agent's text is left out because there is too much of it. */
  | { readonly type: 'text-capped'; readonly scope: 'turn' | 'run'; readonly limitBytes: number }
  /** How many events of the agent could not be written. */
  | { readonly type: 'text-lost'; readonly events: number }
  | ({
      readonly type: 'run-end';
      readonly sessionId: string;
      /** Phases that were skipped in this session, in whichever process. */
      readonly skipped?: readonly SkippedPhase[] | undefined;
    } & RunEnd);

/** Every kind of event; a reader cannot interpret any other. */
export const EVENT_TYPES: readonly RunEvent['type'][] = Object.keys({
  'run-start': true,
  standing: true,
  baseline: true,
  'iteration-start': true,
  continuation: true,
  agent: true,
  'verify-start': true,
  'verify-end': true,
  'iteration-end': true,
  'phase-skipped': true,
  'iteration-cut': true,
  waiting: true,
  question: true,
  request: true,
  'text-capped': true,
  'text-lost': true,
  'run-end': true,
} satisfies Record<RunEvent['type'], true>) as RunEvent['type'][];

/** The event for a question that is on disk. */
export function questionEvent(
  { id, questions: [first] }: Pick<QuestionView, 'id' | 'questions'>,
  from: 'agent' | 'run',
): RunEvent {
  return { type: 'question', sessionId: id, title: first?.title ?? '', prompt: first?.prompt ?? '', from };
}
