import type { AnswerInput, Draft, DraftAnswer, Question } from '../../sessions/question/index.js';

/** An untouched answer. */
export const EMPTY_ANSWER: DraftAnswer = { selected: [], isOther: false, text: '', isConfirmed: false };

/** The draft's answers: always one per question, and only with labels that still exist. */
export function answersFromDraft(questions: readonly Question[], draft: Draft | undefined): DraftAnswer[] {
  return questions.map((question, index) => {
    const kept = draft?.answers[index];
    if (kept === undefined) return EMPTY_ANSWER;
    const labels = question.options.map((option) => option.label);
    return { ...kept, selected: kept.selected.filter((label) => labels.includes(label)) };
  });
}

/** Chooses or toggles an option. With single choice the other choices are cleared, own words too (they stay in the draft). */
export function choose(question: Question, answer: DraftAnswer, label: string): DraftAnswer {
  if (question.multiSelect !== true) return { ...answer, selected: [label], isOther: false };
  const isChosen = answer.selected.includes(label);
  const selected = isChosen
    ? answer.selected.filter((other) => other !== label)
    : [...answer.selected, label];
  return { ...answer, selected };
}

/** Switches to the person's own words. With single choice they replace the chosen option. */
export function chooseOther(question: Question, answer: DraftAnswer): DraftAnswer {
  return { ...answer, isOther: true, ...(question.multiSelect === true ? {} : { selected: [] }) };
}

/** Whether the person did anything with it. */
export function isTouched(answer: DraftAnswer): boolean {
  return answer.selected.length > 0 || answer.isOther || answer.text !== '' || answer.isConfirmed;
}

/** What prevents an answer from being given. The surface provides the words, which may name its keys. */
export type Fault =
  /** Own words are chosen, but none are written. */
  | 'no-words'
  | 'nothing-chosen'
  /** Choosing none of several options is an answer too, but only once the person confirms it. */
  | 'none-not-confirmed'
  /** Part of the question has not been on screen yet. */
  | 'unread'
  /** The answer was sent and refused with this message. */
  | { readonly refused: string };

/** What is wrong with an answer, or undefined when it can be given. */
export function faultIn(question: Question, answer: DraftAnswer): Fault | undefined {
  if (answer.isOther && answer.text.trim() === '') return 'no-words';
  if (answer.selected.length > 0 || answer.isOther) return undefined;
  if (question.multiSelect !== true) return 'nothing-chosen';
  return answer.isConfirmed ? undefined : 'none-not-confirmed';
}

/** The answers in the form in which they are submitted. */
export function toAnswerInputs(
  questions: readonly Question[],
  answers: readonly DraftAnswer[],
): AnswerInput[] {
  return questions.map((question, questionIndex) => {
    const { selected, isOther, text } = answers[questionIndex] ?? EMPTY_ANSWER;
    const [only] = selected;
    return {
      questionIndex,
      ...(question.multiSelect === true
        ? { selectedOptions: selected }
        : only === undefined
          ? {}
          : { selectedOption: only }),
      ...(isOther ? { customText: text } : {}),
    };
  });
}

/** The index of the recommended option, found by the mark in its label. */
export function recommendedIndex(question: Question): number {
  return question.options.findIndex((option) => /[([]\s*(recommended|추천)\s*[)\]]/i.test(option.label));
}
