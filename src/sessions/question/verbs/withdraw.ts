import { isHoldfastError, next } from '../../../foundation/index.js';
import { checkReason } from '../check-input.js';
import { AlreadySettledError } from '../errors.js';
import { questionLifecycle } from '../lifecycle.js';
import { isPermission } from '../permission.js';
import type { QuestionTools } from '../question-tools.js';
import { digestOf, isSettled } from '../state.js';
import type { QuestionView } from '../view.js';
import { listSets } from './read.js';
import { actorOf, assertAskerIsHere, decide, outcomeIn, viewNow, writeStatus } from './while-held.js';

const ASKER_IS_GONE = 'the run or chat that asked is gone';
const AGENT_IS_GONE = 'the agent that asked is gone, or is no longer waiting';

export function whyGone(asker: { readonly hook?: string | undefined } | null | undefined): string {
  return asker?.hook === undefined ? ASKER_IS_GONE : AGENT_IS_GONE;
}

/** See `QuestionSessions.reject`. */
export async function rejectSet(
  tools: QuestionTools,
  id: string,
  given: string | null,
  { appliedRequest }: { readonly appliedRequest?: string } = {},
): Promise<QuestionView> {
  await assertAskerIsHere(tools, id);
  return await decide(tools, id, (held) => {
    checkReason(given);
    // A blank reason means no reason.
    const reason = given?.trim() === '' ? null : given;
    const outcome = outcomeIn(tools, held);
    if (outcome.status === 'rejected' && outcome.reason === reason) return viewNow(tools, id);
    if (isSettled(outcome)) throw new AlreadySettledError(id, outcome);
    next(questionLifecycle, outcome.status, 'reject');
    writeStatus(tools, held, {
      status: 'rejected',
      rejectionReason: reason,
      outcomeDigest: digestOf({ status: 'rejected', reason }),
      actor: actorOf(tools),
      ...(outcome.status === 'pending' ? {} : { late: true }),
      ...(appliedRequest === undefined ? {} : { appliedRequest }),
    });
    return viewNow(tools, id);
  });
}

/** See `QuestionSessions.cancel`. */
export function cancelSet(tools: QuestionTools, id: string, reason: string): Promise<QuestionView> {
  return decide(tools, id, (held) => {
    checkReason(reason);
    const outcome = outcomeIn(tools, held);
    if (isSettled(outcome)) throw new AlreadySettledError(id, outcome);
    if (outcome.status === 'abandoned') return viewNow(tools, id);
    const status = next(questionLifecycle, outcome.status, 'abandon');
    writeStatus(tools, held, { status, abandonedReason: reason, actor: actorOf(tools) });
    return viewNow(tools, id);
  });
}

/** See `QuestionSessions.listLive`. */
export async function listLiveSets(tools: QuestionTools): Promise<QuestionView[]> {
  const views = await listSets(tools);
  const gone = views.filter(
    (view) => isPermission(view) && view.isAskerGone === true && view.outcome.status === 'pending',
  );
  for (const { id, asker } of gone) {
    try {
      await cancelSet(tools, id, whyGone(asker));
    } catch (error) {
      // Someone else holds it, or the disk cannot be written; an answer will be refused all the same.
      if (!isHoldfastError(error)) throw error;
    }
  }
  return gone.length === 0 ? views : listSets(tools);
}
