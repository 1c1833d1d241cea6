import type { Services } from '../../../app/index.js';
import { AgentQuestions } from '../../../run/index.js';
import type { QuestionView } from '../../../sessions/question/index.js';

/** Tells that an agent waits for a person, who may not know that there is something in the inbox. */
export interface QuestionNotes extends Disposable {
  /** What the agent is to be started with, so that its questions are known. */
  readonly askerSession: string;
}

/** Where to answer, for somebody who cannot answer here. */
export function whereToAnswer({ id }: QuestionView): string {
  return `Waiting for an answer to ${id}. Answer it in another terminal: holdfast answer ${id.slice(0, 8)} (or holdfast inbox)`;
}

/**
 * Follows what the agent of an `exec` or `chat` asks. `askerSession` is what its questions are stamped with, so that those of
 * another agent are not taken for its own.
 */
export function questionNotes(
  services: Services,
  tell: (view: QuestionView) => void,
  askerSession: string = services.tools.ids.uuid(),
): QuestionNotes {
  const { questions, clock, log } = services;
  const onAsked = (view: QuestionView) => {
    if (view.outcome.status === 'pending') tell(view);
  };
  const nothing = () => {};
  const asked = new AgentQuestions({
    questions,
    clock,
    log,
    sessionId: askerSession,
    onWaiting: nothing,
    onAsked,
    onAnswered: nothing,
  });
  return { askerSession, [Symbol.dispose]: () => asked[Symbol.dispose]() };
}
