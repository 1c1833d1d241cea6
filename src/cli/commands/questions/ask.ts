import { readTextFile } from '../../../app/base.js';
import { isPushKnown } from '../../../app/notices/push-known.js';
import { AbortedError, isHoldfastError, visibleExcerpt, visibleJson } from '../../../foundation/index.js';
import {
  type CreateInput,
  collectQuestions,
  createQuestions,
  type QuestionOutcome,
  reportOf,
  waitForQuestions,
} from '../../../sessions/question/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { asCaller, perform } from '../../command-of.js';
import { parseDuration } from '../../duration.js';
import { ExitCode } from '../../exit-codes.js';
import { holdLink, isWithoutLink } from '../../fleet.js';
import { renderOutcome } from '../../render/questions.js';
import { parseJson } from './parse-input.js';

const EXAMPLE =
  'holdfast ask \'{"questions":[{"title":"Deploy","prompt":"Deploy now?","options":[{"label":"Yes"},{"label":"No"}]}]}\'';
const PLAIN = 'holdfast ask "Deploy now?" --option Yes --option No';
const HINT = `Ask one question with its options: ${PLAIN}; or give JSON, such as: ${EXAMPLE}`;

export const ask = defineCommand({
  operation: createQuestions,
  usage: 'ask [questions]',
  details:
    'With --option the argument is one question in plain words. Otherwise it is JSON: {"questions":[{"title","prompt","options":[{"label","description"?}],"multiSelect"?}]},\n' +
    'only the list, or only one question; an option may be its label alone. It is given as the argument, with --file, or on\n' +
    'standard input. The question stays answerable whatever happens to\n' +
    'this command: collect a late answer with `holdfast questions collect <id>`.',
  options: {
    option: {
      type: 'strings',
      value: '<label>',
      about: 'an option of one plain question; give it twice or more',
    },
    title: { type: 'string', value: '<text>', about: 'the title of a plain question (default: Question)' },
    file: { type: 'string', value: '<path>', about: 'read the questions from a file' },
    noWait: { type: 'boolean', about: 'print the id and return at once' },
    timeout: { type: 'string', value: '<duration>', about: 'the set times out after this long, such as 10m' },
    agent: { type: 'string', value: '<name>', about: 'who asks, as the inbox shows it' },
    requestId: { type: 'string', value: '<id>', about: 'asking again with the same id is the same question' },
  },
  examples: [
    PLAIN,
    'holdfast ask \'{"title":"Deploy","prompt":"Deploy now?","options":["Yes","No"]}\'',
    'holdfast ask --file questions.json --timeout 30m',
    'id=$(holdfast ask --no-wait < questions.json); holdfast questions collect --wait "$id"',
  ],
  async run(context, { positionals, values }) {
    const { services, terminal, isJson } = context;
    const timeoutMs = values.timeout === undefined ? undefined : parseDuration(values.timeout);
    const text = await readQuestions(context, positionals[0], values.file);
    if (text.trim() === '') throw new UsageError('No questions given', { hint: HINT });
    const document = documentOf(text, values);
    // Options override the document.
    const set = {
      workingDirectory: services.workingDirectory,
      asker: { agent: 'holdfast ask' },
      ...document,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(values.requestId === undefined ? {} : { requestId: values.requestId }),
      ...(values.agent === undefined ? {} : { asker: { agent: values.agent } }),
      isWaiting: !values.noWait,
    };
    // Unchecked here: the sessions check every set and have better error messages.
    const report = await createQuestions.run(services, set as unknown as CreateInput, asCaller(context));
    // A command that does not wait holds no link.
    await using _link = values.noWait ? undefined : await holdLink(context);
    await using _notices = await openNotices(context);
    const id = report.sessionId;
    if (values.noWait) {
      terminal.write(isJson ? visibleJson(report) : id);
      if (await isWithoutLink(services)) terminal.note(UNSEEN);
      return ExitCode.done;
    }
    terminal.note(`Waiting for an answer to ${id} (holdfast answer ${id.slice(0, 8)})`);
    await waitOrLeave(id);
    let code: ExitCode = ExitCode.done;
    for await (const arrived of await perform(context, collectQuestions, services, { session: id })) {
      using delivery = arrived;
      const settled = reportOf(delivery.view);
      await terminal.deliver(isJson ? visibleJson(settled) : renderOutcome(settled));
      delivery.confirm();
      code = exitCodeOfOutcome(settled.status);
    }
    return code;

    async function waitOrLeave(sessionId: string): Promise<void> {
      try {
        await perform(context, waitForQuestions, services, { session: sessionId });
      } catch (error) {
        if (!isHoldfastError(error, 'ABORTED')) throw error;
        await services.questions.noteAsker(sessionId, 'gone');
        throw new AbortedError(`The wait for ${sessionId}`, {
          hint: `The question stays; collect a late answer with \`holdfast questions collect ${sessionId.slice(0, 8)}\`.`,
        });
      }
    }
  },
});

const UNSEEN =
  'No process keeps this machine in step with its fleet: other machines see the question when the next command runs here, such as ' +
  '`holdfast questions`. `holdfast worker --slots 0` keeps it in step always.';

/** Loads notice code only if the user configured a channel or a device asked for notices. */
async function openNotices(context: CommandContext): Promise<AsyncDisposable | undefined> {
  const { services } = context;
  const hasChannels = Object.keys(services.config.get('notices.channels')).length > 0;
  if (!hasChannels && !isPushKnown(services)) return undefined;
  return (await import('./ask-notices.js')).openNotices(context, { isBrief: true });
}

/** One plain question, or the JSON document. */
function documentOf(
  text: string,
  {
    option,
    title,
    file,
  }: { option: readonly string[]; title?: string | undefined; file?: string | undefined },
): Readonly<Record<string, unknown>> {
  if (option.length === 0) {
    if (title !== undefined) throw new UsageError('--title goes with --option', { hint: HINT });
    return setOf(parseQuestions(text));
  }
  if (file !== undefined) throw new UsageError('--option goes with a plain question, not with --file');
  const options = option.map((label) => ({ label }));
  return { questions: [{ title: title ?? 'Question', prompt: text, options }] };
}

function parseQuestions(text: string): unknown {
  if (!/^\s*[[{]/.test(text))
    throw new UsageError(`${JSON.stringify(visibleExcerpt(text, 60))} is a question without options`, {
      hint: HINT,
    });
  return parseJson('the questions', text, HINT);
}

/** Makes a set from a whole set, a list of questions, or one question. */
function setOf(given: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(given)) return { questions: given.map(withOptions) };
  const document = given as Readonly<Record<string, unknown>>;
  if ('prompt' in document && !('questions' in document)) return { questions: [withOptions(document)] };
  const { questions } = document;
  return Array.isArray(questions) ? { ...document, questions: questions.map(withOptions) } : document;
}

/** An option may be just its label. Mistakes are left for the check of the set. */
function withOptions(question: unknown): unknown {
  if (typeof question !== 'object' || question === null || !('options' in question)) return question;
  const { options } = question;
  if (!Array.isArray(options)) return question;
  return {
    ...question,
    options: options.map((option: unknown) => (typeof option === 'string' ? { label: option } : option)),
  };
}

/** The exit code that shows a script how its question ended. */
export function exitCodeOfOutcome(status: QuestionOutcome['status']): ExitCode {
  if (status === 'completed') return ExitCode.done;
  return status === 'pending' || status === 'timed_out' ? ExitCode.needsPerson : ExitCode.failed;
}

async function readQuestions(
  { services, terminal, signal }: CommandContext,
  argument: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (file !== undefined) {
    if (argument !== undefined)
      throw new UsageError('Give the questions as an argument or with --file, not both');
    return readTextFile(services, file);
  }
  if (argument !== undefined && argument !== '-') return argument;
  // Nobody types JSON by hand; waiting for it would look like waiting for the answer.
  if (argument === undefined && terminal.hasKeyboard) return '';
  return terminal.readStandardInput(signal);
}
