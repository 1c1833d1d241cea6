import { visibleLine } from '../../foundation/index.js';
import { assertFits } from './check-answers.js';
import { InvalidAnswerError } from './errors.js';
import { escapeText } from './quote-text.js';
import type { Question, UserAnswer } from './schema.js';
import type { QuestionView } from './view.js';

/**
 * Answers as the agent reads them: each question numbered, each choice on its own line after `→`. No text from an agent
 * or a person can start a line of its own here. Throws INVALID_ANSWER if the answers do not fit the questions.
 */
export function formatAnswers(questions: readonly Question[], answers: readonly UserAnswer[]): string {
  assertFits(questions, answers);
  const blocks = questions.map((question, index) => {
    const own = answers.filter((answer) => answer.questionIndex === index);
    const lines = own.flatMap((answer) => formatAnswer(question, answer));
    return [
      `${index + 1}. ${visibleLine(question.prompt)}`,
      ...(lines.length > 0 ? lines : [NO_ANSWER]),
    ].join('\n');
  });
  return `Here are the user's answers:\n\n${blocks.join('\n\n')}`;
}

/**
 * The same for any contents of the files. Answers that do not fit their questions (another program wrote them, or the
 * questions can no longer be read) are shown as given, with what is wrong. An outcome is never withheld.
 */
export function describeAnswers(questions: readonly Question[], answers: readonly UserAnswer[]): string {
  try {
    return formatAnswers(questions, answers);
  } catch (error) {
    if (!(error instanceof InvalidAnswerError)) throw error;
    const blocks = answers.map((answer) => {
      const question = questions[answer.questionIndex] ?? UNREADABLE;
      return [
        `${answer.questionIndex + 1}. ${visibleLine(question.prompt)}`,
        ...formatAnswer(question, answer),
      ].join('\n');
    });
    const warning = `The answers do not fit the questions (${visibleLine(error.message)}). As they were given:`;
    return [warning, ...blocks].join('\n\n');
  }
}

/** The outcome of a set in one line, without the questions; null while it is pending. */
export function outcomeInWords({
  outcome,
  questions,
}: Pick<QuestionView, 'outcome' | 'questions'>): string | null {
  switch (outcome.status) {
    case 'pending':
      return null;
    case 'completed': {
      const told = outcome.answers.map((answer) => {
        const number = questions.length > 1 ? `${answer.questionIndex + 1}. ` : '';
        return number + answerInWords(answer);
      });
      return told.length > 0 ? told.join('; ') : 'no answer';
    }
    case 'timed_out':
      return 'not answered in time';
    case 'rejected':
    case 'abandoned': {
      const word = outcome.status === 'rejected' ? 'rejected' : 'withdrawn';
      return outcome.reason === null || outcome.reason === ''
        ? word
        : `${word}: ${visibleLine(outcome.reason)}`;
    }
  }
}

const UNREADABLE: Question = { title: '', prompt: '(this question can no longer be read)', options: [] };
const NO_ANSWER = '→ No answer provided';

function answerInWords(answer: UserAnswer): string {
  const chosen = selectedIn(answer).map(visibleLine).join(', ');
  const { customText = '' } = answer;
  if (customText === '') return chosen === '' ? 'nothing chosen' : chosen;
  const own = `in their own words: '${escapeText(customText)}'`;
  return chosen === '' ? own : `${chosen}, and ${own}`;
}

function selectedIn({ selectedOptions, selectedOption }: UserAnswer): readonly string[] {
  return selectedOptions ?? (selectedOption === undefined ? [] : [selectedOption]);
}

function formatAnswer(question: Question, answer: UserAnswer): string[] {
  const lines = selectedIn(answer).map((label) => formatChoice(question, label));
  if (answer.customText !== undefined && answer.customText !== '') {
    lines.push(`→ Other: '${escapeText(answer.customText)}'`);
  }
  if (lines.length > 0) return lines;
  return [answer.selectedOptions === undefined ? NO_ANSWER : '→ (No selection)'];
}

function formatChoice(question: Question, label: string): string {
  const description = question.options.find((option) => option.label === label)?.description;
  const shown = visibleLine(label);
  return description === undefined || description === ''
    ? `→ ${shown}`
    : `→ ${shown} — ${visibleLine(description)}`;
}
