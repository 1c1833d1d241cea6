import type { AgentEvent } from '../agents/index.js';
import type { Services } from '../app/index.js';
import { AgentQuestions } from '../runner/index.js';
import type { QuestionView } from '../sessions/question/index.js';

/** Tells that an agent waits for a person, who may not know that there is something in the inbox. */
export interface QuestionNotes {
  /** A question for a permission is on disk. */
  onAsked(view: QuestionView): void;
  /** What the agent does; when it asks, its question is looked for. */
  onEvent(event: AgentEvent): void;
}

/** The notes of an agent that works for no session of its own, as `exec` and `chat` have it. */
export function questionNotes(
  { questions, clock, log }: Services,
  note: (text: string) => void,
): QuestionNotes {
  const onAsked = ({ id, outcome }: QuestionView) => {
    if (outcome.status === 'pending')
      note(`Waiting for an answer to ${id} (holdfast answer ${id.slice(0, 8)}, or holdfast inbox)`);
  };
  const nothing = () => {};
  const asked = new AgentQuestions({
    questions,
    clock,
    log,
    sessionId: '',
    onWaiting: nothing,
    onAsked,
    onAnswered: nothing,
  });
  return {
    onAsked,
    onEvent(event) {
      asked.add(event);
      if (event.type === 'turn-end') void asked.settle({ isCompleted: false });
    },
  };
}
