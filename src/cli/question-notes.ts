import type { Services } from '../app/index.js';
import { AgentQuestions } from '../runner/index.js';
import type { QuestionView } from '../sessions/question/index.js';

/** Tells that an agent waits for a person, who may not know that there is something in the inbox. */
export interface QuestionNotes extends Disposable {
  /** What the agent is to be started with, so that its questions are known. */
  readonly askerSession: string;
  /** A question for a permission is on disk. */
  onAsked(view: QuestionView): void;
}

/** The notes of an agent that works for no session of its own, as `exec` and `chat` have it. */
export function questionNotes(
  { questions, clock, log, tools }: Services,
  note: (text: string) => void,
): QuestionNotes {
  const askerSession = tools.ids.uuid();
  const onAsked = ({ id, outcome }: QuestionView) => {
    if (outcome.status === 'pending')
      note(`Waiting for an answer to ${id} (holdfast answer ${id.slice(0, 8)}, or holdfast inbox)`);
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
  return { askerSession, onAsked, [Symbol.dispose]: () => asked[Symbol.dispose]() };
}
