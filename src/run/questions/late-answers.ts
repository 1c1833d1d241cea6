import { isHoldfastError, messageOf } from '../../foundation/index.js';
import { type Delivery, describeAnswers, isPermission } from '../../sessions/question/index.js';
import type { RunParts } from '../run-parts.js';
import { isAskedByRun } from './ask-person.js';

/** Answers to questions of earlier exchanges that the agent has not heard yet. */
export interface LateAnswers {
  readonly texts: readonly string[];
  /** The agent has heard them; call this so they are not told again. */
  confirm(): Promise<void>;
}

/** Reads what was decided about the open questions of a loop; undecided ones stay open. */
export async function readLateAnswers(parts: RunParts): Promise<LateAnswers> {
  const { loop } = parts;
  const texts: string[] = [];
  const decided: string[] = [];
  for (const id of loop.state.openQuestions) {
    using delivery = await collect(parts, id);
    if (delivery === null || delivery?.outcome.status === 'pending') continue;
    decided.push(id);
    if (delivery !== undefined) texts.push(answerText(delivery));
  }
  return {
    texts,
    async confirm() {
      for (const id of decided) {
        using delivery = await collect(parts, id);
        // It stays open: the agent may hear the answer twice, but never not at all.
        if (delivery === null) continue;
        delivery?.confirm();
        loop.closeQuestion(id);
      }
    },
  };
}

/**
 * Notes what the agent of a run asked when the run ended before it could do so. Answers from the exchange that was cut are
 * told again, because the agent may have ended, too, before it used them.
 */
export async function adoptQuestions({ loop, questions }: RunParts): Promise<void> {
  const { sessionId, inFlight, interrupted } = loop.state;
  const cutSince = (inFlight ?? interrupted)?.startedAt;
  for (const view of await questions.list()) {
    const { id, asker, createdAt, collectedAt } = view;
    // A permission is asked for again if it is still wanted.
    if (asker?.session !== sessionId || isPermission(view)) continue;
    if (isAskedByRun(view, sessionId)) continue;
    const isOfCutExchange = cutSince !== undefined && Date.parse(createdAt) >= Date.parse(cutSince);
    if (collectedAt === null || isOfCutExchange) loop.openQuestion(id);
  }
}

/** The open questions that are not answered. */
export async function waitingQuestions(parts: RunParts): Promise<string[]> {
  const waiting: string[] = [];
  for (const id of parts.loop.state.openQuestions) {
    using delivery = await collect(parts, id);
    if (delivery?.outcome.status === 'pending') waiting.push(id);
  }
  return waiting;
}

/**
 * What was decided about a question; undefined if it was deleted or is damaged, so that it can no longer be answered.
 * null if it just could not be read now: what was decided about it is told another time.
 */
async function collect({ questions, log }: RunParts, id: string): Promise<Delivery | undefined | null> {
  try {
    return await questions.collect(id);
  } catch (error) {
    log.warn('run.question-not-read', { sessionId: id, error: messageOf(error) });
    return isHoldfastError(error) && GONE.includes(error.code) ? undefined : null;
  }
}

const GONE: readonly string[] = ['SESSION_NOT_FOUND', 'DOCUMENT_DAMAGED'];

function answerText({ outcome, view }: Delivery): string {
  if (outcome.status === 'completed') return describeAnswers(view.questions, outcome.answers);
  const prompts = view.questions.map(({ prompt }) => prompt).join(' / ');
  const reason = 'reason' in outcome && outcome.reason ? `: ${outcome.reason}` : '';
  return `${prompts}: no answer, the question is ${outcome.status}${reason}`;
}
