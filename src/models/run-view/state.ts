import type { RunEnd, Standing, StoryPlace, TestPoint } from '../../run/index.js';
import type { LoopRequestInput, Waiting } from '../../sessions/loop/index.js';

/** A line that stays after the event it describes is over. Its text is visible text. */
export interface KeptLine {
  readonly text: string;
  readonly look: 'plain' | 'head' | 'good' | 'bad' | 'asks';
}

/** What is being done right now, in the agent's own words. */
export interface Action {
  readonly words: string;
  readonly sinceMs: number;
  readonly isTrouble: boolean;
}

/** A question that a person must answer, as written; null until it has been read. */
export interface WaitingQuestion {
  readonly id: string;
  readonly prompt: string | null;
}

/** What the person is in the middle of doing. */
export type Mode =
  | { readonly name: 'watch' }
  /** Writing to the agent; holds the text so far. */
  | { readonly name: 'guide'; readonly text: string }
  /** Being asked for a yes before the run is stopped. */
  | { readonly name: 'stop' };

export interface RunViewState {
  readonly nowMs: number;
  readonly startedMs: number;
  readonly plan: string;
  readonly agent: string;
  readonly phases: readonly string[];
  readonly stories: number | null;
  readonly standing: Standing | null;
  /** The latest iteration: its number within the phase or story, and what it is about. */
  readonly iteration: number;
  readonly title: string;
  /** Which story it is, if the plan has stories. */
  readonly place: StoryPlace | null;
  readonly tests: readonly TestPoint[];
  /** What the checks reported, if they gave no numbers. */
  readonly verdict: string | null;
  /** The exit code of this iteration's first failed check, otherwise 0. */
  readonly exitCode: number | null;
  /** How long the iteration has worked; the clock stops while it waits for a person. */
  readonly work: { readonly beforeMs: number; readonly sinceMs: number | null };
  readonly isIterating: boolean;
  readonly action: Action | null;
  /** The end of what the agent said, word for word. */
  readonly said: string;
  /** Whether speaking was the last thing the agent did. */
  readonly isSaying: boolean;
  readonly contextPercent: number | null;
  readonly waiting: Waiting | null;
  readonly questions: readonly WaitingQuestion[];
  /** Settled questions: the agent may not have their answer yet, but no person is awaited. */
  readonly settled: readonly string[];
  /** What was asked of the run but not taken yet. */
  readonly asked: 'pause' | 'resume' | null;
  readonly isStopping: boolean;
  /** Its process is gone without reporting how it ended. */
  readonly isLeft: boolean;
  readonly end: RunEnd | null;
  /** When it ended: the clock stands still from then on. */
  readonly endedMs: number | null;
  readonly mode: Mode;
  /** A short message about what the person just did, shown for a moment. */
  readonly notice: { readonly words: string; readonly sinceMs: number } | null;
  readonly kept: readonly KeptLine[];
}

/** Side effects as data, carried out by the owner of the state. */
export type RunViewEffect =
  | { readonly do: 'request'; readonly request: LoopRequestInput }
  | { readonly do: 'answer'; readonly id: string }
  /** As if a signal had arrived. */
  | { readonly do: 'interrupt' };

export type RunViewStep = readonly [RunViewState, readonly RunViewEffect[]];

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
    action: { words: 'starting', sinceMs: nowMs, isTrouble: false },
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
    endedMs: null,
    mode: { name: 'watch' },
    notice: null,
    kept: [],
  };
}

export function withNotice(state: RunViewState, words: string): RunViewState {
  return { ...state, notice: { words, sinceMs: state.nowMs } };
}

/** How long the iteration has worked so far. */
export function workedMs({ work, nowMs }: Pick<RunViewState, 'work' | 'nowMs'>): number {
  return work.beforeMs + (work.sinceMs === null ? 0 : Math.max(0, nowMs - work.sinceMs));
}

export function isPaused({ standing }: RunViewState): boolean {
  return standing?.status === 'paused';
}
