import {
  type Draft,
  type DraftAnswer,
  isPermission,
  PERMISSION_CHOICES,
  type Question,
  type QuestionOutcome,
  type QuestionView,
} from '../../sessions/question/index.js';
import type { EditorState } from '../text-editor.js';
import { EMPTY_ANSWER, faultIn, isTouched, recommendedIndex } from './answers.js';

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
  /** Whether the end of what is asked was on the screen. */
  readonly isRead: boolean;
  readonly rejectionReason: string;
}

export type Screen =
  | { readonly name: 'list' }
  | { readonly name: 'question' }
  | { readonly name: 'review' }
  | { readonly name: 'reject'; readonly editor: EditorState | null; readonly from: 'question' | 'review' }
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
  /** How many rows the long text on screen is scrolled down. */
  readonly scroll: number;
  /** How many rows of it are on screen at a time. */
  readonly pageRows: number;
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

export type Step = readonly [InboxState, readonly Effect[]];

export const INITIAL_STATE: InboxState = {
  pending: [],
  selectedId: null,
  open: null,
  screen: { name: 'list' },
  isHelpShown: false,
  scroll: 0,
  pageRows: 1,
  notice: null,
  isBusy: false,
};

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
  for (const index of open.view.questions.keys()) {
    const fault = faultAt(open, index);
    if (fault !== undefined) return { index, fault };
  }
  return undefined;
}

/** What keeps the answer to one question from being given. */
export function faultAt(open: OpenSet, index: number): string | undefined {
  const question = open.view.questions[index];
  const answer = open.answers[index] ?? EMPTY_ANSWER;
  if (question === undefined) return undefined;
  return faultIn(question, answer) ?? answer.selected.map((label) => unreadFault(open, label)).find(Boolean);
}

/** Nothing is allowed while a part of it was not on screen yet; to deny it, nobody has to read it. */
export function unreadFault({ view, isRead }: OpenSet, label: string): string | undefined {
  if (isRead || !isPermission(view) || label === PERMISSION_CHOICES.deny) return undefined;
  return 'Read to the end first: PgDn.';
}

/** The open set standing on one of its questions. */
export function atQuestion(open: OpenSet, index: number): OpenSet {
  const questionIndex = Math.max(0, Math.min(open.view.questions.length - 1, index));
  return { ...open, questionIndex, row: startRow(open, questionIndex), editor: null, fault: null };
}

/** Whether the person has given anything that is worth keeping. */
export function hasDraft(open: OpenSet): boolean {
  return open.rejectionReason !== '' || open.answers.some(isTouched);
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
