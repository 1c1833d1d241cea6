import { cancel, isCancel, multiselect, note, select, text } from '@clack/prompts';
import { visibleBlock, visibleLine } from '../../../foundation/index.js';
import type { AnswerInput, Question } from '../../../sessions/question/index.js';

const OTHER = Symbol('other');

/** Asks a person at the terminal, one question at a time; undefined when they leave. */
export async function promptAnswers(
  questions: readonly Question[],
  signal: AbortSignal,
  {
    isPermission = false,
    onLeave = 'Nothing was answered; the question stays.',
  }: { readonly isPermission?: boolean; readonly onLeave?: string } = {},
): Promise<AnswerInput[] | undefined> {
  const answers: AnswerInput[] = [];
  const other = isPermission
    ? 'Deny, and tell the agent why (in your own words)'
    : 'Other (in your own words)';
  for (const [questionIndex, question] of questions.entries()) {
    note(visibleBlock(question.prompt), visibleLine(question.title));
    const answer =
      question.multiSelect === true
        ? await promptSeveral(question, signal)
        : await promptOne(question, { other, isPermission }, signal);
    if (answer === undefined) {
      cancel(onLeave);
      return undefined;
    }
    answers.push({ questionIndex, ...answer });
  }
  return answers;
}

type Answer = Omit<AnswerInput, 'questionIndex'>;

async function promptOne(
  question: Question,
  { other, isPermission }: { readonly other: string; readonly isPermission: boolean },
  signal: AbortSignal,
): Promise<Answer | undefined> {
  // Enter alone must not allow anything.
  const denial = isPermission ? question.options.find(({ label }) => label === 'Deny') : undefined;
  const chosen = await select<string | typeof OTHER>({
    message: 'Your answer (arrow keys, then Enter)',
    options: [...choices(question), { value: OTHER, label: other }],
    ...(denial === undefined ? {} : { initialValue: denial.label }),
    signal,
  });
  if (isCancel(chosen)) return undefined;
  return typeof chosen === 'string' ? { selectedOption: chosen } : promptText(signal);
}

async function promptSeveral(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
  const chosen = await multiselect<string | typeof OTHER>({
    message: 'Your answer (Space to choose, Enter to continue)',
    options: [...choices(question), { value: OTHER, label: 'Other (in your own words)' }],
    required: false,
    signal,
  });
  if (isCancel(chosen)) return undefined;
  const selectedOptions = chosen.filter((value): value is string => typeof value === 'string');
  if (!chosen.includes(OTHER)) return { selectedOptions };
  const own = await promptText(signal);
  return own === undefined ? undefined : { selectedOptions, ...own };
}

async function promptText(signal: AbortSignal): Promise<Answer | undefined> {
  const typed = await text({
    message: 'In your own words',
    validate: (value) =>
      value === undefined || value === '' ? 'Type something, or press Esc to leave.' : undefined,
    signal,
  });
  return isCancel(typed) ? undefined : { customText: typed };
}

function choices(question: Question): { value: string | typeof OTHER; label: string; hint?: string }[] {
  return question.options.map((option) => ({
    value: option.label,
    label: visibleLine(option.label),
    ...(option.description ? { hint: visibleLine(option.description) } : {}),
  }));
}
