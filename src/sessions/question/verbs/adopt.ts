import { timestamp } from '../../../foundation/index.js';
import type { QuestionTools } from '../question-tools.js';
import type { RequestFile, StatusFile } from '../schema.js';
import { digestOf, isSettled } from '../state.js';
import type { QuestionView } from '../view.js';
import { decide, outcomeIn, viewIn, writeStatus } from './while-held.js';

/** A set as another machine had it. */
export interface MovedQuestion {
  readonly view: Pick<
    QuestionView,
    'id' | 'questions' | 'outcome' | 'createdAt' | 'expiresAt' | 'asker' | 'appliedRequest' | 'collectedAt'
  >;
  /** Where its asker works on this machine. */
  readonly workingDirectory: string | undefined;
}

/** See `QuestionSessions.adopt`. */
export async function adoptSet(tools: QuestionTools, moved: MovedQuestion): Promise<boolean> {
  const { view } = moved;
  const request = requestOf(moved);
  // It was already waiting on another machine, so there is room for it.
  const isNew = await tools.store.create(request, statusOf(tools, moved, request), () => {});
  const isDecided = isSettled(view.outcome) ? await takeDecision(tools, moved) : false;
  return isNew || isDecided;
}

function requestOf({ view, workingDirectory }: MovedQuestion): RequestFile {
  const { id, questions, createdAt, expiresAt, asker } = view;
  return {
    sessionId: id,
    questions: [...questions],
    status: 'pending',
    timestamp: createdAt,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    version: 1,
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(asker === null ? {} : { asker }),
  };
}

function statusOf(tools: QuestionTools, { view }: MovedQuestion, { sessionId }: RequestFile): StatusFile {
  const { outcome, questions, createdAt } = view;
  const isAbandoned = outcome.status === 'abandoned';
  return {
    sessionId,
    status: isAbandoned || outcome.status === 'timed_out' ? outcome.status : 'pending',
    createdAt,
    lastModified: timestamp(tools.clock),
    totalQuestions: questions.length,
    rejectionReason: null,
    version: 1,
    ...(isAbandoned ? { abandonedReason: outcome.reason } : {}),
    // The asker ended with its machine; its successor gets the answer.
    askerGoneAt: timestamp(tools.clock),
  };
}

/** Applies a decision made there, once. */
async function takeDecision(tools: QuestionTools, { view }: MovedQuestion): Promise<boolean> {
  const { id, outcome, appliedRequest } = view;
  let isNew = false;
  await decide(tools, id, (held) => {
    if (isSettled(outcomeIn(tools, held)) || !isSettled(outcome)) return viewIn(tools, held.snapshot);
    isNew = true;
    const by = appliedRequest === undefined ? {} : { appliedRequest };
    const collected = view.collectedAt === null ? {} : { collectedAt: view.collectedAt };
    if (outcome.status === 'completed') {
      const { answers, at, late } = outcome;
      held.createAnswers({
        sessionId: id,
        answers: [...answers],
        timestamp: at,
        version: 1,
        ...(late ? { late } : {}),
        ...by,
      });
      writeStatus(tools, held, { status: 'completed', outcomeDigest: digestOf(outcome), ...collected });
    } else {
      const { reason, late } = outcome;
      const decided = {
        status: 'rejected',
        rejectionReason: reason,
        outcomeDigest: digestOf(outcome),
      } as const;
      writeStatus(tools, held, { ...decided, ...(late ? { late } : {}), ...by, ...collected });
    }
    return viewIn(tools, held.snapshot);
  });
  return isNew;
}
