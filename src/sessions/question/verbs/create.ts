import { isHoldfastError } from '../../../foundation/index.js';
import { checkCreateInput } from '../check-input.js';
import { checkQuestions } from '../check-questions.js';
import { RequestIdReusedError, TooManySessionsError } from '../errors.js';
import { type CreateQuestionOptions, newRequest, newStatus } from '../new-set.js';
import { isPermission } from '../permission.js';
import type { QuestionTools } from '../question-tools.js';
import type { QuestionInput } from '../schema.js';
import { outcomeOf } from '../state.js';
import type { QuestionView } from '../view.js';
import { viewIn, viewNow } from './while-held.js';

/** See `QuestionSessions.create`. */
export async function createSet(
  tools: QuestionTools,
  questions: readonly QuestionInput[],
  options: CreateQuestionOptions,
): Promise<QuestionView> {
  const { questions: checked, ...given } = checkCreateInput({ ...options, questions });
  checkQuestions(checked, tools.limits, { isPermission: isPermission(given) });
  const request = newRequest(tools, checked, given);
  const status = newStatus(request, given.isWaiting ? tools.identity : undefined);
  const isNew = await tools.store.create(request, status, () => assertRoom(tools));
  if (isNew) return viewIn(tools, { id: request.sessionId, request, status, answers: undefined, faults: [] });
  const view = viewNow(tools, request.sessionId);
  if (JSON.stringify(view.questions) !== JSON.stringify(request.questions)) {
    throw new RequestIdReusedError(options.requestId ?? '', request.sessionId);
  }
  return view;
}

function assertRoom(tools: QuestionTools): void {
  const { store, maxSessions } = tools;
  const ids = store.ids();
  if (ids.length < maxSessions) return;
  const pending = ids.filter((id) => isPending(tools, id));
  if (pending.length >= maxSessions) throw new TooManySessionsError(maxSessions);
}

/** A set that cannot be read, or has gone in the meantime, is not one that anybody could answer. */
function isPending({ store, clock }: QuestionTools, id: string): boolean {
  try {
    const snapshot = store.readOnce(id);
    // Permissions asked for by hooks do not use up room for questions.
    if (snapshot.request?.asker?.hook !== undefined) return false;
    return outcomeOf(snapshot, clock.now()).status === 'pending';
  } catch (error) {
    if (isHoldfastError(error)) return false;
    throw error;
  }
}
