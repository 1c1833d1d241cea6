import * as z from 'zod';
import { checkInput } from '../../../foundation/index.js';
import {
  AnswerInput,
  answerQuestions,
  draftQuestions,
  isPermission,
  PERMISSION_CHOICES,
  type QuestionView,
  rejectQuestions,
  showQuestions,
} from '../../../sessions/question/index.js';
import type { Card } from '../../contract/index.js';
import { NotAllowedError, NotWholeError } from '../errors.js';
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
      parts.feed.noteDraft(parts.questions.resolve(id));
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
      assertMayAllow(call, await parts.questions.get(parts.questions.resolve(id)), { answers, isWhole });
      const { sessionId } = await answerQuestions.run(parts, input, context);
      parts.questions.discardDraft(sessionId);
      return cardOf(parts, sessionId);
    },
  },
  {
    method: 'post',
    path: '/api/questions/:id/reject',
    operations: [rejectQuestions],
    body: Rejecting,
    audit: 'reject',
    async answer({ parts, id, body, context }) {
      const { reason } = checkInput({ input: Rejecting }, body);
      const input = checkInput(rejectQuestions, { session: id, reason });
      const { sessionId } = await rejectQuestions.run(parts, input, context);
      parts.questions.discardDraft(sessionId);
      return cardOf(parts, sessionId);
    },
  },
];

export function cardOf({ feed, questions }: Call['parts'], typed: string): Promise<Card> {
  return feed.card(questions.resolve(typed));
}

/**
 * Nothing is allowed by who did not see all of it, and more than this once only by who may steer. What is not a plain no
 * counts as leave. Throws NOT_WHOLE, NOT_ALLOWED.
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
    throw new NotAllowedError('To allow more than this once', 'steer');
}
