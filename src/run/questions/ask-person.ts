import { isHoldfastError } from '../../foundation/index.js';
import type { QuestionSessions, QuestionView } from '../../sessions/question/index.js';
import { questionEvent } from '../journal/events.js';
import type { RunParts } from '../run-parts.js';

/** A decision that is not the run's to take. */
export interface RunQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

/** What the person chose; `text` is what they wrote in their own words. */
export interface RunAnswer {
  readonly choice: string | null;
  readonly text: string | undefined;
}

/** What can be chosen wherever a run asks how to go on. */
export const CHANGE = 'Change the approach';
export const STOP = 'Stop';

/** What the agent is to be told after an answer. */
export function guidanceOf({ choice, text }: RunAnswer): string | undefined {
  if (text !== undefined && text !== '') return text;
  return choice === CHANGE ? 'Take another approach: what was tried so far does not work.' : undefined;
}

/** Who asks, where it is the run itself. */
export const RUN = 'holdfast run';

/**
 * Puts a question into the inbox and waits. One that an earlier process of the run asked in the same words is asked on,
 * and what was answered to it meanwhile counts. Null when nobody is there to be asked, the wait was called off or the
 * person rejected it; a question that nobody waits for any more is withdrawn.
 */
export async function askPerson(
  parts: RunParts,
  question: RunQuestion,
  signal: AbortSignal,
): Promise<RunAnswer | null> {
  const { questions, loop, journal, isUnattended } = parts;
  const { title, prompt } = question;
  const earlier = (await undecidedOrNew(questions, loop.state.sessionId)).find(
    ({ questions: [first] }) => first?.title === title && first.prompt === prompt,
  );
  const isDecided = earlier !== undefined && earlier.outcome.status !== 'pending';
  if (isUnattended && !isDecided) return null;
  const view = earlier ?? (await create(parts, question));
  const { id } = view;
  if (earlier?.outcome.status === 'pending') await questions.noteAsker(id, 'waiting');
  if (!isDecided) journal.record(questionEvent(view, 'run'));
  try {
    const outcome = await questions.wait(id, { signal });
    using delivery = await questions.collect(id);
    delivery.confirm();
    return outcome.status === 'completed' ? answerOf(outcome) : null;
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'ABORTED') throw error;
    await questions.cancel(id, 'the run is no longer waiting for it');
    return null;
  }
}

function create({ questions, projectDirectory, loop }: RunParts, question: RunQuestion) {
  const { title, prompt, options } = question;
  return questions.create([{ title, prompt, options: options.map((option) => ({ ...option })) }], {
    asker: { agent: RUN, session: loop.state.sessionId },
    workingDirectory: projectDirectory,
    isWaiting: true,
  });
}

function answerOf({ answers: [answer] }: Extract<QuestionView['outcome'], { status: 'completed' }>) {
  return { choice: answer?.selectedOption ?? null, text: answer?.customText };
}

/**
 * Sees to what the run itself asked and does not need to know any more, because it works: it is withdrawn. What a person
 * wrote in answer to it is guidance all the same.
 */
export async function leaveOwnQuestions({ questions, loop }: RunParts): Promise<void> {
  for (const { id, outcome } of await undecidedOrNew(questions, loop.state.sessionId)) {
    if (outcome.status === 'pending') {
      await questions.cancel(id, 'the run continues without the answer');
      continue;
    }
    const text = outcome.status === 'completed' ? answerOf(outcome).text : undefined;
    if (text !== undefined && text !== '') loop.guide(text);
    using delivery = await questions.collect(id);
    delivery.confirm();
  }
}

/** Whether a person has said how the run goes on, and it has not heard it yet. */
export async function isToldToGoOn(questions: QuestionSessions, sessionId: string): Promise<boolean> {
  const own = await undecidedOrNew(questions, sessionId);
  return own.some((view) => view.outcome.status === 'completed' && !isEnd(view));
}

/** Whether a person is asked how the run goes on, or has said it and it has not heard it yet. */
export async function isAskedHow(questions: QuestionSessions, sessionId: string): Promise<boolean> {
  return (await undecidedOrNew(questions, sessionId)).some((view) => !isEnd(view));
}

/** Whether the decision about a question of the run itself is that it ends. */
export function isEnd({ outcome }: Pick<QuestionView, 'outcome'>): boolean {
  if (outcome.status === 'completed') return answerOf(outcome).choice === STOP;
  return outcome.status !== 'pending';
}

/** What the run itself asked: what waits, and what was decided and it has not heard yet. */
export async function undecidedOrNew(
  questions: QuestionSessions,
  sessionId: string,
): Promise<QuestionView[]> {
  const own = (await questions.list()).filter((view) => isAskedByRun(view, sessionId));
  return own.filter(
    ({ outcome: { status }, collectedAt }) =>
      status === 'pending' || ((status === 'completed' || status === 'rejected') && collectedAt === null),
  );
}

/** Whether a question is one that a run of this session itself asked. */
export function isAskedByRun({ asker }: Pick<QuestionView, 'asker'>, sessionId: string): boolean {
  return asker?.agent === RUN && asker.session === sessionId;
}
