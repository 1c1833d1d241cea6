import * as z from 'zod';
import { checkInput, isHoldfastError } from '../../../foundation/index.js';
import {
  AnswerInput,
  answerQuestions,
  draftQuestions,
  isPermission,
  PERMISSION_CHOICES,
  type QuestionReport,
  type QuestionView,
  rejectQuestions,
  showQuestions,
  takeBackDecision,
} from '../../../sessions/question/index.js';
import type { Card } from '../../contract/index.js';
import { NotAllowedError, NotStoredError, NotWholeError } from '../errors.js';
import { type Call, isAllowed, type Route } from './route.js';

const Answering = z.strictObject({ answers: z.array(AnswerInput), isWhole: z.boolean() });
const Rejecting = z.strictObject({ reason: z.string().nullable() });

export const questionRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/questions/:id',
    operations: [showQuestions],
    answer: ({ parts, id }) => cardOf(parts, checkInput(showQuestions, { session: id }).session),
  },
  {
    method: 'put',
    path: '/api/questions/:id/draft',
    operations: [draftQuestions],
    body: draftQuestions.input.shape.draft,
    async answer({ parts, id, body, context }) {
      const input = checkInput(draftQuestions, { session: id, draft: body });
      await draftQuestions.run(parts, input, context);
      parts.feed.noteDraft(await parts.questions.resolve(id));
      return {};
    },
  },
  {
    method: 'post',
    path: '/api/questions/:id/answer',
    operations: [answerQuestions],
    body: Answering,
    audit: 'answer',
    async answer(call) {
      const { parts, id, body, context } = call;
      const { answers, isWhole } = checkInput({ input: Answering }, body);
      const input = checkInput(answerQuestions, { session: id, answers });
      const view = await parts.questions.get(await parts.questions.resolve(id));
      assertMayAllow(call, view, { answers, isWhole });
      return decided(call, await storing(answerQuestions.run(parts, input, context)));
    },
  },
  {
    method: 'post',
    path: '/api/questions/:id/reject',
    operations: [rejectQuestions],
    body: Rejecting,
    audit: 'reject',
    async answer(call) {
      const { parts, id, body, context } = call;
      const { reason } = checkInput({ input: Rejecting }, body);
      const input = checkInput(rejectQuestions, { session: id, reason });
      return decided(call, await storing(rejectQuestions.run(parts, input, context)));
    },
  },
  {
    method: 'post',
    path: '/api/questions/:id/take-back',
    operations: [takeBackDecision],
    body: z.strictObject({}),
    audit: 'take-back',
    async answer({ parts, id, context }) {
      const input = checkInput(takeBackDecision, { session: id });
      const { sessionId } = await takeBackDecision.run(parts, input, context);
      return cardOf(parts, sessionId);
    },
  },
];

export async function cardOf({ feed, questions }: Call['parts'], typed: string): Promise<Card> {
  return feed.card(await questions.resolve(typed));
}

/** The card as it now stands. An answer still on its way may come back; then its draft is still there. */
function decided({ parts }: Call, { sessionId, onItsWay }: QuestionReport): Promise<Card> {
  if (onItsWay === undefined) parts.questions.discardDraft(sessionId);
  return parts.feed.card(sessionId);
}

/** Throws NOT_STORED if the fleet's database is unreachable, and the decision's own errors. */
async function storing(decision: Promise<QuestionReport>): Promise<QuestionReport> {
  try {
    return await decision;
  } catch (error) {
    throw isHoldfastError(error, 'FLEET_UNREACHABLE') ? new NotStoredError(error) : error;
  }
}

/**
 * Only a person who saw all of a permission may allow it, and only a device that may steer may allow it for more than once.
 * Anything but a plain no counts as allowing. Throws NOT_WHOLE, NOT_ALLOWED.
 */
function assertMayAllow(
  { device }: Call,
  view: QuestionView,
  { answers, isWhole }: z.output<typeof Answering>,
): void {
  if (!isPermission(view)) return;
  const chosen = answers.flatMap(({ selectedOption, selectedOptions = [] }) => [
    ...(selectedOption === undefined ? [] : [selectedOption]),
    ...selectedOptions,
  ]);
  if (chosen.every((label) => label === PERMISSION_CHOICES.deny)) return;
  if (!isWhole) throw new NotWholeError();
  const isOnce = chosen.every((label) => label === PERMISSION_CHOICES.allow);
  if (!isOnce && !isAllowed(device.can, 'steer'))
    throw new NotAllowedError('Allowing more than this once', 'steer');
}
