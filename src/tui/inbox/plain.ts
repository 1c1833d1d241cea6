import { createInterface, type Interface } from 'node:readline';
import {
  barred,
  isHoldfastError,
  messageOf,
  rowsOf,
  visibleExcerpt,
  visibleLabel,
  visibleLine,
} from '../../foundation/index.js';
import {
  answersFromDraft,
  EMPTY_ANSWER,
  faultIn,
  isTouched,
  toAnswerInputs,
} from '../../models/inbox/index.js';
import {
  type DraftAnswer,
  isPermission,
  isWaiting,
  type Question,
  type QuestionView,
} from '../../sessions/question/index.js';
import type { InboxResult } from './controller.js';
import type { OpenInboxOptions } from './open.js';

/** The inbox as numbered prompts, line by line: nothing is redrawn, nothing depends on colours. */
export async function openInbox(options: OpenInboxOptions): Promise<InboxResult> {
  const { questions, stdout, signal } = options;
  const input = createInterface({ input: options.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  const left = aborted(signal);
  const columns = () => (stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY);
  const say = (text: string) => void stdout.write(`${rowsOf(text, columns()).join('\n')}\n`);
  const ask = async (prompt: string): Promise<string | undefined> => {
    stdout.write(`${prompt} `);
    const next = await Promise.race([lines.next(), left]);
    if (next !== undefined && !next.done) return next.value;
    say('');
    return undefined;
  };
  const result = { answered: [] as string[], rejected: [] as string[] };
  const skipped = new Set<string>();
  try {
    for (;;) {
      const view = await nextSet(options, skipped);
      if (view === undefined) {
        say(
          result.answered.length + result.rejected.length === 0
            ? 'Nothing is waiting for you.'
            : 'Nothing else is waiting for you.',
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
  const views = await options.questions.listLive();
  if (options.sessionId !== undefined)
    return views.find((view) => view.id === options.sessionId && !skipped.has(view.id));
  return views.find((view) => isWaiting(view) && !skipped.has(view.id));
}

type Done = 'answered' | 'rejected' | 'skipped' | 'left';

function onMachine({ machine }: QuestionView): string {
  return machine === undefined ? '' : ` on ${visibleLabel(machine)}`;
}

async function handleSet(dialogue: Dialogue, view: QuestionView): Promise<Done> {
  const { questions, say, ask } = dialogue;
  const count = view.questions.length;
  const kept = isPermission(view) ? 'gone' : 'gone; the answer is kept for it';
  const gone = view.isAskerGone === true ? ` (${kept})` : '';
  say(
    `Question set ${view.id.slice(0, 8)} from ${visibleLabel(view.asker?.agent ?? 'unknown')}${gone}${onMachine(view)}: ${count} question${count === 1 ? '' : 's'}.`,
  );
  const answers = answersFromDraft(view.questions, questions.readDraft(view.id));
  for (const [index, question] of view.questions.entries()) {
    say('');
    say(`Question ${index + 1} of ${count}: ${visibleLabel(question.title)}`);
    const reply = await askQuestion(dialogue, question, answers[index] ?? EMPTY_ANSWER);
    if (reply === 'left' || reply === 'skipped') return reply;
    if ('reason' in reply) return reject(dialogue, view, reply.reason);
    answers[index] = { ...reply.answer, isConfirmed: true };
    keep(dialogue, view, answers, Math.min(index + 1, count - 1));
  }
  say('');
  for (const [index, question] of view.questions.entries())
    say(`  ${visibleLabel(question.title)}: ${inWords(question, answers[index] ?? EMPTY_ANSWER)}`);
  const sure = await ask(
    'Send these answers? Type y to send, anything else to skip and keep them as a draft:',
  );
  if (sure === undefined) return 'left';
  if (sure.trim().toLowerCase() !== 'y') return 'skipped';
  return attempt(dialogue, async () => {
    const answered = await questions.answer(view.id, toAnswerInputs(view.questions, answers));
    questions.discardDraft(view.id);
    if (answered.outcome.status === 'completed') say(`Answered ${view.id.slice(0, 8)}.`);
    return 'answered';
  });
}

type Reply = { readonly answer: DraftAnswer } | { readonly reason: string } | 'skipped' | 'left';

async function askQuestion({ say, ask }: Dialogue, question: Question, draft: DraftAnswer): Promise<Reply> {
  const isMulti = question.multiSelect === true;
  say(barred(question.prompt, '| '));
  for (const [number, option] of question.options.entries()) {
    say(
      `${number + 1}. ${visibleLabel(option.label)}${option.description ? `: ${visibleLabel(option.description)}` : ''}`,
    );
  }
  const hasDraft = isTouched(draft) && faultIn(question, draft) === undefined;
  if (hasDraft) say(`Your draft: ${inWords(question, draft)}`);
  say(
    `${isMulti ? 'Numbers separated by commas, or nothing for none; add o' : 'A number; o'} for your own words;${hasDraft ? ' d for your draft;' : ''} r to reject; s to skip; q to leave.`,
  );
  for (;;) {
    const line = (await ask('Your answer:'))?.trim();
    if (line === undefined || line === 'q') return 'left';
    if (line === 's') return 'skipped';
    if (line === 'd' && hasDraft) return { answer: draft };
    if (line === 'r') {
      const reason = (await ask('Why? Leave it empty for no reason, or type b to go back:'))?.trim();
      if (reason === undefined) return 'left';
      if (reason !== 'b') return { reason };
      continue;
    }
    const chosen = parseChoice(question, line);
    if (chosen === undefined) {
      say(`That is not ${isMulti ? 'a list of numbers' : 'a number'} from 1 to ${question.options.length}.`);
      continue;
    }
    if (!chosen.isOther) return { answer: { ...draft, ...chosen } };
    const text = await ask('In your own words:');
    if (text === undefined) return 'left';
    if (text.trim() !== '') return { answer: { ...draft, ...chosen, text } };
    say('Nothing was typed.');
  }
}

function parseChoice(
  question: Question,
  line: string,
): Pick<DraftAnswer, 'selected' | 'isOther'> | undefined {
  const parts = line
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const numbers = parts.filter((part) => part !== 'o');
  const selected = numbers.map((part) =>
    /^\d{1,3}$/.test(part) ? question.options[Number(part) - 1]?.label : undefined,
  );
  if (!selected.every((label) => label !== undefined)) return undefined;
  if (question.multiSelect !== true && parts.length !== 1) return undefined;
  return { selected: [...new Set(selected)], isOther: parts.includes('o') };
}

function inWords(question: Question, answer: DraftAnswer): string {
  const own = answer.isOther ? [`in your own words: ${visibleExcerpt(answer.text, 200)}`] : [];
  const chosen = question.options.filter(({ label }) => answer.selected.includes(label));
  const parts = [...chosen.map(({ label }) => visibleLabel(label)), ...own];
  return parts.length === 0 ? '(No selection)' : parts.join(', ');
}

/** Saves what was answered so far, in case the person leaves before the end. */
function keep(
  { questions, say }: Dialogue,
  view: QuestionView,
  answers: DraftAnswer[],
  questionIndex: number,
): void {
  try {
    questions.saveDraft(view.id, { questionIndex, answers, rejectionReason: '' });
  } catch (error) {
    say(`The draft could not be saved: ${visibleLine(messageOf(error))}`);
  }
}

async function reject(dialogue: Dialogue, view: QuestionView, reason: string): Promise<Done> {
  return attempt(dialogue, async () => {
    await dialogue.questions.reject(view.id, reason === '' ? null : reason);
    dialogue.questions.discardDraft(view.id);
    dialogue.say('Rejected.');
    return 'rejected';
  });
}

/** Reports an answer that lost the race or a set that is gone; the person continues with the next one. */
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
