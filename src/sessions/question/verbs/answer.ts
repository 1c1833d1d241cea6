import { next, timestamp } from '../../../foundation/index.js';
import { checkAnswers, isSameAnswer } from '../check-answers.js';
import { checkAnswerInput } from '../check-input.js';
import { AlreadySettledError, AskerGoneError, CallIdMismatchError, InvalidAnswerError } from '../errors.js';
import type { HeldQuestion } from '../held-question.js';
import { questionLifecycle } from '../lifecycle.js';
import { isPermission } from '../permission.js';
import type { QuestionTools } from '../question-tools.js';
import type { AnswerInput, AnswersFile, Question } from '../schema.js';
import { digestOf, isForeign, isSettled, outcomeOf, type QuestionOutcome } from '../state.js';
import type { QuestionView } from '../view.js';
import {
  actorOf,
  assertAskerIsHere,
  decide,
  heal,
  outcomeIn,
  viewIn,
  viewNow,
  writeStatus,
} from './while-held.js';
import { whyGone } from './withdraw.js';

/** The answers of a set, or a function that makes them from the questions. */
export type GivenAnswers =
  | readonly AnswerInput[]
  | ((asked: readonly Question[], set: QuestionView) => readonly AnswerInput[]);

export interface AnswerOptions {
  /** The call that the set must belong to, if it belongs to one. */
  readonly callId?: string;
  /** The request from another machine that brought this answer, recorded in the same write as the answer. */
  readonly appliedRequest?: string;
}

/** See `QuestionSessions.answer`. */
export async function answerSet(
  tools: QuestionTools,
  id: string,
  answers: GivenAnswers,
  options: AnswerOptions,
): Promise<QuestionView> {
  await assertAskerIsHere(tools, id);
  return await decide(tools, id, (held) => {
    const { request } = held.snapshot;
    if (request === undefined) throw new InvalidAnswerError('The questions can no longer be read');
    const asked = request.callId ?? held.snapshot.status?.callId;
    const { callId = asked } = options;
    if (asked !== undefined && callId !== asked) throw new CallIdMismatchError(id, callId ?? '', asked);
    const given =
      typeof answers === 'function' ? answers(request.questions, viewIn(tools, held.snapshot)) : answers;
    const at = timestamp(tools.clock);
    const checked = namingSet(id, () => checkAnswers(request.questions, checkAnswerInput(given), at));
    const outcome = outcomeIn(tools, held);
    if (outcome.status === 'completed' && isSameAnswer(outcome.answers, checked)) {
      heal(held);
      return viewNow(tools, id);
    }
    if (isSettled(outcome)) throw new AlreadySettledError(id, outcome);
    if (isPermission(request)) assertWaitedFor(tools, held, outcome);
    next(questionLifecycle, outcome.status, 'answer');
    commitAnswer(tools, held, {
      sessionId: request.sessionId,
      answers: checked,
      timestamp: timestamp(tools.clock),
      ...(callId === undefined ? {} : { callId }),
      version: 1,
      ...(outcome.status === 'pending' ? {} : { late: true }),
      ...(options.appliedRequest === undefined ? {} : { appliedRequest: options.appliedRequest }),
    });
    // AUQ ignores locks: if it has overwritten our answer by now, its answer stands and ours does not.
    const view = viewNow(tools, id);
    const isOurs = view.outcome.status === 'completed' && isSameAnswer(view.outcome.answers, checked);
    if (!isOurs) throw new AlreadySettledError(id, view.outcome);
    return view;
  });
}

/** For our own sets the answer comes first and decides; AUQ's readers want the status first. */
function commitAnswer(tools: QuestionTools, held: HeldQuestion, answers: AnswersFile): void {
  if (isForeign(held.snapshot.request)) writeStatus(tools, held, { status: 'completed' });
  if (!held.createAnswers(answers)) {
    const winner = outcomeOf(tools.store.readOnce(answers.sessionId), tools.clock.now());
    if (winner.status === 'completed' && isSameAnswer(winner.answers, answers.answers)) return;
    throw new AlreadySettledError(answers.sessionId, winner);
  }
  const decided = { status: 'completed' as const, answers: answers.answers };
  writeStatus(tools, held, {
    status: decided.status,
    outcomeDigest: digestOf(decided),
    actor: actorOf(tools),
  });
}

/** A permission counts only while its asker is waiting. Throws ASKER_GONE; by then it has been withdrawn. */
function assertWaitedFor(tools: QuestionTools, held: HeldQuestion, outcome: QuestionOutcome): void {
  const { id } = held.snapshot;
  if (outcome.status !== 'pending') throw new AskerGoneError(id, whyNotPending(outcome));
  if (viewIn(tools, held.snapshot).isAskerGone !== true) return;
  writeStatus(tools, held, {
    status: next(questionLifecycle, outcome.status, 'abandon'),
    abandonedReason: whyGone(held.snapshot.request?.asker),
  });
  throw new AskerGoneError(id, whyGone(held.snapshot.request?.asker));
}

function whyNotPending(outcome: QuestionOutcome): string {
  return outcome.status === 'abandoned' ? outcome.reason : 'its time ran out';
}

/** Makes an answer that does not fit name the set it was for. */
function namingSet<Result>(id: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof InvalidAnswerError ? InvalidAnswerError.forSession(id, error) : error;
  }
}
