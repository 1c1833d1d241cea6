import type { Question } from '../../sessions/question/index.js';
import type { Key } from '../keys.js';
import { type EditorState, edit, editorWith, textOf } from '../text-editor.js';
import { graphemesOf } from '../wrap.js';
import { choose, chooseOther, EMPTY_ANSWER, recommendedIndex } from './answers.js';
import {
  atQuestion,
  currentQuestion,
  type Effect,
  faultAt,
  firstFault,
  hasDraft,
  type InboxState,
  type OpenSet,
  type Step,
  unreadFault,
} from './state.js';

const PAGE_SETS = 10;

/** What a key does. Letters that came at once (a key held down, a slow line) are so many keys. */
export function onKey(state: InboxState, key: Key): Step {
  if (key.name !== 'text' || !('text' in key)) return onOneKey(state, key);
  const effects: Effect[] = [];
  let now = state;
  const letters = graphemesOf(key.text);
  for (const [index, letter] of letters.entries()) {
    const isTyping = hasEditor(now);
    const [next, more] = onOneKey(now, {
      name: 'text',
      text: isTyping ? letters.slice(index).join('') : letter,
    });
    now = next;
    effects.push(...more);
    if (isTyping || more.some((effect) => effect.do === 'leave')) break;
  }
  return [now, effects];
}

function hasEditor({ open, screen, isHelpShown, isBusy }: InboxState): boolean {
  if (open === null || isHelpShown || isBusy) return false;
  return screen.name === 'reject'
    ? screen.editor !== null
    : screen.name === 'question' && open.editor !== null;
}

function onOneKey(state: InboxState, key: Key): Step {
  if (key.name === 'ctrl-c') return leave(state);
  if (state.isBusy) return [state, []];
  const { open, screen } = state;
  const isEditing = hasEditor(state);
  if (!isEditing && key.name === 'page-up') return pageBy(state, -1);
  if (!isEditing && key.name === 'page-down') return pageBy(state, 1);
  if (state.isHelpShown) return [{ ...state, isHelpShown: false }, []];
  if (screen.name === 'settled') return onSettledKey(state, key);
  if (!isEditing && isTyped(key, '?')) return [{ ...state, isHelpShown: true }, []];
  if (open === null || screen.name === 'list') return onListKey(state, key);
  if (screen.name === 'reject') return onRejectKey(state, open, screen, key);
  if (screen.name === 'review') return onReviewKey(state, open, key);
  return open.editor === null ? onQuestionKey(state, open, key) : onEditorKey(state, open, open.editor, key);
}

function pageBy(state: InboxState, direction: -1 | 1): Step {
  if (state.screen.name === 'list' && !state.isHelpShown) return select(state, direction * PAGE_SETS);
  // A row of the page before stays, so that nobody loses the place.
  const rows = state.pageRows > 3 ? state.pageRows - 1 : state.pageRows;
  // What was wrong makes room for how much there is still to read.
  const open = state.open === null ? null : { ...state.open, fault: null };
  return [{ ...state, open, scroll: Math.max(0, state.scroll + direction * rows) }, []];
}

/** Who was typing when the set left must not lose the reason by the next letter. */
function onSettledKey(state: InboxState, key: Key): Step {
  if (key.name !== 'enter' && key.name !== 'escape') return [state, []];
  return [{ ...state, screen: { name: 'list' }, notice: null }, []];
}

/** Moves the list's selection by some sets. */
function select(state: InboxState, by: number): Step {
  const { pending, selectedId } = state;
  const index = pending.findIndex((view) => view.id === selectedId);
  const view = pending[Math.max(0, Math.min(pending.length - 1, index + by))];
  return [{ ...state, notice: null, selectedId: view?.id ?? null }, []];
}

function onListKey(state: InboxState, key: Key): Step {
  if (key.name === 'up' || isTyped(key, 'k')) return select(state, -1);
  if (key.name === 'down' || isTyped(key, 'j')) return select(state, 1);
  if (key.name === 'home' || isTyped(key, 'g')) return select(state, -state.pending.length);
  if (key.name === 'end' || isTyped(key, 'G')) return select(state, state.pending.length);
  if (isTyped(key, 'q') || key.name === 'ctrl-d' || key.name === 'escape') return leave(state);
  if ((key.name === 'enter' || key.name === 'right') && state.selectedId !== null) {
    return [{ ...state, notice: null }, [{ do: 'open', id: state.selectedId }]];
  }
  return [state, []];
}

function onQuestionKey(state: InboxState, open: OpenSet, key: Key): Step {
  if (key.name === 'escape') return askBeforeReject(state, 'question');
  if (isTyped(key, 'q')) return closeSet(state, open);
  const question = currentQuestion(open);
  if (question === undefined) return [state, []];
  const rows = question.options.length + 1;
  const move = (row: number): Step => [
    withOpen(state, { ...open, row: (row + rows) % rows, fault: null }),
    [],
  ];
  if (key.name === 'up' || isTyped(key, 'k')) return move(open.row - 1);
  if (key.name === 'down' || isTyped(key, 'j')) return move(open.row + 1);
  if (key.name === 'tab' || key.name === 'right') return goTo(state, open, open.questionIndex + 1);
  if (key.name === 'shift-tab' || key.name === 'left') return goTo(state, open, open.questionIndex - 1);
  if (isTyped(key, 'r') && recommendedIndex(question) >= 0) return takeRecommended(state, open, question);
  if (isTyped(key, 'o')) return writeOwnWords(state, open, question);
  if (isTyped(key, ' ')) return pick(state, open, question, open.row);
  if (key.name === 'enter') return onEnter(state, open, question);
  const digit = digitOf(key);
  return digit !== undefined && digit < rows ? pick(state, open, question, digit) : [state, []];
}

/** Enter chooses and goes on with single choice; with several it goes on, and choosing none needs it twice. */
function onEnter(state: InboxState, open: OpenSet, question: Question): Step {
  const answer = answerOf(open);
  if (open.row === question.options.length && !answer.isOther) return writeOwnWords(state, open, question);
  if (question.multiSelect === true) {
    const fault = faultOf(open);
    if (fault !== undefined && open.fault === null) return [withOpen(state, { ...open, fault }), []];
    return goOn(state, withAnswer(open, { ...answer, isConfirmed: true }));
  }
  const option = question.options[open.row];
  if (option === undefined) return writeOwnWords(state, open, question);
  const fault = unreadFault(open, option.label);
  if (fault !== undefined) return [withOpen(state, { ...open, fault }), []];
  return goOn(state, withAnswer(open, choose(question, answer, option.label)));
}

/** Chooses the recommended option, unless it is chosen already, and goes on. */
function takeRecommended(state: InboxState, open: OpenSet, question: Question): Step {
  const row = recommendedIndex(question);
  const label = question.options[row]?.label ?? '';
  const answer = answerOf(open);
  const chosen = answer.selected.includes(label) ? answer : choose(question, answer, label);
  return goOn(state, withAnswer({ ...open, row, fault: null }, chosen));
}

/** Chooses or toggles a row and stays. */
function pick(state: InboxState, open: OpenSet, question: Question, row: number): Step {
  const answer = answerOf(open);
  const option = question.options[row];
  if (option !== undefined) {
    const fault = unreadFault(open, option.label);
    if (fault !== undefined) return [withOpen(state, { ...open, row, fault }), []];
    return saved(
      withOpen(state, withAnswer({ ...open, row, fault: null }, choose(question, answer, option.label))),
    );
  }
  if (question.multiSelect !== true || !answer.isOther) return writeOwnWords(state, open, question);
  return saved(withOpen(state, withAnswer({ ...open, row, fault: null }, { ...answer, isOther: false })));
}

function writeOwnWords(state: InboxState, open: OpenSet, question: Question): Step {
  const answer = chooseOther(question, answerOf(open));
  const row = question.options.length;
  return saved(
    withOpen(state, withAnswer({ ...open, row, editor: editorWith(answer.text), fault: null }, answer)),
  );
}

function onEditorKey(state: InboxState, open: OpenSet, editor: EditorState, key: Key): Step {
  const answer = answerOf(open);
  if (key.name === 'escape') return [withOpen(state, { ...open, editor: null }), []];
  if (key.name === 'tab' && faultOf(open) !== undefined) return goTo(state, open, open.questionIndex + 1);
  if (key.name === 'enter' || key.name === 'tab') return goOn(state, open);
  if (key.name === 'shift-tab') return goTo(state, open, open.questionIndex - 1);
  const next = edit(editor, key);
  if (next === editor) return [state, []];
  const typed = withAnswer({ ...open, editor: next, fault: null }, { ...answer, text: textOf(next) });
  return saved(withOpen(state, typed));
}

function onReviewKey(state: InboxState, open: OpenSet, key: Key): Step {
  const last = open.view.questions.length - 1;
  if (key.name === 'enter' || isTyped(key, 'y')) {
    const found = firstFault(open);
    if (found === undefined) return [{ ...state, notice: null, isBusy: true }, [{ do: 'submit', set: open }]];
    const shown = { ...atQuestion(open, found.index), fault: found.fault };
    return [{ ...withOpen(state, shown), screen: { name: 'question' } }, []];
  }
  if (key.name === 'escape') return askBeforeReject(state, 'review');
  if (isTyped(key, 'q')) return closeSet(state, open);
  if (['left', 'shift-tab', 'up', 'backspace'].includes(key.name) || isTyped(key, 'n'))
    return goTo(state, open, last);
  const digit = digitOf(key);
  return digit !== undefined && digit <= last ? goTo(state, open, digit) : [state, []];
}

function askBeforeReject(state: InboxState, from: 'question' | 'review'): Step {
  return [{ ...state, notice: null, screen: { name: 'reject', editor: null, from } }, []];
}

function onRejectKey(
  state: InboxState,
  open: OpenSet,
  screen: Extract<InboxState['screen'], { name: 'reject' }>,
  key: Key,
): Step {
  const { editor, from } = screen;
  if (key.name === 'escape') return [{ ...state, notice: null, screen: { name: from } }, []];
  if (editor === null) {
    if (isTyped(key, 'y')) {
      return [{ ...state, screen: { ...screen, editor: editorWith(open.rejectionReason) } }, []];
    }
    if (isTyped(key, 'l')) return closeSet(state, open);
    if (isTyped(key, 'n')) return [{ ...state, screen: { name: from } }, []];
    return [state, []];
  }
  if (key.name === 'enter') {
    const reason = textOf(editor).trim();
    return [
      { ...state, notice: null, isBusy: true },
      [{ do: 'reject', id: open.view.id, reason: reason === '' ? null : reason }],
    ];
  }
  const next = edit(editor, key);
  if (next === editor) return [state, []];
  const typed = { ...open, rejectionReason: textOf(next) };
  return saved({ ...withOpen(state, typed), screen: { ...screen, editor: next } });
}

/** On to the next question, or to the review behind the last one; a fault keeps the person where they are. */
function goOn(state: InboxState, open: OpenSet): Step {
  const fault = faultOf(open);
  if (fault !== undefined) return saved(withOpen(state, { ...open, fault }));
  const confirmed = withAnswer(open, { ...answerOf(open), isConfirmed: true });
  const [next] = goTo(state, confirmed, open.questionIndex + 1);
  return saved(next);
}

function faultOf(open: OpenSet): string | undefined {
  return faultAt(open, open.questionIndex);
}

function goTo(state: InboxState, open: OpenSet, index: number): Step {
  if (index >= open.view.questions.length)
    return [{ ...withOpen(state, { ...open, editor: null, fault: null }), screen: { name: 'review' } }, []];
  return [{ ...withOpen(state, atQuestion(open, index)), screen: { name: 'question' } }, []];
}

function closeSet(state: InboxState, open: OpenSet): Step {
  const notice = hasDraft(open) ? 'Kept as a draft.' : null;
  return [{ ...state, open: null, screen: { name: 'list' }, notice }, []];
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

function answerOf(open: OpenSet): OpenSet['answers'][number] {
  return open.answers[open.questionIndex] ?? EMPTY_ANSWER;
}

function withAnswer(open: OpenSet, answer: OpenSet['answers'][number]): OpenSet {
  return { ...open, answers: open.answers.with(open.questionIndex, answer) };
}

/** The row that a digit stands for: 1 is the first, 0 the tenth. */
function digitOf(key: Key): number | undefined {
  return key.name === 'text' && 'text' in key && /^[0-9]$/.test(key.text)
    ? (Number(key.text) + 9) % 10
    : undefined;
}

function isTyped(key: Key, text: string): boolean {
  return key.name === 'text' && 'text' in key && key.text === text;
}
