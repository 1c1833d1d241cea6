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

/** Where to answer, for somebody who cannot answer here. */
export function whereToAnswer({ id }: QuestionView): string {
  return `Waiting for an answer to ${id} (holdfast answer ${id.slice(0, 8)}, or holdfast inbox)`;
}

/**
 * Follows what the agent of an `exec` or `chat` asks. `sessionId` is what its questions are stamped with, so that those of
 * another agent are not taken for its own.
 */
export function questionNotes(
  { questions, clock, log }: Services,
  tell: (view: QuestionView) => void,
  sessionId = '',
): QuestionNotes {
  const onAsked = (view: QuestionView) => {
    if (view.outcome.status === 'pending') tell(view);
  };
  const nothing = () => {};
  const asked = new AgentQuestions({
    questions,
    clock,
    log,
    sessionId,
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
