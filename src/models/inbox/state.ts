import { isPermission, PERMISSION_CHOICES } from '../../foundation/permission-card.js';
import type {
  Draft,
  DraftAnswer,
  Question,
  QuestionOutcome,
  QuestionView,
} from '../../sessions/question/index.js';
import { EMPTY_ANSWER, type Fault, faultIn, isTouched, recommendedIndex } from './answers.js';

/** The set that the person is answering. */
export interface OpenSet {
  readonly view: QuestionView;
  readonly questionIndex: number;
  readonly answers: readonly DraftAnswer[];
  /** The highlighted row: an option or, after the last one, the person's own words. */
  readonly row: number;
  /** Whether the person is writing their own words. */
  readonly isWriting: boolean;
  readonly fault: Fault | null;
  /** Whether the end of the question has been on screen. */
  readonly isRead: boolean;
  readonly rejectionReason: string;
}

export type Screen =
  | { readonly name: 'list' }
  | { readonly name: 'question' }
  | { readonly name: 'review' }
  /** Asks for a yes before the set is rejected; then, with `isWriting`, for a reason. */
  | { readonly name: 'reject'; readonly isWriting: boolean; readonly from: 'question' | 'review' }
  /** Asks for a yes before every listed set is rejected; then, with `isWriting`, for one shared reason. */
  | {
      readonly name: 'reject-all';
      readonly ids: readonly string[];
      readonly isWriting: boolean;
      readonly reason: string;
    }
  | {
      readonly name: 'settled';
      readonly outcome: QuestionOutcome;
      readonly view: QuestionView;
      readonly why: string;
    };

export interface InboxState {
  readonly pending: readonly QuestionView[];
  /** The words that a listed set must contain. */
  readonly filter: string;
  /** Whether the filter is being typed. */
  readonly isFiltering: boolean;
  /** The set that is selected in the list. */
  readonly selectedId: string | null;
  readonly open: OpenSet | null;
  readonly screen: Screen;
  /** A short message about what just happened. */
  readonly notice: string | null;
  readonly isBusy: boolean;
}

/** Side effects as data, carried out by the owner of the state. */
export type InboxEffect =
  | { readonly do: 'open'; readonly id: string }
  /** Save what the open set holds now. */
  | { readonly do: 'save-draft' }
  | { readonly do: 'submit'; readonly set: OpenSet }
  | { readonly do: 'reject'; readonly id: string; readonly reason: string | null }
  | { readonly do: 'reject-all'; readonly ids: readonly string[]; readonly reason: string | null }
  | { readonly do: 'leave' };

export type InboxStep = readonly [InboxState, readonly InboxEffect[]];

export const INITIAL_STATE: InboxState = {
  pending: [],
  filter: '',
  isFiltering: false,
  selectedId: null,
  open: null,
  screen: { name: 'list' },
  notice: null,
  isBusy: false,
};

/** The sets that pass the filter: those that contain every word of it. */
export function listedSets({
  pending,
  filter,
}: Pick<InboxState, 'pending' | 'filter'>): readonly QuestionView[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return pending;
  return pending.filter(({ id, asker, workingDirectory, questions }) => {
    const asked = questions.flatMap(({ title, prompt }) => [title, prompt]);
    const text = [id, asker?.agent, workingDirectory, ...asked].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The question on screen. */
export function currentQuestion(open: OpenSet): Question | undefined {
  return open.view.questions[open.questionIndex];
}

/** The draft of an open set, with what is being typed right now. */
export function draftOf(open: OpenSet): Draft {
  return { questionIndex: open.questionIndex, answers: open.answers, rejectionReason: open.rejectionReason };
}

/** The first question whose answer cannot be given yet. */
export function firstFault(open: OpenSet): { index: number; fault: Fault } | undefined {
  for (const index of open.view.questions.keys()) {
    const fault = faultAt(open, index);
    if (fault !== undefined) return { index, fault };
  }
  return undefined;
}

/** What prevents the answer to one question from being given. */
export function faultAt(open: OpenSet, index: number): Fault | undefined {
  const question = open.view.questions[index];
  const answer = open.answers[index] ?? EMPTY_ANSWER;
  if (question === undefined) return undefined;
  return faultIn(question, answer) ?? answer.selected.map((label) => unreadFault(open, label)).find(Boolean);
}

/** Nothing can be allowed until all of it has been on screen; denying needs no reading. */
export function unreadFault(
  { view, isRead }: { readonly view: Pick<QuestionView, 'asker'>; readonly isRead: boolean },
  label: string,
): Fault | undefined {
  if (isRead || !isPermission(view) || label === PERMISSION_CHOICES.deny) return undefined;
  return 'unread';
}

/** The open set, moved to one of its questions. */
export function atQuestion(open: OpenSet, index: number): OpenSet {
  const questionIndex = Math.max(0, Math.min(open.view.questions.length - 1, index));
  return { ...open, questionIndex, row: startRow(open, questionIndex), isWriting: false, fault: null };
}

/** What the person is writing right now: own words or a rejection reason; undefined while they write nothing. */
export function writtenText({ open, screen }: InboxState): string | undefined {
  if (screen.name === 'reject-all') return screen.isWriting ? screen.reason : undefined;
  if (open === null) return undefined;
  if (screen.name === 'reject') return screen.isWriting ? open.rejectionReason : undefined;
  return screen.name === 'question' && open.isWriting ? open.answers[open.questionIndex]?.text : undefined;
}

/** Whether the person has entered anything worth keeping. */
export function hasDraft(open: OpenSet): boolean {
  return open.rejectionReason !== '' || open.answers.some(isTouched);
}

/** Where the highlight starts: on the earlier choice, otherwise on the recommended option, otherwise on top. */
function startRow(open: OpenSet, questionIndex: number): number {
  const question = open.view.questions[questionIndex];
  const answer = open.answers[questionIndex];
  if (question === undefined || answer === undefined) return 0;
  if (answer.isOther) return question.options.length;
  const chosen = question.options.findIndex((option) => answer.selected.includes(option.label));
  return chosen >= 0 ? chosen : Math.max(0, recommendedIndex(question));
}
