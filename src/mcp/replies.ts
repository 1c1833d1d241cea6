import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { visibleLine } from '../foundation/index.js';
import {
  describeAnswers,
  QuestionReport,
  type QuestionView,
  quoteText,
  reportOf,
} from '../sessions/question/index.js';

/** What both tools return besides their text. */
export const AnswersOutput = z.object({
  sessions: z.array(
    QuestionReport.pick({
      sessionId: true,
      status: true,
      answers: true,
      rejectionReason: true,
      abandonedReason: true,
      late: true,
    }).extend({ isNew: z.boolean().describe('True the first time an outcome is delivered.') }),
  ),
});

export interface Reply {
  readonly view: QuestionView;
  readonly isNew: boolean;
}

/** One or more question sets as a tool result: text for the model, and the same as structured content. */
export function toolReply(replies: readonly Reply[]): CallToolResult {
  const text =
    replies.length === 0 ? 'No new answers.' : replies.map(({ view }) => describeView(view)).join('\n\n');
  return {
    content: [{ type: 'text', text }],
    structuredContent: { sessions: replies.map(({ view, isNew }) => structured(view, isNew)) },
  };
}

function structured(view: QuestionView, isNew: boolean): z.input<typeof AnswersOutput>['sessions'][number] {
  const { sessionId, status, answers, rejectionReason, abandonedReason, late } = reportOf(view);
  return { sessionId, status, answers, rejectionReason, abandonedReason, late, isNew };
}

function describeView(view: QuestionView): string {
  const short = view.id.slice(0, 8);
  const { outcome } = view;
  switch (outcome.status) {
    case 'completed': {
      const late = outcome.late ? ' | Late' : '';
      const header = `[Session: ${short} | Questions: ${view.questions.length}${late}]`;
      return `${header}\n\n${describeAnswers(view.questions, outcome.answers)}`;
    }
    case 'rejected': {
      const reason =
        outcome.reason === null ? 'No reason provided.' : `Rejection reason: ${quoteText(outcome.reason)}`;
      return `[Session: ${short} | Status: rejected]\n\nUser rejected this question set.\n\n${reason}`;
    }
    case 'timed_out':
      return `[Session: ${short} | Status: timed_out]\n\nNobody answered in time. A late answer is still accepted; ${howToFetch(short)}`;
    case 'abandoned':
      return `[Session: ${short} | Status: abandoned]\n\nThis question set was withdrawn: ${visibleLine(outcome.reason)}`;
    case 'pending':
      return [
        `[Session: ${short} | Questions: ${view.questions.length} | Status: pending]`,
        '',
        'No answers yet. The question stays in the person’s inbox; go on with what does not depend on it.',
        `Later, ${howToFetch(short)}`,
      ].join('\n');
  }
}

function howToFetch(short: string): string {
  return `use get_answered_questions(session_id="${short}") to retrieve the answers.`;
}
