import { type Clock, isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { QuestionInput, QuestionOutcome, QuestionSessions } from '../sessions/question/index.js';
import { type AgentSigns, ANSWERED_THERE } from './agent-signs.js';
import { hookAsker } from './card.js';
import type { HookFacts } from './events.js';
import { GAVE_WAY } from './how-long-to-wait.js';

/** Where a hook puts its card, and how it gives the verdict to the agent. */
export interface HookDesk {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  readonly log: Logger;
  /** Gives the decision to the agent. */
  print(decision: string): Promise<void>;
}

export interface CardOptions {
  readonly facts: HookFacts;
  readonly questions: readonly QuestionInput[];
  /** How long to wait; undefined = as long as the agent waits. */
  readonly patienceMs: number | undefined;
  readonly signs: AgentSigns;
  /** Fires when the agent ends the hook. */
  readonly signal: AbortSignal;
  /** The outcome in the agent's own format; undefined if it has none. */
  readonly decisionIn: (outcome: QuestionOutcome) => string | undefined;
}

/** How a card ended. */
export type CardEnd = 'given' | 'gave-way' | 'withdrawn';

/** How often to check that the agent still waits. A card must go within two seconds. */
const LOOK_MS = 1_000;

/**
 * Puts a card into the inbox, waits for its answer and gives it to the agent. In every other case nothing is printed, and
 * the agent's own dialog decides. A card without an answer is withdrawn before this returns. Throws INVALID_INPUT for what
 * is too long for a card, and disk errors.
 */
export async function answerByCard(desk: HookDesk, options: CardOptions): Promise<CardEnd> {
  const { facts, signs, signal } = options;
  const view = await desk.questions.create(options.questions, {
    asker: hookAsker(facts),
    workingDirectory: facts.workingDirectory,
    isWaiting: true,
    // The card lives as long as this process, whatever is configured for questions.
    timeoutMs: 0,
  });
  const over = await waitForEnd(desk, view.id, options);
  const isAnswered = over === undefined || !(await withdraw(desk, view.id, over));
  if (!isAnswered) return over === GAVE_WAY ? 'gave-way' : 'withdrawn';
  // The answer came in the very moment the agent continued or ended us.
  const late = signal.aborted ? ANSWERED_THERE : signs.read();
  if (late !== undefined) {
    await desk.questions.noteUnheard(view.id, late);
    return 'withdrawn';
  }
  if (await handOver(desk, view.id, options)) return 'given';
  await desk.questions.noteUnheard(view.id, 'it is not one of the choices the agent accepts');
  return 'withdrawn';
}

/** Why the card is over although nobody answered it; undefined if somebody did. */
async function waitForEnd(desk: HookDesk, id: string, options: CardOptions): Promise<string | undefined> {
  const { signs, signal, patienceMs } = options;
  const stop = new AbortController();
  const any = AbortSignal.any([signal, stop.signal]);
  let reason: string | undefined;
  const looking = look(desk.clock, signs, any).then((found) => {
    reason = found;
    stop.abort();
  });
  try {
    const outcome = await desk.questions.wait(id, { signal: any, patienceMs });
    return outcome.status === 'pending' ? GAVE_WAY : undefined;
  } catch (error) {
    if (!isHoldfastError(error, 'ABORTED')) throw error;
    return reason ?? ANSWERED_THERE;
  } finally {
    stop.abort();
    await looking;
  }
}

async function look(clock: Clock, signs: AgentSigns, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    const found = signs.read();
    if (found !== undefined) return found;
    // Cancelled by an answer or by the agent; the caller knows which.
    await clock.sleep(LOOK_MS, signal).catch(() => {});
  }
  return undefined;
}

/** False if somebody has answered it by now. */
async function withdraw({ questions, log }: HookDesk, id: string, reason: string): Promise<boolean> {
  try {
    await questions.cancel(id, reason);
  } catch (error) {
    if (isHoldfastError(error, 'ALREADY_SETTLED')) return false;
    // The card ends with our process: an answer will be refused, and the next process that sees the card withdraws it.
    log.debug('hook.not-withdrawn', { sessionId: id, error: messageOf(error) });
  }
  return true;
}

/** Prints only a decision that would survive power loss, and marks it as heard afterwards. */
async function handOver(desk: HookDesk, id: string, { decisionIn }: CardOptions): Promise<boolean> {
  using delivery = await desk.questions.collect(id);
  const decision = decisionIn(delivery.outcome);
  if (decision === undefined) return false;
  await desk.print(decision);
  delivery.confirm();
  return true;
}
