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
  /** The highlighted row: an option, or (behind the last one) the own words. */
  readonly row: number;
  /** Whether the own words are being written. */
  readonly isWriting: boolean;
  readonly fault: Fault | null;
  /** Whether the end of what is asked was on the screen. */
  readonly isRead: boolean;
  readonly rejectionReason: string;
}

export type Screen =
  | { readonly name: 'list' }
  | { readonly name: 'question' }
  | { readonly name: 'review' }
  /** Asks before the set is rejected; then, `isWriting`, for a reason. */
  | { readonly name: 'reject'; readonly isWriting: boolean; readonly from: 'question' | 'review' }
  /** Asks before every set of the list is rejected; then, `isWriting`, for the one reason. */
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
  /** What the sets on the list must have in them. */
  readonly filter: string;
  /** Whether that is being typed. */
  readonly isFiltering: boolean;
  /** The set that the list stands on. */
  readonly selectedId: string | null;
  readonly open: OpenSet | null;
  readonly screen: Screen;
  /** A word about what just happened. */
  readonly notice: string | null;
  readonly isBusy: boolean;
}

/** What happens outside the state, as data; whoever holds the state does it. */
export type Effect =
  | { readonly do: 'open'; readonly id: string }
  /** Keep what the open set holds now. */
  | { readonly do: 'save-draft' }
  | { readonly do: 'submit'; readonly set: OpenSet }
  | { readonly do: 'reject'; readonly id: string; readonly reason: string | null }
  | { readonly do: 'reject-all'; readonly ids: readonly string[]; readonly reason: string | null }
  | { readonly do: 'leave' };

export type InboxStep = readonly [InboxState, readonly Effect[]];

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

/** The sets that the filter leaves on the list: those in which every word of it stands somewhere. */
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

/** The first question that cannot be given yet. */
export function firstFault(open: OpenSet): { index: number; fault: Fault } | undefined {
  for (const index of open.view.questions.keys()) {
    const fault = faultAt(open, index);
    if (fault !== undefined) return { index, fault };
  }
  return undefined;
}

/** What keeps the answer to one question from being given. */
export function faultAt(open: OpenSet, index: number): Fault | undefined {
  const question = open.view.questions[index];
  const answer = open.answers[index] ?? EMPTY_ANSWER;
  if (question === undefined) return undefined;
  return faultIn(question, answer) ?? answer.selected.map((label) => unreadFault(open, label)).find(Boolean);
}

/** Nothing is allowed while a part of it was not on screen yet; to deny it, nobody has to read it. */
export function unreadFault(
  { view, isRead }: { readonly view: Pick<QuestionView, 'asker'>; readonly isRead: boolean },
  label: string,
): Fault | undefined {
  if (isRead || !isPermission(view) || label === PERMISSION_CHOICES.deny) return undefined;
  return 'unread';
}

/** The open set standing on one of its questions. */
export function atQuestion(open: OpenSet, index: number): OpenSet {
  const questionIndex = Math.max(0, Math.min(open.view.questions.length - 1, index));
  return { ...open, questionIndex, row: startRow(open, questionIndex), isWriting: false, fault: null };
}

/** What the person is writing right now: own words, or why they reject; undefined while they write nothing. */
export function writtenText({ open, screen }: InboxState): string | undefined {
  if (screen.name === 'reject-all') return screen.isWriting ? screen.reason : undefined;
  if (open === null) return undefined;
  if (screen.name === 'reject') return screen.isWriting ? open.rejectionReason : undefined;
  return screen.name === 'question' && open.isWriting ? open.answers[open.questionIndex]?.text : undefined;
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
