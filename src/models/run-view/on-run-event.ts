import type { AgentEvent } from '../../agents/index.js';
import { visibleExcerpt } from '../../foundation/text/visible-text.js';
import type { RunEvent, Standing, TestPoint } from '../../run/index.js';
import { type Action, type KeptLine, type RunViewState, workedMs } from './state.js';
import { durationOf } from './words.js';

/** Enough for the last lines on any screen; a whole answer would have to be redrawn again and again. */
const MAX_SAID = 4_000;
const MAX_POINTS = 100;
/** The longest line that is kept. */
const MAX_LINE = 1_000;
/** Used if an agent reports tokens but not the size of its model's context window. */
const USUAL_WINDOW = 200_000;

/** A line about an event, as the plain view prints it, and what kind of news it is. */
export interface ToldLine {
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad' | 'asks';
}

/** Applies an event of the run to the view. `lines` are kept; `doing` is what the agent is doing, in a few words. */
export function onRunEvent(
  state: RunViewState,
  event: RunEvent,
  lines: readonly ToldLine[] = [],
  doing?: string,
): RunViewState {
  // A process that reports an event is alive.
  return keep(changed({ ...state, isLeft: false }, event, doing), keptLines(event, lines));
}

/** The view with more lines for the scrollback. */
export function keep(state: RunViewState, lines: readonly KeptLine[]): RunViewState {
  return lines.length === 0 ? state : { ...state, kept: [...state.kept, ...lines] };
}

/** Whether the event leaves a line in the scrollback; all others show only while they happen. */
export function isWorthKeeping(event: RunEvent): boolean {
  switch (event.type) {
    case 'run-start':
    case 'baseline':
    case 'continuation':
    case 'iteration-end':
    case 'phase-skipped':
    case 'iteration-cut':
    case 'question':
    case 'request':
    case 'text-capped':
    case 'text-lost':
      return true;
    default:
      return false;
  }
}

function changed(state: RunViewState, event: RunEvent, doing: string | undefined): RunViewState {
  switch (event.type) {
    case 'run-start': {
      const { plan, agent, phases, stories, tests } = event;
      const begun = { end: null, endedMs: null, isStopping: false, asked: null, startedMs: state.nowMs };
      return { ...state, ...begun, plan, agent, phases, stories, tests: tests.slice(-MAX_POINTS) };
    }
    case 'standing':
      return onStanding(state, event);
    case 'baseline':
      return onTests(state, event.tests, event.exitCode);
    case 'iteration-start':
      return {
        ...acting(state, 'the agent is starting'),
        iteration: event.iteration,
        title: event.title,
        place: event.place,
        waiting: null,
        said: '',
        isSaying: false,
        isIterating: true,
        exitCode: null,
        work: { beforeMs: 0, sinceMs: state.nowMs },
      };
    case 'continuation':
      return state;
    case 'agent':
      return onAgentEvent(state, event.event, doing);
    case 'verify-start':
      return { ...acting(state, `checks: ${event.command}`), waiting: null };
    case 'verify-end':
      return { ...acting(state, 'measuring'), exitCode: state.exitCode || event.exitCode };
    case 'iteration-end':
      return onTests(iterationOver(state), event.tests, state.exitCode);
    case 'phase-skipped':
      return acting(state, `skipping ${event.phase}`);
    case 'iteration-cut':
      return iterationOver(state);
    case 'waiting': {
      const { type: _, ...waiting } = event;
      return { ...state, action: null, waiting };
    }
    case 'question':
      return onQuestion(event.from === 'run' ? acting(state, 'waiting for you') : state, event);
    case 'request':
      return { ...state, asked: null };
    case 'text-capped':
    case 'text-lost':
      return state;
    case 'run-end':
      return {
        ...acting(state, event.outcome),
        end: { outcome: event.outcome, reason: event.reason },
        endedMs: state.nowMs,
        work: { beforeMs: workedMs(state), sinceMs: null },
        waiting: null,
      };
  }
}

function acting(state: RunViewState, words: string, isTrouble = false): RunViewState {
  const { action, nowMs } = state;
  if (action?.words === words) return state;
  return { ...state, action: { words, sinceMs: nowMs, isTrouble } satisfies Action };
}

function onStanding(state: RunViewState, event: Standing & { readonly type: 'standing' }): RunViewState {
  const { type: _, ...standing } = event;
  const known = new Set([...state.questions.map(({ id }) => id), ...state.settled]);
  const more = standing.openQuestions.filter((id) => !known.has(id)).map((id) => ({ id, prompt: null }));
  return {
    ...state,
    standing,
    waiting: null,
    action: state.action ?? { words: 'continuing', sinceMs: state.nowMs, isTrouble: false },
    contextPercent: standing.contextPercent ?? state.contextPercent,
    questions: more.length === 0 ? state.questions : [...state.questions, ...more],
    // The totals already include what was used up.
    work: state.isIterating ? state.work : { beforeMs: 0, sinceMs: null },
  };
}

function iterationOver(state: RunViewState): RunViewState {
  return {
    ...acting(state, 'measuring'),
    isIterating: false,
    work: { beforeMs: workedMs(state), sinceMs: null },
  };
}

function onTests(state: RunViewState, tests: TestPoint | null, exitCode: number | null): RunViewState {
  // A turn that came to nothing has no checks.
  if (tests === null && exitCode === null) return state;
  if (tests === null) return { ...state, verdict: `exit code ${exitCode}, no numbers` };
  const point = { passing: tests.passing, total: tests.total };
  return { ...state, verdict: null, tests: [...state.tests, point].slice(-MAX_POINTS) };
}

function onQuestion(
  state: RunViewState,
  { sessionId: id, prompt }: Extract<RunEvent, { type: 'question' }>,
): RunViewState {
  const others = state.questions.filter((question) => question.id !== id);
  return {
    ...state,
    questions: [...others, { id, prompt }],
    work: { beforeMs: workedMs(state), sinceMs: null },
  };
}

function onAgentEvent(state: RunViewState, event: AgentEvent, doing: string | undefined): RunViewState {
  switch (event.type) {
    case 'text': {
      const before = state.isSaying || state.said === '' ? state.said : `${state.said}\n`;
      const said = (before + event.text.slice(-MAX_SAID)).slice(-MAX_SAID);
      return { ...acting(state, 'the agent is writing'), said, isSaying: true };
    }
    case 'thinking':
      return acting(state, 'the agent is thinking');
    case 'tool-result':
      return { ...acting(state, 'the agent is working'), isSaying: false };
    case 'usage': {
      const { contextTokens, contextWindow } = event.usage;
      if (contextTokens === null) return state;
      const percent = (100 * contextTokens) / (contextWindow ?? USUAL_WINDOW);
      return { ...state, contextPercent: Math.max(0, Math.min(100, Math.round(percent))) };
    }
    case 'permission':
      if (event.decision === 'allowed') return state;
      return { ...acting(state, doing ?? 'denied', true), isSaying: false };
    case 'turn-end':
      return { ...acting(state, 'measuring'), isSaying: false };
    default: {
      const words = doing ?? event.type;
      return { ...acting(state, words, event.type !== 'tool-call'), isSaying: false };
    }
  }
}

function keptLines(event: RunEvent, lines: readonly ToldLine[]): KeptLine[] {
  // The report says where the conversation is kept; here that would take three rows.
  const shown = event.type === 'run-start' ? lines.slice(0, 1) : lines;
  const told = shown.map(({ text, tone }): KeptLine => ({ text: excerptOf(text), look: tone }));
  return event.type === 'iteration-end' ? [headOf(event), ...told] : told;
}

function headOf(event: Extract<RunEvent, { type: 'iteration-end' }>): KeptLine {
  const { tests, activeMs } = event;
  const counts = tests === null ? 'no numbers' : `${tests.passing} of ${tests.total} tests pass`;
  const name =
    event.story === null
      ? visibleExcerpt(event.phase, 40)
      : `story ${visibleExcerpt(event.story, 40)}, iteration`;
  return { text: `${name} ${event.iteration}: ${counts}, ${durationOf(activeMs)}`, look: 'head' };
}

/** The indentation is our own, so it stays. */
function excerptOf(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return indent + visibleExcerpt(line.slice(indent.length), MAX_LINE);
}
