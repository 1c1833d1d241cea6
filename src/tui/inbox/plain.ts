import { createInterface, type Interface } from 'node:readline';
import { isHoldfastError, messageOf, visibleBlock, visibleLine } from '../../foundation/index.js';
import {
  type AnswerInput,
  formatAnswers,
  type Question,
  type QuestionView,
} from '../../sessions/question/index.js';
import type { InboxResult } from './controller.js';
import type { OpenInboxOptions } from './open.js';

/** The inbox as numbered prompts, one line after the other: nothing is redrawn, nothing depends on colours. */
export async function openInbox(options: OpenInboxOptions): Promise<InboxResult> {
  const { questions, stdout, signal } = options;
  const input = createInterface({ input: options.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  const say = (text: string) => void stdout.write(`${text}\n`);
  const ask = async (prompt: string): Promise<string | undefined> => {
    stdout.write(`${prompt} `);
    const next = await Promise.race([lines.next(), aborted(signal)]);
    return next === undefined || next.done ? undefined : next.value;
  };
  const result = { answered: [] as string[], rejected: [] as string[] };
  const skipped = new Set<string>();
  try {
    for (;;) {
      const view = await nextSet(options, skipped);
      if (view === undefined) {
        say(
          result.answered.length + result.rejected.length === 0
            ? 'Nothing waits on you.'
            : 'Nothing else waits on you.',
        );
        return result;
      }
      const done = await handleSet({ questions, say, ask }, view);
      if (done === 'left') return result;
      if (done === 'skipped') skipped.add(view.id);
      else result[done].push(view.id);
      if (options.isOnce || options.sessionId !== undefined) return result;
    }
  } finally {
    close(input, options.stdin);
  }
}

interface Dialogue {
  readonly questions: OpenInboxOptions['questions'];
  readonly say: (text: string) => void;
  readonly ask: (prompt: string) => Promise<string | undefined>;
}

async function nextSet(
  options: OpenInboxOptions,
  skipped: ReadonlySet<string>,
): Promise<QuestionView | undefined> {
  const views = await options.questions.list();
  if (options.sessionId !== undefined)
    return views.find((view) => view.id === options.sessionId && !skipped.has(view.id));
  return views.find((view) => view.outcome.status === 'pending' && !skipped.has(view.id));
}

type Done = 'answered' | 'rejected' | 'skipped' | 'left';

async function handleSet(dialogue: Dialogue, view: QuestionView): Promise<Done> {
  const { questions, say, ask } = dialogue;
  const count = view.questions.length;
  say(
    `Question set ${view.id.slice(0, 8)} from ${visibleLine(view.asker?.agent ?? 'unknown')}: ${count} question${count === 1 ? '' : 's'}.`,
  );
  const answers: AnswerInput[] = [];
  for (const [index, question] of view.questions.entries()) {
    const answer = await askQuestion(dialogue, question, index, count);
    if (answer === 'reject') return reject(dialogue, view);
    if (answer === 'left' || answer === 'skipped') return answer;
    answers.push({ questionIndex: index, ...answer });
  }
  const sure = await ask('Send these answers? Type y to send, anything else to skip:');
  if (sure === undefined) return 'left';
  if (sure.trim().toLowerCase() !== 'y') return 'skipped';
  return attempt(dialogue, async () => {
    const answered = await questions.answer(view.id, answers);
    if (answered.outcome.status === 'completed')
      say(visibleBlock(formatAnswers(view.questions, answered.outcome.answers)));
    return 'answered';
  });
}

type Reply = Omit<AnswerInput, 'questionIndex'> | 'reject' | 'skipped' | 'left';

async function askQuestion(
  { say, ask }: Dialogue,
  question: Question,
  index: number,
  count: number,
): Promise<Reply> {
  const isMulti = question.multiSelect === true;
  say('');
  say(`Question ${index + 1} of ${count}: ${visibleLine(question.title)}`);
  for (const line of visibleBlock(question.prompt).split('\n')) say(`| ${line}`);
  for (const [number, option] of question.options.entries()) {
    say(
      `${number + 1}. ${visibleLine(option.label)}${option.description ? `: ${visibleLine(option.description)}` : ''}`,
    );
  }
  say(
    `${isMulti ? 'Numbers with commas, or empty for none' : 'A number'}; o for your own words; r to reject; s to skip; q to leave.`,
  );
  for (;;) {
    const line = (await ask('Your answer:'))?.trim();
    if (line === undefined || line === 'q') return 'left';
    if (line === 's') return 'skipped';
    if (line === 'r') return 'reject';
    if (line === 'o') {
      const text = await ask('In your own words:');
      if (text === undefined) return 'left';
      if (text.trim() !== '')
        return isMulti ? { selectedOptions: [], customText: text } : { customText: text };
    }
    const labels = parseNumbers(question, line);
    const [only] = labels ?? [];
    if (labels !== undefined && isMulti) return { selectedOptions: labels };
    if (labels?.length === 1 && only !== undefined) return { selectedOption: only };
    say(`That is not ${isMulti ? 'a list of numbers' : 'a number'} from 1 to ${question.options.length}.`);
  }
}

function parseNumbers(question: Question, line: string): string[] | undefined {
  const parts = line
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const labels = parts.map((part) =>
    /^\d{1,3}$/.test(part) ? question.options[Number(part) - 1]?.label : undefined,
  );
  return labels.every((label) => label !== undefined) ? labels : undefined;
}

async function reject(dialogue: Dialogue, view: QuestionView): Promise<Done> {
  const reason = await dialogue.ask('Why? Leave it empty for no reason:');
  if (reason === undefined) return 'left';
  return attempt(dialogue, async () => {
    await dialogue.questions.reject(view.id, reason.trim() === '' ? null : reason.trim());
    dialogue.say('Rejected.');
    return 'rejected';
  });
}

/** An answer that lost the race, or a set that is gone, is told; the person goes on with the next one. */
async function attempt({ say }: Dialogue, action: () => Promise<Done>): Promise<Done> {
  try {
    return await action();
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    say(visibleLine(messageOf(error)));
    return 'skipped';
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function close(input: Interface, stdin: NodeJS.ReadStream): void {
  input.close();
  stdin.pause();
}
