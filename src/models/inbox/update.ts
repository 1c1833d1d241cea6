import type { Draft, QuestionOutcome, QuestionView } from '../../sessions/question/index.js';
import { act, type InboxAction } from './act.js';
import { answersFromDraft } from './answers.js';
import { atQuestion, hasDraft, type InboxState, type InboxStep, listedSets, type OpenSet } from './state.js';

/** A set that is no longer pending, for a reason other than our own action. */
export interface Departure {
  readonly view: QuestionView;
  readonly status: QuestionOutcome['status'] | 'gone';
}

export type InboxEvent =
  | { readonly type: 'act'; readonly action: InboxAction }
  | {
      readonly type: 'listed';
      readonly pending: readonly QuestionView[];
      readonly departures: readonly Departure[];
    }
  | { readonly type: 'opened'; readonly view: QuestionView; readonly draft: Draft | undefined }
  /** The open set was settled by someone else, or removed. */
  | { readonly type: 'settled-elsewhere'; readonly view: QuestionView | null }
  | { readonly type: 'submitted'; readonly notice: string }
  | { readonly type: 'lost-race'; readonly view: QuestionView }
  /** The answer to one question was refused. */
  | { readonly type: 'refused'; readonly questionIndex: number; readonly fault: string }
  /** The person's request failed. */
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'told'; readonly message: string }
  /** The end of the open set's question is on screen. */
  | { readonly type: 'read'; readonly id: string };

/** Returns the next state of the inbox and the effects to carry out. Pure. */
export function update(state: InboxState, event: InboxEvent): InboxStep {
  switch (event.type) {
    case 'act':
      return act(state, event.action);
    case 'listed':
      return [listed(state, event.pending, event.departures), []];
    case 'opened':
      return [openSet(state, event.view, event.draft), []];
    case 'settled-elsewhere':
      return [settledElsewhere(state, event.view), []];
    case 'submitted':
      return [{ ...state, open: null, screen: { name: 'list' }, isBusy: false, notice: event.notice }, []];
    case 'lost-race':
      return [settled(state, event.view, 'Somebody else was first. This outcome counts'), []];
    case 'refused': {
      const { open } = state;
      if (open === null) return [{ ...state, isBusy: false, notice: event.fault }, []];
      const shown = { ...atQuestion(open, event.questionIndex), fault: { refused: event.fault } };
      return [{ ...state, isBusy: false, open: shown, screen: { name: 'question' } }, []];
    }
    case 'failed':
      return [{ ...state, isBusy: false, notice: event.message }, []];
    case 'told':
      return [{ ...state, notice: event.message }, []];
    case 'read': {
      const { open } = state;
      if (open === null || open.view.id !== event.id) return [state, []];
      return [{ ...state, open: { ...open, isRead: true } }, []];
    }
  }
}

function openSet(state: InboxState, view: QuestionView, draft: Draft | undefined): InboxState {
  // A repeated request must not reopen the set and overwrite what has been typed since.
  if (state.open !== null) return state;
  const open: OpenSet = {
    view,
    questionIndex: 0,
    answers: answersFromDraft(view.questions, draft),
    row: 0,
    isWriting: false,
    fault: null,
    isRead: false,
    rejectionReason: draft?.rejectionReason ?? '',
  };
  return {
    ...state,
    selectedId: view.id,
    open: atQuestion(open, draft?.questionIndex ?? 0),
    screen: { name: 'question' },
    notice: hasDraft(open) ? 'Your draft is back.' : null,
  };
}

const HOW = {
  completed: 'answered elsewhere',
  rejected: 'rejected elsewhere',
  abandoned: 'withdrawn',
  timed_out: 'not answered in time',
  pending: 'changed',
  gone: 'removed',
} as const;

function listed(
  state: InboxState,
  pending: readonly QuestionView[],
  departures: readonly Departure[],
): InboxState {
  const next = {
    ...state,
    pending,
    selectedId: keepSelection(state, listedSets({ pending, filter: state.filter })),
    open: state.open === null ? null : refreshed(state.open, pending),
  };
  const [first] = departures;
  if (first === undefined || state.screen.name !== 'list') return next;
  const notice =
    departures.length === 1
      ? `${first.view.id.slice(0, 8)} is gone: it was ${HOW[first.status]}.`
      : `${departures.length} are gone: ${[...new Set(departures.map(({ status }) => HOW[status]))].join(', ')}.`;
  return { ...next, notice };
}

/** The open set with fresh data: its asker may be gone by now. */
function refreshed(open: OpenSet, pending: readonly QuestionView[]): OpenSet {
  const view = pending.find(({ id }) => id === open.view.id);
  return view === undefined ? open : { ...open, view };
}

function keepSelection(state: InboxState, pending: readonly QuestionView[]): string | null {
  if (pending.some((view) => view.id === state.selectedId)) return state.selectedId;
  const before = listedSets(state).findIndex((view) => view.id === state.selectedId);
  return pending[Math.min(Math.max(0, before), pending.length - 1)]?.id ?? null;
}

function settledElsewhere(state: InboxState, view: QuestionView | null): InboxState {
  if (state.open === null || state.isBusy) return state;
  if (view === null)
    return { ...state, open: null, screen: { name: 'list' }, notice: 'That set was removed.' };
  return settled(state, view, `It was ${HOW[view.outcome.status]} while you had it open`);
}

function settled(state: InboxState, view: QuestionView, what: string): InboxState {
  const kept =
    state.open !== null && hasDraft(state.open) ? '; what you typed is kept in its draft.json' : '';
  const screen = { name: 'settled', outcome: view.outcome, view, why: `${what}${kept}.` } as const;
  return { ...state, open: null, isBusy: false, screen };
}
