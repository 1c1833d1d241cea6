import type { RunEnd, Standing, StoryPlace, TestPoint } from '../../run/index.js';
import type { LoopRequestInput, Waiting } from '../../sessions/loop/index.js';

/** A line that stays when what it tells is over. Its text is visible text. */
export interface KeptLine {
  readonly text: string;
  readonly look: 'plain' | 'head' | 'good' | 'bad' | 'asks';
}

/** What is being done right now. Its words are as the agent wrote them. */
export interface Action {
  readonly words: string;
  readonly sinceMs: number;
  readonly isTrouble: boolean;
}

/** A question that somebody must answer, as it was written; null until it was read. */
export interface WaitingQuestion {
  readonly id: string;
  readonly prompt: string | null;
}

/** What the person is about to do. */
export type Mode =
  | { readonly name: 'watch' }
  /** Writes to the agent; the text so far. */
  | { readonly name: 'guide'; readonly text: string }
  /** Is asked for a yes before the run is stopped. */
  | { readonly name: 'stop' };

export interface RunViewState {
  readonly nowMs: number;
  readonly startedMs: number;
  readonly plan: string;
  readonly agent: string;
  readonly phases: readonly string[];
  readonly stories: number | null;
  readonly standing: Standing | null;
  /** The iteration that was begun last: its number within the phase or story, and what it is about. */
  readonly iteration: number;
  readonly title: string;
  /** Which story it is, where the plan has stories. */
  readonly place: StoryPlace | null;
  readonly tests: readonly TestPoint[];
  /** What the checks said where they told no numbers. */
  readonly verdict: string | null;
  /** Of the checks of this iteration: the first that failed, else 0. */
  readonly exitCode: number | null;
  /** How long the iteration has worked; it stands while a person is waited for. */
  readonly work: { readonly beforeMs: number; readonly sinceMs: number | null };
  readonly isIterating: boolean;
  readonly action: Action | null;
  /** The end of what the agent said, as it said it. */
  readonly said: string;
  /** The last thing that it did was to say something. */
  readonly isSaying: boolean;
  readonly contextPercent: number | null;
  readonly waiting: Waiting | null;
  readonly questions: readonly WaitingQuestion[];
  /** Questions that were decided: their answer may still have to be told to the agent, but nobody is waited for. */
  readonly settled: readonly string[];
  /** What was asked of the run and not taken yet. */
  readonly asked: 'pause' | 'resume' | null;
  readonly isStopping: boolean;
  /** Its process is gone, and did not say how it ended. */
  readonly isLeft: boolean;
  readonly end: RunEnd | null;
  readonly mode: Mode;
  /** A word about what the person just did, for a moment. */
  readonly notice: { readonly words: string; readonly sinceMs: number } | null;
  readonly kept: readonly KeptLine[];
}

/** What happens outside the state, as data; whoever holds the state does it. */
export type Effect =
  | { readonly do: 'request'; readonly request: LoopRequestInput }
  | { readonly do: 'answer'; readonly id: string }
  /** As if a signal had come. */
  | { readonly do: 'interrupt' };

export type RunViewStep = readonly [RunViewState, readonly Effect[]];

export function initialState(nowMs: number): RunViewState {
  return {
    nowMs,
    startedMs: nowMs,
    plan: '',
    agent: '',
    phases: [],
    stories: null,
    standing: null,
    iteration: 0,
    title: '',
    place: null,
    tests: [],
    verdict: null,
    exitCode: null,
    work: { beforeMs: 0, sinceMs: null },
    isIterating: false,
    action: { words: 'starts', sinceMs: nowMs, isTrouble: false },
    said: '',
    isSaying: false,
    contextPercent: null,
    waiting: null,
    questions: [],
    settled: [],
    asked: null,
    isStopping: false,
    isLeft: false,
    end: null,
    mode: { name: 'watch' },
    notice: null,
    kept: [],
  };
}

export function withNotice(state: RunViewState, words: string): RunViewState {
  return { ...state, notice: { words, sinceMs: state.nowMs } };
}

/** How long the iteration has worked by now. */
export function workedMs({ work, nowMs }: Pick<RunViewState, 'work' | 'nowMs'>): number {
  return work.beforeMs + (work.sinceMs === null ? 0 : Math.max(0, nowMs - work.sinceMs));
}

export function isPaused({ standing }: RunViewState): boolean {
  return standing?.status === 'paused';
}
