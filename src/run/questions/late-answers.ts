import { messageOf } from '../../foundation/index.js';
import { type Delivery, describeAnswers, isPermission } from '../../sessions/question/index.js';
import type { RunParts } from '../run-parts.js';
import { isAskedByRun } from './ask-person.js';

/** Answers to questions of earlier exchanges, which the agent has not heard yet. */
export interface LateAnswers {
  readonly texts: readonly string[];
  /** The agent has heard them: from now on they are old. */
  confirm(): Promise<void>;
}

/** Reads what was decided about the open questions of a loop; those that still wait stay open. */
export async function readLateAnswers(parts: RunParts): Promise<LateAnswers> {
  const { loop } = parts;
  const texts: string[] = [];
  const decided: string[] = [];
  for (const id of loop.state.openQuestions) {
    using delivery = await collect(parts, id);
    if (delivery?.outcome.status === 'pending') continue;
    decided.push(id);
    if (delivery !== undefined) texts.push(answerText(delivery));
  }
  return {
    texts,
    async confirm() {
      for (const id of decided) {
        using delivery = await collect(parts, id);
        delivery?.confirm();
        loop.closeQuestion(id);
      }
    },
  };
}

/**
 * Notes what the agent of a run asked that ended before it could. What was answered in the exchange that was cut is told
 * again, because the agent may have ended, too, before it made anything of the answer.
 */
export async function adoptQuestions({ loop, questions }: RunParts): Promise<void> {
  const { sessionId, inFlight, interrupted } = loop.state;
  const cutSince = (inFlight ?? interrupted)?.startedAt;
  for (const view of await questions.list()) {
    const { id, asker, createdAt, collectedAt } = view;
    // What was asked leave for is asked again, if it is still wanted.
    if (asker?.session !== sessionId || isPermission(view)) continue;
    if (isAskedByRun(view, sessionId)) continue;
    const isOfCutExchange = cutSince !== undefined && Date.parse(createdAt) >= Date.parse(cutSince);
    if (collectedAt === null || isOfCutExchange) loop.openQuestion(id);
  }
}

/** The open questions that nobody has answered. */
export async function waitingQuestions(parts: RunParts): Promise<string[]> {
  const waiting: string[] = [];
  for (const id of parts.loop.state.openQuestions) {
    using delivery = await collect(parts, id);
    if (delivery?.outcome.status === 'pending') waiting.push(id);
  }
  return waiting;
}

/** Undefined where it was deleted or cannot be read: then nobody can answer it any more. */
async function collect({ questions, log }: RunParts, id: string): Promise<Delivery | undefined> {
  try {
    return await questions.collect(id);
  } catch (error) {
    log.warn('run.question-not-read', { sessionId: id, error: messageOf(error) });
    return undefined;
  }
}

function answerText({ outcome, view }: Delivery): string {
  if (outcome.status === 'completed') return describeAnswers(view.questions, outcome.answers);
  const prompts = view.questions.map(({ prompt }) => prompt).join(' / ');
  const reason = 'reason' in outcome && outcome.reason ? `: ${outcome.reason}` : '';
  return `${prompts}: no answer, the question is ${outcome.status}${reason}`;
}
