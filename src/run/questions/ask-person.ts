import { type Actor, isHoldfastError } from '../../foundation/index.js';
import type { QuestionSessions, QuestionView } from '../../sessions/question/index.js';
import { questionEvent } from '../journal/events.js';
import type { RunParts } from '../run-parts.js';

/** A decision that the run must not take itself. */
export interface RunQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

/** What the person chose; `text` is what they wrote themselves. */
export interface RunAnswer {
  readonly choice: string | null;
  readonly text: string | undefined;
  readonly actor: Actor | null;
}

/** A choice offered wherever a run asks how to continue. */
export const CHANGE = 'Change the approach';
export const STOP = 'Stop';

/** What the agent should be told after an answer. */
export function guidanceOf({ choice, text }: Pick<RunAnswer, 'choice' | 'text'>): string | undefined {
  if (text !== undefined && text !== '') return text;
  return choice === CHANGE ? 'Take another approach: what was tried so far does not work.' : undefined;
}

/** The asker's name when the run itself asks. */
export const RUN = 'holdfast run';

/**
 * Puts a question into the inbox and waits. If an earlier process of the run asked the same words, its question is used, and
 * an answer given in the meantime counts. Null if nobody is there to ask, the wait was called off or the person rejected it.
 * A question that is no longer waited for is withdrawn.
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
    return outcome.status === 'completed' ? { ...answerOf(outcome), actor: delivery.view.actor } : null;
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
 * Withdraws the questions of the run itself that it no longer needs answered because it is working. What a person wrote in
 * answer to one is still passed on as guidance.
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

/** Whether a person has said how the run should continue, and it has not heard that yet. */
export async function isToldToGoOn(questions: QuestionSessions, sessionId: string): Promise<boolean> {
  const own = await undecidedOrNew(questions, sessionId);
  return own.some((view) => view.outcome.status === 'completed' && !isEnd(view));
}

/** Whether a person is asked how the run should continue, or has said so and it has not heard that yet. */
export async function isAskedHow(questions: QuestionSessions, sessionId: string): Promise<boolean> {
  return (await undecidedOrNew(questions, sessionId)).some((view) => !isEnd(view));
}

/** Whether the decision about one of the run's own questions is to end the run. */
export function isEnd({ outcome }: Pick<QuestionView, 'outcome'>): boolean {
  if (outcome.status === 'completed') return answerOf(outcome).choice === STOP;
  return outcome.status !== 'pending';
}

/** The run's own questions that are waiting, or are decided and not heard yet. */
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

/** Whether a run of this session itself asked a question. */
export function isAskedByRun({ asker }: Pick<QuestionView, 'asker'>, sessionId: string): boolean {
  return asker?.agent === RUN && asker.session === sessionId;
}
