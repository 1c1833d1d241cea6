import type { Question } from '../../sessions/question/index.js';
import { choose, chooseOther, EMPTY_ANSWER, recommendedIndex } from './answers.js';
import {
  atQuestion,
  currentQuestion,
  faultAt,
  firstFault,
  hasDraft,
  type InboxState,
  type InboxStep,
  listedSets,
  type OpenSet,
  unreadFault,
} from './state.js';

/** What a person does. A surface maps its keys, buttons and clicks to these; one that does not fit the screen does nothing. */
export type InboxAction =
  /** On the list: moves by some sets, or opens the selected one. */
  | { readonly do: 'move'; readonly by: number }
  | { readonly do: 'open'; readonly id?: string }
  /** On the list: starts typing a filter, updates it, then keeps or clears it. */
  | { readonly do: 'filter' }
  | { readonly do: 'filter-by'; readonly text: string }
  | { readonly do: 'keep-filter' }
  | { readonly do: 'clear-filter' }
  /** Asks for a yes before every listed set is rejected; then works as for one set. */
  | { readonly do: 'consider-rejecting-all' }
  /** On a question: the row to select; after the last row comes the first. */
  | { readonly do: 'stand-on'; readonly row: number }
  /** Chooses the row and stays; with multiple choice it toggles the row. The last row is for the person's own words. */
  | { readonly do: 'choose'; readonly row: number }
  | { readonly do: 'choose-recommended' }
  /** Done with this question: with single choice the selected row is the answer. */
  | { readonly do: 'answer' }
  | { readonly do: 'write' }
  /** The person's own words, or the reason for a rejection, as typed so far. */
  | { readonly do: 'written'; readonly text: string }
  | { readonly do: 'stop-writing' }
  /** Turns a page of the question: the fault is cleared to make room for it. */
  | { readonly do: 'read-on' }
  /** Another question; after the last one comes the review. Answers are not checked on the way. */
  | { readonly do: 'go-to'; readonly question: number }
  /** On the review. */
  | { readonly do: 'submit' }
  /** Asks for a yes before the set is rejected; the yes leads to a reason; then the set is rejected. */
  | { readonly do: 'consider-rejecting' }
  | { readonly do: 'give-reason' }
  | { readonly do: 'reject' }
  /** Back one screen: to the question, or to the list. What was typed stays in the draft. */
  | { readonly do: 'go-back' }
  | { readonly do: 'close' }
  | { readonly do: 'leave' };

/** Applies an action to the inbox. */
export function act(state: InboxState, action: InboxAction): InboxStep {
  if (action.do === 'leave') return [state, [{ do: 'leave' }]];
  if (state.isBusy) return [state, []];
  const { open, screen } = state;
  if (action.do === 'read-on')
    return [open === null ? state : { ...state, open: { ...open, fault: null } }, []];
  if (screen.name === 'settled') {
    if (action.do !== 'go-back') return [state, []];
    return [{ ...state, screen: { name: 'list' }, notice: null }, []];
  }
  if (screen.name === 'reject-all') return onRejectAll(state, screen, action);
  if (open === null || screen.name === 'list') return onList(state, action);
  if (action.do === 'close') return closeSet(state, open);
  if (screen.name === 'reject') return onReject(state, open, screen, action);
  if (action.do === 'go-to') return goTo(state, open, action.question);
  if (action.do === 'consider-rejecting')
    return [{ ...state, notice: null, screen: { name: 'reject', isWriting: false, from: screen.name } }, []];
  if (screen.name === 'review') return action.do === 'submit' ? submit(state, open) : [state, []];
  const question = currentQuestion(open);
  return question === undefined ? [state, []] : onQuestion(state, open, question, action);
}

function onList(state: InboxState, action: InboxAction): InboxStep {
  switch (action.do) {
    case 'move':
      return [moved(state, action.by), []];
    case 'filter':
      return [{ ...state, notice: null, isFiltering: true }, []];
    case 'filter-by':
      return [state.isFiltering ? filtered(state, action.text) : state, []];
    case 'keep-filter':
      return [{ ...state, isFiltering: false }, []];
    case 'clear-filter':
      return [{ ...filtered(state, ''), isFiltering: false }, []];
    case 'consider-rejecting-all': {
      const ids = listedSets(state).map(({ id }) => id);
      if (ids.length === 0) return [state, []];
      return [
        { ...state, notice: null, screen: { name: 'reject-all', ids, isWriting: false, reason: '' } },
        [],
      ];
    }
    case 'open':
      break;
    default:
      return [state, []];
  }
  const id = action.id ?? state.selectedId;
  return id === null ? [state, []] : [{ ...state, notice: null }, [{ do: 'open', id }]];
}

function moved(state: InboxState, by: number): InboxState {
  const listed = listedSets(state);
  const index = listed.findIndex((view) => view.id === state.selectedId);
  const view = listed[Math.max(0, Math.min(listed.length - 1, index + by))];
  return { ...state, notice: null, selectedId: view?.id ?? null };
}

function filtered(state: InboxState, filter: string): InboxState {
  const next = { ...state, filter };
  const listed = listedSets(next);
  const isThere = listed.some(({ id }) => id === state.selectedId);
  return { ...next, selectedId: isThere ? state.selectedId : (listed[0]?.id ?? null) };
}

function onRejectAll(
  state: InboxState,
  screen: Extract<InboxState['screen'], { name: 'reject-all' }>,
  action: InboxAction,
): InboxStep {
  if (action.do === 'go-back') return [{ ...state, screen: { name: 'list' } }, []];
  if (!screen.isWriting)
    return [action.do === 'give-reason' ? { ...state, screen: { ...screen, isWriting: true } } : state, []];
  if (action.do === 'written') return [{ ...state, screen: { ...screen, reason: action.text } }, []];
  if (action.do !== 'reject') return [state, []];
  const reason = screen.reason.trim();
  return [
    { ...state, isBusy: true },
    [{ do: 'reject-all', ids: screen.ids, reason: reason === '' ? null : reason }],
  ];
}

function onQuestion(state: InboxState, open: OpenSet, question: Question, action: InboxAction): InboxStep {
  switch (action.do) {
    case 'stand-on': {
      const rows = question.options.length + 1;
      return [withOpen(state, { ...open, row: (action.row + rows) % rows, fault: null }), []];
    }
    case 'choose':
      return pick(state, open, question, action.row);
    case 'choose-recommended':
      return recommendedIndex(question) >= 0 ? takeRecommended(state, open, question) : [state, []];
    case 'answer':
      return open.isWriting ? goOn(state, open) : answer(state, open, question);
    case 'write':
      return writeOwnWords(state, open, question);
    case 'written': {
      if (!open.isWriting) return [state, []];
      const typed = withAnswer({ ...open, fault: null }, { ...answerOf(open), text: action.text });
      return saved(withOpen(state, typed));
    }
    case 'stop-writing':
      return [withOpen(state, { ...open, isWriting: false }), []];
    default:
      return [state, []];
  }
}

/** Single choice: chooses and moves on. Multiple choice: moves on, but choosing none must be confirmed. */
function answer(state: InboxState, open: OpenSet, question: Question): InboxStep {
  const given = answerOf(open);
  if (open.row === question.options.length && !given.isOther) return writeOwnWords(state, open, question);
  if (question.multiSelect === true) {
    const fault = faultOf(open);
    if (fault !== undefined && open.fault === null) return [withOpen(state, { ...open, fault }), []];
    return goOn(state, withAnswer(open, { ...given, isConfirmed: true }));
  }
  const option = question.options[open.row];
  if (option === undefined) return writeOwnWords(state, open, question);
  const fault = unreadFault(open, option.label);
  if (fault !== undefined) return [withOpen(state, { ...open, fault }), []];
  return goOn(state, withAnswer(open, choose(question, given, option.label)));
}

/** Chooses the recommended option, unless it is already chosen, and moves on. */
function takeRecommended(state: InboxState, open: OpenSet, question: Question): InboxStep {
  const row = recommendedIndex(question);
  const label = question.options[row]?.label ?? '';
  const given = answerOf(open);
  const chosen = given.selected.includes(label) ? given : choose(question, given, label);
  return goOn(state, withAnswer({ ...open, row, fault: null }, chosen));
}

/** Chooses or toggles a row and stays. */
function pick(state: InboxState, open: OpenSet, question: Question, row: number): InboxStep {
  if (row < 0 || row > question.options.length) return [state, []];
  const given = answerOf(open);
  const option = question.options[row];
  if (option !== undefined) {
    const fault = unreadFault(open, option.label);
    if (fault !== undefined) return [withOpen(state, { ...open, row, fault }), []];
    return saved(
      withOpen(state, withAnswer({ ...open, row, fault: null }, choose(question, given, option.label))),
    );
  }
  if (question.multiSelect !== true || !given.isOther) return writeOwnWords(state, open, question);
  return saved(withOpen(state, withAnswer({ ...open, row, fault: null }, { ...given, isOther: false })));
}

function writeOwnWords(state: InboxState, open: OpenSet, question: Question): InboxStep {
  const row = question.options.length;
  const writing = { ...open, row, isWriting: true, fault: null };
  return saved(withOpen(state, withAnswer(writing, chooseOther(question, answerOf(open)))));
}

function submit(state: InboxState, open: OpenSet): InboxStep {
  const found = firstFault(open);
  if (found === undefined) return [{ ...state, notice: null, isBusy: true }, [{ do: 'submit', set: open }]];
  const shown = { ...atQuestion(open, found.index), fault: found.fault };
  return [{ ...withOpen(state, shown), screen: { name: 'question' } }, []];
}

function onReject(
  state: InboxState,
  open: OpenSet,
  screen: Extract<InboxState['screen'], { name: 'reject' }>,
  action: InboxAction,
): InboxStep {
  if (action.do === 'go-back') return [{ ...state, notice: null, screen: { name: screen.from } }, []];
  if (!screen.isWriting) {
    if (action.do !== 'give-reason') return [state, []];
    return [{ ...state, screen: { ...screen, isWriting: true } }, []];
  }
  if (action.do === 'written')
    return saved({ ...withOpen(state, { ...open, rejectionReason: action.text }), screen });
  if (action.do !== 'reject') return [state, []];
  const reason = open.rejectionReason.trim();
  return [
    { ...state, notice: null, isBusy: true },
    [{ do: 'reject', id: open.view.id, reason: reason === '' ? null : reason }],
  ];
}

/** Moves to the next question, or from the last one to the review; a fault keeps the person where they are. */
function goOn(state: InboxState, open: OpenSet): InboxStep {
  const fault = faultOf(open);
  if (fault !== undefined) return saved(withOpen(state, { ...open, fault }));
  const confirmed = withAnswer(open, { ...answerOf(open), isConfirmed: true });
  const [next] = goTo(state, confirmed, open.questionIndex + 1);
  return saved(next);
}

function faultOf(open: OpenSet): OpenSet['fault'] | undefined {
  return faultAt(open, open.questionIndex);
}

function goTo(state: InboxState, open: OpenSet, index: number): InboxStep {
  if (index >= open.view.questions.length) {
    const reviewed = { ...open, isWriting: false, fault: null };
    return [{ ...withOpen(state, reviewed), screen: { name: 'review' } }, []];
  }
  return [{ ...withOpen(state, atQuestion(open, index)), screen: { name: 'question' } }, []];
}

function closeSet(state: InboxState, open: OpenSet): InboxStep {
  const notice = hasDraft(open) ? 'Kept as a draft.' : null;
  return [{ ...state, open: null, screen: { name: 'list' }, notice }, []];
}

function saved(state: InboxState): InboxStep {
  return [state, [{ do: 'save-draft' }]];
}

function withOpen(state: InboxState, open: OpenSet): InboxState {
  return { ...state, open, notice: null };
}

function answerOf(open: OpenSet): OpenSet['answers'][number] {
  return open.answers[open.questionIndex] ?? EMPTY_ANSWER;
}

function withAnswer(open: OpenSet, given: OpenSet['answers'][number]): OpenSet {
  return { ...open, answers: open.answers.with(open.questionIndex, given) };
}
