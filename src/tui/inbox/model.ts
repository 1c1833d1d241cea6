import type {
  Draft,
  DraftAnswer,
  Question,
  QuestionOutcome,
  QuestionView,
} from '../../sessions/question/index.js';
import type { Key } from '../keys.js';
import { type EditorState, edit, editorWith, textOf } from '../text-editor.js';
import { answersFromDraft, choose, chooseOther, EMPTY_ANSWER, faultIn, recommendedIndex } from './answers.js';

/** The set that the person is answering. */
export interface OpenSet {
  readonly view: QuestionView;
  readonly questionIndex: number;
  readonly answers: readonly DraftAnswer[];
  /** The highlighted row: an option, or (behind the last one) the own words. */
  readonly row: number;
  /** The editor of the own words, while it has the keyboard. */
  readonly editor: EditorState | null;
  readonly fault: string | null;
  /** How far the prompt is scrolled. */
  readonly scroll: number;
  readonly rejectionReason: string;
}

export type Screen =
  | { readonly name: 'list' }
  | { readonly name: 'question' }
  | { readonly name: 'review' }
  | { readonly name: 'reject'; readonly editor: EditorState | null }
  | {
      readonly name: 'settled';
      readonly outcome: QuestionOutcome;
      readonly view: QuestionView;
      readonly why: string;
    };

export interface InboxState {
  readonly pending: readonly QuestionView[];
  /** The set that the list stands on. */
  readonly selectedId: string | null;
  readonly open: OpenSet | null;
  readonly screen: Screen;
  readonly isHelpShown: boolean;
  /** A word about what just happened. */
  readonly notice: string | null;
  readonly isBusy: boolean;
}

/** What happens outside the state, as data; the controller does it. */
export type Effect =
  | { readonly do: 'open'; readonly id: string }
  /** Keep what the open set holds now. */
  | { readonly do: 'save-draft' }
  | { readonly do: 'submit'; readonly set: OpenSet }
  | { readonly do: 'reject'; readonly id: string; readonly reason: string | null }
  | { readonly do: 'leave' };

export type InboxEvent =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'listed'; readonly pending: readonly QuestionView[] }
  | { readonly type: 'opened'; readonly view: QuestionView; readonly draft: Draft | undefined }
  /** The open set got an outcome from somebody else, or went away. */
  | { readonly type: 'settled-elsewhere'; readonly view: QuestionView | null }
  | { readonly type: 'submitted'; readonly notice: string }
  | { readonly type: 'lost-race'; readonly view: QuestionView }
  | { readonly type: 'failed'; readonly message: string };

export type Step = readonly [InboxState, readonly Effect[]];

export const INITIAL_STATE: InboxState = {
  pending: [],
  selectedId: null,
  open: null,
  screen: { name: 'list' },
  isHelpShown: false,
  notice: null,
  isBusy: false,
};

/** The next state of the inbox, and what has to be done. Pure. */
export function update(state: InboxState, event: InboxEvent): Step {
  switch (event.type) {
    case 'key':
      return onKey(state, event.key);
    case 'listed':
      return [{ ...state, pending: event.pending, selectedId: keepSelection(state, event.pending) }, []];
    case 'opened':
      return [openSet(state, event.view, event.draft), []];
    case 'settled-elsewhere':
      return [settledElsewhere(state, event.view), []];
    case 'submitted':
      return [{ ...state, open: null, screen: { name: 'list' }, isBusy: false, notice: event.notice }, []];
    case 'lost-race': {
      const { view } = event;
      const why = 'Somebody was first. This outcome stands; what you typed is kept as a draft.';
      return [
        {
          ...state,
          open: null,
          isBusy: false,
          screen: { name: 'settled', outcome: view.outcome, view, why },
        },
        [],
      ];
    }
    case 'failed':
      return [{ ...state, isBusy: false, notice: event.message }, []];
  }
}

/** The question on screen. */
export function currentQuestion(open: OpenSet): Question | undefined {
  return open.view.questions[open.questionIndex];
}

/** The draft of an open set, with what is being typed right now. */
export function draftOf(open: OpenSet): Draft {
  return { questionIndex: open.questionIndex, answers: open.answers, rejectionReason: open.rejectionReason };
}

/** The first question that cannot be given yet. */
export function firstFault(open: OpenSet): { index: number; fault: string } | undefined {
  for (const [index, question] of open.view.questions.entries()) {
    const fault = faultIn(question, open.answers[index] ?? EMPTY_ANSWER);
    if (fault !== undefined) return { index, fault };
  }
  return undefined;
}

function onKey(state: InboxState, key: Key): Step {
  if (key.name === 'ctrl-c') return leave(state);
  if (state.isBusy) return [state, []];
  if (state.isHelpShown) return [{ ...state, isHelpShown: false }, []];
  const { open, screen } = state;
  if (screen.name === 'settled') return [{ ...state, screen: { name: 'list' }, notice: null }, []];
  if (open === null || screen.name === 'list') return onListKey(state, key);
  if (screen.name === 'reject') return onRejectKey(state, open, screen.editor, key);
  if (open.editor !== null) return onEditorKey(state, open, open.editor, key);
  if (isTyped(key, '?')) return [{ ...state, isHelpShown: true }, []];
  return screen.name === 'review' ? onReviewKey(state, open, key) : onQuestionKey(state, open, key);
}

function onListKey(state: InboxState, key: Key): Step {
  const index = state.pending.findIndex((view) => view.id === state.selectedId);
  const to = (next: number): Step => {
    const view = state.pending[Math.max(0, Math.min(state.pending.length - 1, next))];
    return [{ ...state, notice: null, selectedId: view?.id ?? null }, []];
  };
  if (key.name === 'up' || isTyped(key, 'k')) return to(index - 1);
  if (key.name === 'down' || isTyped(key, 'j')) return to(index + 1);
  if (key.name === 'page-up') return to(index - 10);
  if (key.name === 'page-down') return to(index + 10);
  if (key.name === 'home' || isTyped(key, 'g')) return to(0);
  if (key.name === 'end' || isTyped(key, 'G')) return to(state.pending.length - 1);
  if (isTyped(key, '?')) return [{ ...state, isHelpShown: true }, []];
  if (isTyped(key, 'q') || key.name === 'ctrl-d' || key.name === 'escape') return leave(state);
  if ((key.name === 'enter' || key.name === 'right') && state.selectedId !== null) {
    return [{ ...state, notice: null }, [{ do: 'open', id: state.selectedId }]];
  }
  return [state, []];
}

function onQuestionKey(state: InboxState, open: OpenSet, key: Key): Step {
  const question = currentQuestion(open);
  if (question === undefined) return [state, []];
  const rows = question.options.length + 1;
  const move = (row: number): Step => [
    withOpen(state, { ...open, row: (row + rows) % rows, fault: null }),
    [],
  ];
  if (key.name === 'up' || isTyped(key, 'k')) return move(open.row - 1);
  if (key.name === 'down' || isTyped(key, 'j')) return move(open.row + 1);
  if (key.name === 'page-up') return [withOpen(state, { ...open, scroll: Math.max(0, open.scroll - 5) }), []];
  if (key.name === 'page-down') return [withOpen(state, { ...open, scroll: open.scroll + 5 }), []];
  if (key.name === 'tab' || key.name === 'right') return goTo(state, open, open.questionIndex + 1);
  if (key.name === 'shift-tab' || key.name === 'left') return goTo(state, open, open.questionIndex - 1);
  if (key.name === 'escape') return [{ ...state, screen: { name: 'reject', editor: null } }, []];
  if (isTyped(key, 'q')) return closeSet(state);
  if (isTyped(key, 'r') && recommendedIndex(question) >= 0)
    return pick(state, open, recommendedIndex(question), 'go-on');
  if (isTyped(key, 'o')) return pick(state, open, question.options.length, 'stay');
  if (isTyped(key, ' ')) return pick(state, open, open.row, 'stay');
  if (key.name === 'enter') return onEnter(state, open, question);
  const digit = key.name === 'text' && /^[0-9]$/.test(key.text) ? (Number(key.text) + 9) % 10 : -1;
  if (digit >= 0 && digit < rows) return pick(state, open, digit, 'stay');
  return [state, []];
}

/** Enter chooses and goes on with single choice; with several it only goes on, and choosing none is a choice. */
function onEnter(state: InboxState, open: OpenSet, question: Question): Step {
  const answer = open.answers[open.questionIndex] ?? EMPTY_ANSWER;
  if (question.multiSelect !== true) return pick(state, open, open.row, 'go-on');
  if (open.row === question.options.length && !answer.isOther) return pick(state, open, open.row, 'stay');
  return goOn(state, withAnswer(open, { ...answer, isConfirmed: true }));
}

function pick(state: InboxState, open: OpenSet, row: number, then: 'stay' | 'go-on'): Step {
  const question = currentQuestion(open);
  if (question === undefined) return [state, []];
  const answer = open.answers[open.questionIndex] ?? EMPTY_ANSWER;
  const option = question.options[row];
  if (option !== undefined) {
    const chosen = withAnswer({ ...open, row, fault: null }, choose(question, answer, option.label));
    return then === 'go-on' ? goOn(state, chosen) : saved(withOpen(state, chosen));
  }
  const other = chooseOther(question, answer);
  const editor = other.isOther ? editorWith(other.text) : null;
  const chosen = withAnswer({ ...open, row, editor, fault: null }, other);
  return saved(withOpen(state, chosen));
}

function onEditorKey(state: InboxState, open: OpenSet, editor: EditorState, key: Key): Step {
  const answer = open.answers[open.questionIndex] ?? EMPTY_ANSWER;
  if (key.name === 'escape') return [withOpen(state, { ...open, editor: null }), []];
  if (key.name === 'enter' || key.name === 'tab') {
    return goOn(state, withAnswer({ ...open, editor: null }, { ...answer, isConfirmed: true }));
  }
  if (key.name === 'shift-tab') return goTo(state, { ...open, editor: null }, open.questionIndex - 1);
  const next = edit(editor, key);
  if (next === editor) return [state, []];
  const typed = withAnswer({ ...open, editor: next, fault: null }, { ...answer, text: textOf(next) });
  return saved(withOpen(state, typed));
}

function onReviewKey(state: InboxState, open: OpenSet, key: Key): Step {
  const last = open.view.questions.length - 1;
  if (key.name === 'enter' || isTyped(key, 'y')) {
    const found = firstFault(open);
    if (found === undefined) return [{ ...state, isBusy: true }, [{ do: 'submit', set: open }]];
    const [shown, effects] = goTo(state, open, found.index);
    return [shown.open === null ? shown : withOpen(shown, { ...shown.open, fault: found.fault }), effects];
  }
  if (key.name === 'escape') return [{ ...state, screen: { name: 'reject', editor: null } }, []];
  if (isTyped(key, 'q')) return closeSet(state);
  if (['left', 'shift-tab', 'up', 'backspace'].includes(key.name) || isTyped(key, 'n'))
    return goTo(state, open, last);
  const digit = key.name === 'text' && /^[0-9]$/.test(key.text) ? (Number(key.text) + 9) % 10 : -1;
  return digit >= 0 && digit <= last ? goTo(state, open, digit) : [state, []];
}

function onRejectKey(state: InboxState, open: OpenSet, editor: EditorState | null, key: Key): Step {
  if (editor === null) {
    if (isTyped(key, 'y')) {
      return [{ ...state, screen: { name: 'reject', editor: editorWith(open.rejectionReason) } }, []];
    }
    if (isTyped(key, 'l')) return closeSet(state);
    if (isTyped(key, 'n') || key.name === 'escape') return [{ ...state, screen: { name: 'question' } }, []];
    return [state, []];
  }
  if (key.name === 'escape') return [{ ...state, screen: { name: 'question' } }, []];
  if (key.name === 'enter') {
    const reason = textOf(editor).trim();
    return [
      { ...state, isBusy: true },
      [{ do: 'reject', id: open.view.id, reason: reason === '' ? null : reason }],
    ];
  }
  const next = edit(editor, key);
  if (next === editor) return [state, []];
  const typed = { ...open, rejectionReason: textOf(next) };
  return saved({ ...withOpen(state, typed), screen: { name: 'reject', editor: next } });
}

/** On to the next question, or to the review behind the last one; a fault keeps the person where they are. */
function goOn(state: InboxState, open: OpenSet): Step {
  const question = currentQuestion(open);
  const answer = open.answers[open.questionIndex] ?? EMPTY_ANSWER;
  const fault = question === undefined ? undefined : faultIn(question, answer);
  if (fault !== undefined) return saved(withOpen(state, { ...open, fault }));
  const [next] = goTo(state, withAnswer(open, { ...answer, isConfirmed: true }), open.questionIndex + 1);
  return saved(next);
}

function goTo(state: InboxState, open: OpenSet, index: number): Step {
  const count = open.view.questions.length;
  if (index >= count)
    return [{ ...withOpen(state, { ...open, editor: null }), screen: { name: 'review' } }, []];
  const questionIndex = Math.max(0, index);
  const shown = {
    ...open,
    questionIndex,
    row: startRow(open, questionIndex),
    editor: null,
    fault: null,
    scroll: 0,
  };
  return [{ ...withOpen(state, shown), screen: { name: 'question' } }, []];
}

/** Where the highlight starts: on what was chosen before, else on what is recommended, else on top. */
function startRow(open: OpenSet, questionIndex: number): number {
  const question = open.view.questions[questionIndex];
  const answer = open.answers[questionIndex];
  if (question === undefined || answer === undefined) return 0;
  if (answer.isOther) return question.options.length;
  const chosen = question.options.findIndex((option) => answer.selected.includes(option.label));
  return chosen >= 0 ? chosen : Math.max(0, recommendedIndex(question));
}

function openSet(state: InboxState, view: QuestionView, draft: Draft | undefined): InboxState {
  const last = Math.max(0, view.questions.length - 1);
  const questionIndex = Math.min(draft?.questionIndex ?? 0, last);
  const open: OpenSet = {
    view,
    questionIndex,
    answers: answersFromDraft(view.questions, draft),
    row: 0,
    editor: null,
    fault: null,
    scroll: 0,
    rejectionReason: draft?.rejectionReason ?? '',
  };
  const notice = draft === undefined ? null : 'Your draft is back.';
  return {
    ...state,
    selectedId: view.id,
    open: { ...open, row: startRow(open, questionIndex) },
    screen: { name: 'question' },
    notice,
  };
}

function settledElsewhere(state: InboxState, view: QuestionView | null): InboxState {
  if (state.open === null || state.isBusy) return state;
  if (view === null) return { ...state, open: null, screen: { name: 'list' }, notice: 'That set is gone.' };
  const how = {
    completed: 'answered',
    rejected: 'rejected',
    abandoned: 'withdrawn',
    timed_out: 'timed out',
    pending: '',
  };
  const why = `It was ${how[view.outcome.status]} elsewhere while you had it open; what you typed is kept as a draft.`;
  return { ...state, open: null, screen: { name: 'settled', outcome: view.outcome, view, why } };
}

function closeSet(state: InboxState): Step {
  return [{ ...state, open: null, screen: { name: 'list' }, notice: 'Kept as a draft.' }, []];
}

function leave(state: InboxState): Step {
  return [state, [{ do: 'leave' }]];
}

function saved(state: InboxState): Step {
  return [state, [{ do: 'save-draft' }]];
}

function withOpen(state: InboxState, open: OpenSet): InboxState {
  return { ...state, open, notice: null };
}

function withAnswer(open: OpenSet, answer: DraftAnswer): OpenSet {
  return { ...open, answers: open.answers.with(open.questionIndex, answer) };
}

function keepSelection(state: InboxState, pending: readonly QuestionView[]): string | null {
  if (pending.some((view) => view.id === state.selectedId)) return state.selectedId;
  const before = state.pending.findIndex((view) => view.id === state.selectedId);
  return pending[Math.min(Math.max(0, before), pending.length - 1)]?.id ?? null;
}

function isTyped(key: Key, text: string): boolean {
  return key.name === 'text' && key.text === text;
}
