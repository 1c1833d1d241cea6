import { InvalidInputError, visibleExcerpt } from '../../foundation/index.js';
import type { QuestionInput } from './schema.js';

/** How large a set may be. The outer bounds are 1 to 10 questions and 2 to 10 options per question. */
export interface QuestionLimits {
  readonly maxQuestions: number;
  readonly maxOptions: number;
}

export const DEFAULT_LIMITS: QuestionLimits = { maxQuestions: 5, maxOptions: 5 };
/** The widest limits that can be configured. */
export const OUTER_LIMITS: QuestionLimits = { maxQuestions: 10, maxOptions: 10 };
/** The maximum length of a whole set. A permission request must be shown in full or not asked, so it may be longer. */
const MAX_SET_CHARACTERS = 256 * 1024;
const MAX_PERMISSION_CHARACTERS = 4 * 1024 * 1024;

/** Refuses a set that a person could not answer. Throws INVALID_INPUT with the reason and the place. */
export function checkQuestions(
  questions: readonly QuestionInput[],
  limits: QuestionLimits,
  { isPermission = false }: { readonly isPermission?: boolean } = {},
): void {
  if (questions.length === 0) {
    throw new InvalidInputError('At least one question is required to create a session', {
      place: 'questions',
    });
  }
  if (questions.length > limits.maxQuestions) {
    refuse('questions', `${questions.length} questions are too many: at most ${limits.maxQuestions}`);
  }
  for (const [index, question] of questions.entries()) checkQuestion(question, `questions[${index}]`, limits);
  const maxCharacters = isPermission ? MAX_PERMISSION_CHARACTERS : MAX_SET_CHARACTERS;
  if (JSON.stringify(questions).length > maxCharacters) {
    refuse('questions', `the set is longer than ${maxCharacters} characters`);
  }
}

function checkQuestion(question: QuestionInput, place: string, limits: QuestionLimits): void {
  if (question.prompt.trim() === '') refuse(`${place}.prompt`, 'the prompt is empty');
  if (question.title.trim() === '') refuse(`${place}.title`, 'the title is empty');
  const count = question.options.length;
  if (count < 2)
    refuse(
      `${place}.options`,
      `${count === 1 ? 'one option is' : 'no options are'} not a choice: at least 2`,
    );
  if (count > limits.maxOptions)
    refuse(`${place}.options`, `${count} options are too many: at most ${limits.maxOptions}`);
  const seen = new Set<string>();
  for (const [index, option] of question.options.entries()) {
    const at = `${place}.options[${index}].label`;
    if (option.label.trim() === '') refuse(at, 'the label is empty');
    if (seen.has(option.label)) refuse(at, `the label "${visibleExcerpt(option.label, 60)}" appears twice`);
    seen.add(option.label);
  }
}

function refuse(place: string, reason: string): never {
  throw new InvalidInputError(`Invalid question set: ${place}: ${reason}`, {
    place,
    hint: 'Nothing was created. Correct the set and ask again.',
  });
}
