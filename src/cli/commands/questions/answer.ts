import {
  firstIssue,
  isHoldfastError,
  shellWord,
  visibleExcerpt,
  visibleJson,
} from '../../../foundation/index.js';
import {
  AnswerInput,
  answerQuestions,
  InvalidAnswerError,
  InvalidSessionIdError,
  inOneLine,
  isPermission,
  listQuestions,
  type Question,
  type QuestionDeskParts,
  type QuestionReport,
  type QuestionView,
  rejectQuestions,
} from '../../../sessions/question/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { type OpenQuestions, openQuestions } from '../../fleet.js';
import { renderDecision } from '../../render/questions.js';
import { offerResume } from './offer-resume.js';
import { parseInput } from './parse-input.js';
import { tellHeard } from './tell-heard.js';

export const answer = defineCommand({
  operation: answerQuestions,
  usage: 'answer [session] [option]',
  details:
    'Without a session, or with only the label of an option, it answers the one set that is waiting. The first\n' +
    'answer wins. An option is its label or its number.\n' +
    'With several questions write --option and --text as <number>=<value>, counted from 1 as `questions show` prints them;\n' +
    'only --answers counts from 0. Your own words deny a permission and are passed on to the agent. If the run that asked is\n' +
    'gone, the command offers to restart it; without a terminal --resume does that.',
  options: {
    option: { type: 'strings', value: '<label>', about: 'choose this option (repeat it for multi-select)' },
    text: { type: 'strings', value: '<text>', about: 'answer in your own words, with or without an option' },
    answers: {
      type: 'string',
      value: '<json>',
      about: 'all answers as JSON, keyed by question index, the first being 0',
    },
    reject: { type: 'boolean', about: 'reject the set instead' },
    reason: { type: 'string', value: '<text>', about: 'why it is rejected' },
    resume: { type: 'boolean', about: 'restart the run that asked, if no process is running it' },
  },
  examples: [
    'holdfast answer --option Yes',
    'holdfast answer 3f2a Yes',
    'holdfast answer Postgres',
    'holdfast answer 3f2a --option 1=Postgres --option 2=3 --text "2=but not on Fridays"',
    'holdfast answer 3f2a --answers \'{"0":{"selectedOption":"Yes"},"1":{"selectedOptions":["A","B"]}}\'',
    'holdfast answer 3f2a --option Yes --resume',
    'holdfast answer 3f2a --reject --reason "ask me tomorrow"',
  ],
  async run(context, { positionals: [typed, choice], values: given }) {
    const { terminal, isJson } = context;
    const isAnswered = choice !== undefined || given.option.length > 0;
    const isTyped = isAnswered || given.text.length > 0 || given.answers !== undefined;
    if (given.reject && isTyped) throw new UsageError('Answer, or use --reject, but not both');
    if (given.reason !== undefined && !given.reject) throw new UsageError('--reason goes with --reject');
    await using open = await openQuestions(context);
    const { questions } = open;
    const [session, option] = await meant();
    const values = { ...given, option: option === undefined ? given.option : [option, ...given.option] };
    const isAnswer = isTyped || option !== undefined;
    if (values.reject) {
      const reason = values.reason ?? null;
      const report = await perform(context, rejectQuestions, open, { session, reason });
      return tell(report, `Rejected ${session}${lateNote(report, undefined)}`);
    }
    const prompted = isAnswer ? undefined : await fromTerminal(await questions.get(session));
    if (!isAnswer && prompted === undefined) return ExitCode.needsPerson;
    let before: QuestionView | undefined;
    const answerIt = (isLookedAt: boolean) =>
      perform(context, answerQuestions, open, {
        session,
        answers: (asked, set) => {
          if (!isLookedAt && mayBeOutdated(set)) throw new Withdrawn(set);
          before ??= set;
          return prompted ?? fromOptions(asked, values);
        },
      });
    // The set is read once, under its lock; only one that may be outdated is examined more closely.
    const report = await answerIt(false).catch(async (error: unknown) => {
      if (!(error instanceof Withdrawn)) throw error;
      await refuseOutdated(error.set);
      return answerIt(true);
    });
    return tell(report, `Answered ${session}${lateNote(report, before)}\n\n${renderDecision(report)}`);

    /** The set and the option typed after it; or the option alone, if just one set is waiting and has it. */
    async function meant(): Promise<[session: string, option: string | undefined]> {
      if (typed === undefined) return [await theOneThatWaits(context, open), undefined];
      const mayBeOption =
        choice === undefined && given.option.length === 0 && given.answers === undefined && !given.reject;
      const only = mayBeOption ? await waitingWith(context, open, typed) : undefined;
      return only === undefined ? [await resolved(context, open, typed), choice] : [only, typed];
    }

    /** Shows what was done, and deals with the run that asked. */
    async function tell(decided: QuestionReport, words: string): Promise<ExitCode> {
      if (decided.machine !== undefined) return tellRemote(context, decided, words);
      if (decided.asker?.hook !== undefined) return tellHeard(context, decided, words);
      return tellWhatNext(decided, words);
    }

    async function tellWhatNext(told: QuestionReport, words: string): Promise<ExitCode> {
      const offer = await offerResume(context, told);
      const run = offer.run === null ? {} : { run: offer.run };
      if (isJson) terminal.write(visibleJson({ success: true, ...told, ...run }));
      else terminal.write(words);
      return offer.settle({ isWanted: values.resume });
    }

    async function fromTerminal(set: QuestionView): Promise<AnswerInput[] | undefined> {
      if (!terminal.isInteractive) {
        throw new UsageError('No answer given', {
          hint: 'Use --option, --text, --answers or --reject; see --help.',
        });
      }
      if (mayBeOutdated(set)) await refuseOutdated(set);
      const { promptAnswers } = await import('./prompt-answers.js');
      return promptAnswers(set.questions, context.signal, { isPermission: isPermission(set) });
    }
  },
});

/** Shows the reply of another machine, or that there is none yet. Restarting the run that asked is up to that machine. */
function tellRemote({ terminal, isJson }: CommandContext, decided: QuestionReport, words: string): ExitCode {
  const { machine = '', onItsWay } = decided;
  if (isJson) terminal.write(visibleJson({ success: true, ...decided }));
  else if (onItsWay === undefined) terminal.write(`${words}\n\nArrived on ${visibleExcerpt(machine, 63)}.`);
  else
    terminal.write(
      `On its way to ${visibleExcerpt(machine, 63)}, which has not taken it yet. \`holdfast fleet status\` shows when it has; ` +
        `take it back with: holdfast fleet take-back ${onItsWay.request.slice(0, 8)}`,
    );
  return ExitCode.done;
}

/** The run that asked may have withdrawn this set itself. */
class Withdrawn extends Error {
  readonly set: QuestionView;

  constructor(set: QuestionView) {
    super('withdrawn');
    this.set = set;
  }
}

function mayBeOutdated({ outcome, asker }: QuestionView): boolean {
  return outcome.status === 'abandoned' && asker?.session !== undefined;
}

/** Refuses to answer what a run itself asked and withdrew: the answer would not be heard. */
async function refuseOutdated(set: QuestionView): Promise<void> {
  const { refuseWithdrawn } = await import('../run/resume-run.js');
  refuseWithdrawn(set);
}

/** The one waiting set, if the typed word is not an id and is one of its options. */
async function waitingWith(
  context: CommandContext,
  open: QuestionDeskParts,
  typed: string,
): Promise<string | undefined> {
  if (isIdLike(typed)) return undefined;
  const [only, ...others] = await waitingSets(context, open);
  const first = only?.questions.length === 1 ? only.questions[0] : undefined;
  // A number alone could mean anything.
  const isMeant = others.length === 0 && first?.options.some(({ label }) => label === typed);
  return isMeant === true ? only?.sessionId : undefined;
}

/** Whether it can be the start of an id, at least 4 characters. */
function isIdLike(typed: string): boolean {
  return /^[0-9a-f-]{4,36}$/i.test(typed);
}

/** The sets that are waiting for an answer, here and elsewhere, and have none on its way. */
async function waitingSets(context: CommandContext, open: QuestionDeskParts): Promise<QuestionReport[]> {
  const all = await perform(context, listQuestions, open, {});
  return all.filter(({ onItsWay }) => onItsWay === undefined);
}

/** The set that was named. If no set can have that name, the error lists what is waiting. Throws as `resolve`. */
async function resolved(context: CommandContext, open: QuestionDeskParts, typed: string): Promise<string> {
  try {
    return await open.questions.resolve(typed);
  } catch (error) {
    if (isHoldfastError(error, 'FLEET_UNREACHABLE'))
      throw (await import('../../../app/fleet/open-fleet.js')).notStored(error);
    if (!(error instanceof InvalidSessionIdError)) throw error;
    const waiting = await perform(context, listQuestions, open, {});
    const hint = waiting.length === 0 ? 'Nothing is waiting for an answer.' : waitingHint(waiting, typed);
    throw new InvalidSessionIdError(typed, error.why, hint);
  }
}

/** Lists the waiting sets and how to answer one: the one with the option, if only that was typed. */
function waitingHint(waiting: readonly QuestionReport[], typed?: string): string {
  const rows = waiting
    .slice(0, 10)
    .map(
      ({ sessionId, questions: [first] }) =>
        `  ${sessionId.slice(0, 8)}  ${visibleExcerpt(inOneLine(first?.prompt ?? ''), 60)}`,
    );
  const meant = waiting.find(
    ({ questions: [first, second] }) =>
      first !== undefined && second === undefined && isOption(first, typed ?? ''),
  );
  const example = `${(meant ?? waiting[0])?.sessionId.slice(0, 8)}${meant ? ` ${shellWord(typed ?? '')}` : ''}`;
  if (waiting.length > rows.length) rows.push('  …');
  return `${rows.join('\n')}\nFor example: holdfast answer ${example}`;
}

/** The only pending set, when none was named. Throws USAGE. */
async function theOneThatWaits(context: CommandContext, open: OpenQuestions): Promise<string> {
  const waiting = await waitingSets(context, open);
  const [only] = waiting;
  open.tellTrouble();
  if (only !== undefined && waiting.length === 1) return only.sessionId;
  if (only === undefined)
    throw new UsageError('Nothing is waiting for an answer', {
      hint: 'To answer a set that timed out or was withdrawn, give its id; `holdfast questions list --all` shows it.',
    });
  throw new UsageError(`${waiting.length} question sets are waiting for an answer: say which`, {
    hint: waitingHint(waiting),
  });
}

/** A note that the asker may no longer be looking for the answer. */
function lateNote({ late }: QuestionReport, before: QuestionView | undefined): string {
  if (!late) return '';
  const reason = before?.outcome.status === 'abandoned' ? before.outcome.reason : undefined;
  const state =
    reason !== undefined
      ? `been withdrawn (${visibleExcerpt(reason, 80)})`
      : before?.outcome.status === 'timed_out'
        ? 'timed out'
        : 'timed out or been withdrawn';
  return `, late: the set had ${state}. The answer is kept for whoever collects it.`;
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
  const chosen = values.option.map((text) => splitIndex(questions, withoutNumber(questions, text)));
  const texts = values.text.map((text) => splitIndex(questions, text));
  return questions.flatMap((question, questionIndex) => {
    const labels = chosen
      .filter(([index]) => index === questionIndex)
      .map(([, value]) => labelOf(question, value));
    const [own, second] = texts.filter(([index]) => index === questionIndex).map(([, value]) => value);
    if (second !== undefined) throw new UsageError(`Two texts for question ${questionIndex + 1}`);
    if (labels.length === 0 && own === undefined) return [];
    if (labels.length > 1 && question.multiSelect !== true) {
      throw new UsageError(`Question ${questionIndex + 1} takes one option`);
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

const ANSWERS_HINT = `Give them by the index of their question, the first being 0, such as: --answers '{"0":{"selectedOption":"Yes"}}'`;

function fromJson(text: string): AnswerInput[] {
  return Object.entries(parseInput('--answers', text, ANSWERS_HINT)).map(([index, answer]) => {
    if (!/^\d{1,4}$/.test(index)) {
      throw new UsageError(`--answers: ${JSON.stringify(visibleExcerpt(index, 40))} is not a question index`);
    }
    const result = AnswerInput.omit({ questionIndex: true }).safeParse(answer);
    if (result.success) return { questionIndex: Number(index), ...result.data };
    const { place, reason } = firstIssue(result.error);
    throw new UsageError(`--answers: question index ${index}: ${place} ${reason}`);
  });
}

/** `1=Yes` is valid for a single question, too, unless an option has exactly that label. */
function withoutNumber([only, ...others]: readonly Question[], text: string): string {
  const isMeant = only !== undefined && others.length === 0 && !isOption(only, text);
  return isMeant && text.startsWith('1=') ? text.slice(2) : text;
}

/** `2=text` is for the second question, index 1; with a single question the whole text is the value. */
function splitIndex(questions: readonly Question[], text: string): [number, string] {
  if (questions.length === 1) return [0, text];
  const match = /^(\d{1,4})=(.*)$/s.exec(text);
  if (match === null) {
    throw new UsageError(`Which question does ${JSON.stringify(visibleExcerpt(text, 40))} answer?`, {
      hint: 'With several questions write <number>=<value>, the first being 1, such as: --option 1=Yes',
    });
  }
  const index = Number(match[1]) - 1;
  if (questions[index] === undefined)
    throw new UsageError(`There is no question ${match[1]}: they are numbered from 1 to ${questions.length}`);
  return [index, match[2] ?? ''];
}

function isOption({ options }: Question, value: string): boolean {
  return options.some(({ label }) => label === value) || numbered(options, value) !== undefined;
}

function numbered(options: Question['options'], value: string): Question['options'][number] | undefined {
  return /^\d{1,3}$/.test(value) ? options[Number(value) - 1] : undefined;
}

function labelOf(question: Question, value: string): string {
  if (question.options.some((option) => option.label === value)) return value;
  const byNumber = numbered(question.options, value);
  if (byNumber !== undefined) return byNumber.label;
  const options = question.options.map(({ label }, at) => `${at + 1} ${visibleExcerpt(label, 40)}`);
  throw new InvalidAnswerError(
    `There is no option ${JSON.stringify(visibleExcerpt(value, 80))}. Options: ${options.join(', ')}.`,
  );
}
