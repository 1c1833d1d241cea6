import { visibleExcerpt } from '../../foundation/text/visible-text.js';
import type { RunEvent } from '../../run/index.js';
import { act, type RunViewAction } from './act.js';
import { keep, onRunEvent, type ToldLine } from './on-run-event.js';
import { type RunViewState, type RunViewStep, type WaitingQuestion, withNotice, workedMs } from './state.js';

export type RunViewEvent =
  /** `lines`: what is kept of it, in words. `doing`: what the agent is doing, in a few words. */
  | {
      readonly type: 'run';
      readonly event: RunEvent;
      readonly lines: readonly ToldLine[];
      readonly doing?: string | undefined;
      readonly nowMs: number;
    }
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'act'; readonly action: RunViewAction }
  /** A signal arrived: the run ends as soon as it can. */
  | { readonly type: 'stopping' }
  /** No process runs it, and how it ended is unknown. */
  | { readonly type: 'left' }
  /** The text of a waiting question. */
  | { readonly type: 'question-read'; readonly question: WaitingQuestion }
  | {
      readonly type: 'question-settled';
      readonly id: string;
      readonly outcome: string;
      /** Whether it was settled before this view waited for it; then it is no news. */
      readonly isOld?: boolean;
      readonly nowMs: number;
    }
  /** Text written across the screen, such as one of our warnings. */
  | { readonly type: 'noted'; readonly text: string }
  /** A short message for the person. */
  | { readonly type: 'told'; readonly message: string };

const MAX_NOTE = 1_000;
const NOTICE_MS = 4_000;

/** Returns the next state of the view and the effects to carry out. Pure. */
export function update(state: RunViewState, event: RunViewEvent): RunViewStep {
  switch (event.type) {
    case 'run':
      return [onRunEvent({ ...state, nowMs: event.nowMs }, event.event, event.lines, event.doing), []];
    case 'tick':
      return [atTime(state, event.nowMs), []];
    case 'act':
      return act(state, event.action);
    case 'stopping':
      return [{ ...state, isStopping: true, mode: { name: 'watch' }, notice: null }, []];
    case 'left':
      return [state.end === null ? left(state) : state, []];
    case 'question-read':
      return [{ ...state, questions: state.questions.map(renamed(event.question)) }, []];
    case 'question-settled':
      return [settled(state, event), []];
    case 'noted':
      return [keep(state, [{ text: visibleExcerpt(event.text, MAX_NOTE), look: 'plain' }]), []];
    case 'told':
      return [withNotice(state, event.message), []];
  }
}

function atTime(state: RunViewState, nowMs: number): RunViewState {
  const { notice } = state;
  const isOld = notice !== null && nowMs - notice.sinceMs >= NOTICE_MS;
  return { ...state, nowMs, notice: isOld ? null : notice };
}

/** Nothing is running, so the clock stops too. */
function left(state: RunViewState): RunViewState {
  return {
    ...state,
    isLeft: true,
    asked: null,
    work: { beforeMs: workedMs(state), sinceMs: null },
  };
}

function renamed(read: WaitingQuestion): (question: WaitingQuestion) => WaitingQuestion {
  return (question) => (question.id === read.id ? read : question);
}

const OUTCOMES: Readonly<Record<string, string>> = {
  completed: 'answered',
  rejected: 'rejected',
  timed_out: 'not answered in time',
  abandoned: 'withdrawn',
};

function settled(
  state: RunViewState,
  { id, outcome, nowMs, isOld = false }: { id: string; outcome: string; nowMs: number; isOld?: boolean },
): RunViewState {
  if (!state.questions.some((question) => question.id === id)) return state;
  const questions = state.questions.filter((question) => question.id !== id);
  const goesOn = questions.length === 0 && state.isIterating && state.work.sinceMs === null;
  const work = goesOn ? { ...state.work, sinceMs: nowMs } : state.work;
  const text = `  question ${id.slice(0, 8)} was ${OUTCOMES[outcome] ?? 'removed'}`;
  const next = { ...state, nowMs, questions, work, settled: [...state.settled, id] };
  return isOld ? next : keep(next, [{ text, look: 'plain' }]);
}
