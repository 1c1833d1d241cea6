import { visibleExcerpt } from '../../foundation/index.js';
import { InvalidAnswerError } from './errors.js';
import type { AnswerInput, Question, UserAnswer } from './schema.js';
import { bareAnswer } from './state.js';

const MAX_TEXT_CHARACTERS = 256 * 1024;

/**
 * Checks answers against their questions and normalizes them: one entry per question in order, the selections of a
 * multi-select question in the order of its options. Throws INVALID_ANSWER; it guesses nothing.
 */
export function checkAnswers(
  questions: readonly Question[],
  answers: readonly AnswerInput[],
  timestamp: string,
): UserAnswer[] {
  if (answers.length === 0) throw new InvalidAnswerError('No answers provided');
  const byQuestion = new Map<number, AnswerInput>();
  for (const answer of answers) {
    const { questionIndex } = answer;
    if (questions[questionIndex] === undefined) throw noSuchQuestion(questionIndex);
    if (byQuestion.has(questionIndex)) refuse(questionIndex, 'is answered twice');
    byQuestion.set(questionIndex, answer);
  }
  return questions.map((question, index) => {
    const answer = byQuestion.get(index);
    if (answer === undefined) return refuse(index, 'has no answer');
    return { ...checkAnswer(question, answer), timestamp };
  });
}

/**
 * Checks that answers on disk match these questions: indices, labels, and some content in each. AUQ may write fewer
 * entries than questions, or two for one question; both can be read. Throws INVALID_ANSWER.
 */
export function assertFits(questions: readonly Question[], answers: readonly UserAnswer[]): void {
  if (answers.length === 0) throw new InvalidAnswerError('No answers provided');
  for (const { questionIndex, selectedOption, selectedOptions, customText } of answers) {
    const question = questions[questionIndex];
    if (question === undefined) throw noSuchQuestion(questionIndex);
    for (const label of [selectedOption, ...(selectedOptions ?? [])]) {
      if (label !== undefined) checkLabel(question, questionIndex, label);
    }
    if (selectedOption === undefined && selectedOptions === undefined && !customText)
      throw saysNothing(questionIndex);
  }
}

/** Whether two accepted answers say the same thing, regardless of when they were given. */
export function isSameAnswer(a: readonly UserAnswer[], b: readonly UserAnswer[]): boolean {
  const bare = (answers: readonly UserAnswer[]) => JSON.stringify(answers.map(bareAnswer));
  return bare(a) === bare(b);
}

function checkAnswer(question: Question, answer: AnswerInput): AnswerInput {
  const { questionIndex } = answer;
  const isMulti = question.multiSelect === true;
  if (answer.selectedOption !== undefined && answer.selectedOptions !== undefined) {
    refuse(questionIndex, 'has both selectedOption and selectedOptions');
  }
  if (!isMulti && answer.selectedOptions !== undefined) {
    refuse(questionIndex, 'takes one option: use selectedOption');
  }
  const selected =
    answer.selectedOptions ?? (answer.selectedOption === undefined ? [] : [answer.selectedOption]);
  for (const label of selected) checkLabel(question, questionIndex, label);
  const customText = checkText(questionIndex, answer.customText);
  if (answer.selectedOption === undefined && answer.selectedOptions === undefined && customText === undefined)
    throw saysNothing(questionIndex);
  const labels = new Set(question.options.map((option) => option.label));
  const inOrder = [...labels].filter((label) => selected.includes(label));
  const [only] = inOrder;
  return {
    questionIndex,
    ...(isMulti ? { selectedOptions: inOrder } : only === undefined ? {} : { selectedOption: only }),
    ...(customText === undefined ? {} : { customText }),
  };
}

function checkLabel(question: Question, questionIndex: number, label: string): void {
  if (question.options.some((option) => option.label === label)) return;
  throw new InvalidAnswerError(
    `Answer for question ${questionIndex + 1} references non-existent option: ${visibleExcerpt(label, 80)}`,
    questionIndex,
  );
}

function checkText(questionIndex: number, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length > MAX_TEXT_CHARACTERS)
    refuse(questionIndex, `has a text longer than ${MAX_TEXT_CHARACTERS} characters`);
  return text;
}

function noSuchQuestion(questionIndex: number): InvalidAnswerError {
  return new InvalidAnswerError(`Answer references invalid question index: ${questionIndex}`, questionIndex);
}

function saysNothing(questionIndex: number): InvalidAnswerError {
  return new InvalidAnswerError(
    `Answer for question ${questionIndex + 1} has neither selectedOption, selectedOptions, nor customText`,
    questionIndex,
  );
}

function refuse(questionIndex: number, reason: string): never {
  throw new InvalidAnswerError(`Question ${questionIndex + 1} ${reason}`, questionIndex);
}
