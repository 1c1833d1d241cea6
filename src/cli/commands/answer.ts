import { visibleExcerpt, visibleJson } from '../../foundation/index.js';
import {
  AnswerInput,
  InvalidAnswerError,
  isPermission,
  type Question,
  type QuestionView,
  rejectQuestions,
  reportOf,
} from '../../sessions/question/index.js';
import { defineCommand, UsageError } from '../command.js';
import { ExitCode } from '../exit-codes.js';
import { offerResume } from '../offer-resume.js';
import { parseInput } from '../parse-input.js';
import { renderDecision } from '../render/questions.js';

export default defineCommand({
  usage: 'answer <session>',
  summary: 'Answer a question set, or reject it',
  details:
    'The first answer wins; the same answer again is the same reply. With several questions, write --option and\n' +
    '--text as <index>=<value>, the first question being 0. An option is its label or its number (from 1).\n' +
    'At a terminal and without options it asks you, and shows all that is asked first. Words of your own deny a\n' +
    'permission, and the agent is told them. Where the run that asked is gone, it offers to start it again; without a\n' +
    'terminal --resume does that.',
  options: {
    option: { type: 'strings', value: '<label>', about: 'choose this option (repeat it for multi-select)' },
    text: { type: 'strings', value: '<text>', about: 'answer in your own words, with or without an option' },
    answers: { type: 'string', value: '<json>', about: 'all answers as JSON, keyed by question index' },
    reject: { type: 'boolean', about: 'reject the set instead' },
    reason: { type: 'string', value: '<text>', about: 'why it is rejected' },
    resume: { type: 'boolean', about: 'start the run that asked again, where no process runs it any more' },
  },
  examples: [
    'holdfast answer 3f2a --option Yes',
    'holdfast answer 3f2a --option 0=Postgres --option 1=2 --text "1=but not on Fridays"',
    'holdfast answer 3f2a --answers \'{"0":{"selectedOption":"Yes"},"1":{"selectedOptions":["A","B"]}}\'',
    'holdfast answer 3f2a --option Yes --resume',
    'holdfast answer 3f2a --reject --reason "ask me tomorrow"',
  ],
  async run(context, { positionals: [session = ''], values }) {
    const { services, terminal, signal, isJson } = context;
    const isAnswer = values.option.length > 0 || values.text.length > 0 || values.answers !== undefined;
    if (values.reject && isAnswer) throw new UsageError('Either answer or --reject, not both');
    if (values.reason !== undefined && !values.reject) throw new UsageError('--reason goes with --reject');
    if (values.reject) {
      const report = await rejectQuestions.run(services, { session, reason: values.reason ?? null });
      return tell(await services.questions.get(report.sessionId), `Rejected ${report.sessionId}`);
    }
    const { questions } = services;
    const id = questions.resolve(session);
    await refuseOutdated(await questions.get(id));
    const answers = isAnswer
      ? (asked: readonly Question[]) => fromOptions(asked, values)
      : await fromTerminal(await questions.get(id));
    if (answers === undefined) return ExitCode.needsPerson;
    const view = await questions.answer(id, answers);
    return tell(view, `Answered ${id}\n\n${renderDecision(reportOf(view))}`);

    /** What was done, and what about the run that asked. */
    async function tell(view: QuestionView, words: string): Promise<ExitCode> {
      const offer = await offerResume(context, view);
      const run = offer.run === null ? {} : { run: offer.run };
      if (isJson) terminal.write(visibleJson({ success: true, ...reportOf(view), ...run }));
      else terminal.write(words);
      return offer.settle({ isWanted: values.resume });
    }

    async function fromTerminal(set: QuestionView): Promise<AnswerInput[] | undefined> {
      if (!terminal.isInteractive) {
        throw new UsageError('No answer given', {
          hint: 'Use --option, --text, --answers or --reject; see --help.',
        });
      }
      const { promptAnswers } = await import('../prompt-answers.js');
      return promptAnswers(set.questions, signal, { isPermission: isPermission(set) });
    }
  },
});

/** What a run itself asked and withdrew is not answered: nobody would hear it. */
async function refuseOutdated(view: QuestionView): Promise<void> {
  if (view.outcome.status !== 'abandoned' || view.asker?.session === undefined) return;
  const { refuseWithdrawn } = await import('../../app/stopped-run.js');
  refuseWithdrawn(view);
}

interface AnswerValues {
  readonly option: readonly string[];
  readonly text: readonly string[];
  readonly answers: string | undefined;
}

function fromOptions(questions: readonly Question[], values: AnswerValues): AnswerInput[] {
  if (values.answers !== undefined) {
    if (values.option.length + values.text.length > 0) {
      throw new UsageError('--answers says everything: leave --option and --text out');
    }
    return fromJson(values.answers);
  }
  const chosen = values.option.map((text) => splitIndex(questions, text));
  const texts = values.text.map((text) => splitIndex(questions, text));
  return questions.flatMap((question, questionIndex) => {
    const labels = chosen
      .filter(([index]) => index === questionIndex)
      .map(([, value]) => labelOf(question, value));
    const [own, second] = texts.filter(([index]) => index === questionIndex).map(([, value]) => value);
    if (second !== undefined) throw new UsageError(`Two texts for question ${questionIndex}`);
    if (labels.length === 0 && own === undefined) return [];
    if (labels.length > 1 && question.multiSelect !== true) {
      throw new UsageError(`Question ${questionIndex} takes one option`);
    }
    const [label] = labels;
    return [
      {
        questionIndex,
        ...(question.multiSelect === true && labels.length > 0 ? { selectedOptions: labels } : {}),
        ...(question.multiSelect !== true && label !== undefined ? { selectedOption: label } : {}),
        ...(own === undefined ? {} : { customText: own }),
      },
    ];
  });
}

const ANSWERS_HINT = `Give them by the index of their question, such as: --answers '{"0":{"selectedOption":"Yes"}}'`;

function fromJson(text: string): AnswerInput[] {
  return Object.entries(parseInput('--answers', text, ANSWERS_HINT)).map(([index, answer]) => {
    if (!/^\d{1,4}$/.test(index)) {
      throw new UsageError(`--answers: ${JSON.stringify(visibleExcerpt(index, 40))} is not a question index`);
    }
    const result = AnswerInput.omit({ questionIndex: true }).safeParse(answer);
    if (result.success) return { questionIndex: Number(index), ...result.data };
    const issue = result.error.issues[0];
    throw new UsageError(`--answers: question ${index}: ${issue?.path.join('.')} ${issue?.message}`);
  });
}

/** `1=text` speaks of question 1; with a single question the whole text is the value. */
function splitIndex(questions: readonly Question[], text: string): [number, string] {
  if (questions.length === 1) return [0, text];
  const match = /^(\d{1,4})=(.*)$/s.exec(text);
  if (match === null) {
    throw new UsageError(`Which question does ${JSON.stringify(visibleExcerpt(text, 40))} answer?`, {
      hint: 'With several questions write <index>=<value>, the first being 0.',
    });
  }
  const index = Number(match[1]);
  if (questions[index] === undefined) throw new UsageError(`There is no question ${index}`);
  return [index, match[2] ?? ''];
}

function labelOf(question: Question, value: string): string {
  if (question.options.some((option) => option.label === value)) return value;
  const byNumber = /^\d{1,3}$/.test(value) ? question.options[Number(value) - 1] : undefined;
  if (byNumber !== undefined) return byNumber.label;
  const options = question.options.map(({ label }, at) => `${at + 1} ${visibleExcerpt(label, 40)}`);
  throw new InvalidAnswerError(
    `There is no option ${JSON.stringify(visibleExcerpt(value, 80))}. Options: ${options.join(', ')}.`,
  );
}
