import { isHoldfastError } from '../foundation/index.js';
import type { QuestionView } from '../sessions/question/index.js';
import { questionEvent } from './events.js';
import type { RunParts } from './run-parts.js';

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

/** Who asks, where it is the run itself. */
const RUN = 'holdfast run';

/**
 * Puts a question into the inbox and waits. Null when the wait was called off or the person rejected it; a question that
 * nobody waits for any more is withdrawn.
 */
export async function askPerson(
  { questions, projectDirectory, loop, emit }: RunParts,
  question: RunQuestion,
  signal: AbortSignal,
): Promise<RunAnswer | null> {
  const { title, prompt, options } = question;
  const set = [{ title, prompt, options: options.map((option) => ({ ...option })) }];
  const view = await questions.create(set, {
    asker: { agent: RUN, session: loop.state.sessionId },
    workingDirectory: projectDirectory,
    isWaiting: true,
  });
  emit(questionEvent(view, 'run'));
  try {
    const outcome = await questions.wait(view.id, { signal });
    if (outcome.status !== 'completed') return null;
    using delivery = await questions.collect(view.id);
    delivery.confirm();
    const [answer] = outcome.answers;
    return { choice: answer?.selectedOption ?? null, text: answer?.customText };
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'ABORTED') throw error;
    await questions.cancel(view.id, 'the run does not wait for it any more');
    return null;
  }
}

/** Whether a question is one that a run of this session itself asked. */
export function isAskedByRun({ asker }: QuestionView, sessionId: string): boolean {
  return asker?.agent === RUN && asker.session === sessionId;
}
