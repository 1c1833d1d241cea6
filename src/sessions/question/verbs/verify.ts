import { DELIVERY_WAIT_MS } from '../collect.js';
import type { HeldQuestion } from '../held-question.js';
import type { QuestionTools } from '../question-tools.js';
import { digestOf, isSettled } from '../state.js';
import { heal, healInPassing, outcomeIn, whileHeld } from './while-held.js';

/** See `QuestionSessions.verify`. */
export async function verifySet(tools: QuestionTools, id: string): Promise<string[]> {
  const snapshot = await tools.store.read(id);
  await healInPassing(tools, snapshot);
  const { request, status, answers, faults } = snapshot;
  const found = faults.map((fault) => `${fault.file}: ${fault.reason}`);
  if (request !== undefined && status !== undefined && request.questions.length !== status.totalQuestions) {
    found.push(
      `status.json counts ${status.totalQuestions} questions, request.json has ${request.questions.length}`,
    );
  }
  for (const answer of answers?.answers ?? []) {
    const count = request?.questions.length ?? 0;
    if (answer.questionIndex >= count)
      found.push(`answers.json answers question ${answer.questionIndex + 1} of ${count}`);
  }
  return found;
}

/** See `QuestionSessions.recover`. */
export async function recoverSet(tools: QuestionTools, id: string): Promise<void> {
  const mend = (held: HeldQuestion) => {
    heal(held);
    const outcome = outcomeIn(tools, held);
    const { status } = held.snapshot;
    if (status?.outcomeDigest === undefined || !isSettled(outcome)) return;
    held.writeStatus({ ...status, outcomeDigest: digestOf(outcome) });
  };
  await whileHeld(tools, id, mend, { waitMs: DELIVERY_WAIT_MS });
}
