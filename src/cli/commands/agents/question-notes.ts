import type { Services } from '../../../app/index.js';
import { AgentQuestions } from '../../../run/index.js';
import type { QuestionView } from '../../../sessions/question/index.js';

/** Reports that an agent is waiting for a person, who may not know that there is something in the inbox. */
export interface QuestionNotes extends Disposable {
  /** Passed to the agent when it is started, so that its questions can be recognized. */
  readonly askerSession: string;
}

/** Says where to answer, for somebody who cannot answer here. */
export function whereToAnswer({ id }: QuestionView): string {
  return `Waiting for an answer to ${id}. Answer it in another terminal: holdfast answer ${id.slice(0, 8)} (or holdfast inbox)`;
}

/**
 * Follows the questions of the agent of an `exec` or `chat`. They are stamped with `askerSession`, which tells them from those
 * of other agents.
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
