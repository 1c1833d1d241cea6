import type { ServiceNotes } from '../../agents/index.js';
import { isHoldfastError, messageOf } from '../../foundation/index.js';
import { isPermission } from '../../sessions/question/index.js';
import { questionEvent } from '../journal/events.js';
import { noteReply } from '../limits/shared-limits.js';
import { AgentQuestions } from '../questions/agent-questions.js';
import type { CutReason, RunParts } from '../run-parts.js';
import type { ExchangeResult, TimeUp } from './analyze-turn.js';
import { IdleClock } from './idle-clock.js';
import type { WorkClock } from './work-clock.js';

/** What surrounds a prompt: the time it may take, what cuts it short, what the agent's service says. */
export interface ExchangeSurroundings {
  readonly work: WorkClock;
  readonly cut: AbortController;
  readonly notes: ServiceNotes;
}

/**
 * Prompts the agent once. Its clocks stop while it waits for a person, whether for a question or for a permission. In an
 * unattended run a question cuts the iteration.
 */
export async function askAgent(
  parts: RunParts,
  prompt: string,
  around: ExchangeSurroundings,
): Promise<ExchangeResult> {
  const { loop, taker, journal, clock, log, questions, isUnattended } = parts;
  const { work, cut, notes } = around;
  using asked = new AgentQuestions({
    questions,
    clock,
    log,
    sessionId: loop.state.sessionId,
    onWaiting: (isWaiting) => (isWaiting ? work.pause() : work.resume()),
    onAsked: (view) => {
      // A permission is not an open question of the run: if it is still wanted, it is asked for again.
      if (!isPermission(view)) loop.openQuestion(view.id);
      journal.note(questionEvent(view, 'agent'));
      if (isUnattended) cut.abort('question' satisfies CutReason);
    },
    onAnswered: (id) => loop.closeQuestion(id),
  });
  using idle = new IdleClock(clock, work, parts.idle);
  let isCompleted = false;
  try {
    const { response } = await taker.take(prompt, {
      signal: AbortSignal.any([cut.signal, work.signal, idle.signal]),
      onEvent: (event) => {
        notes.add(event);
        noteReply(parts, event);
        idle.add(event);
        journal.note({ type: 'agent', event });
      },
    });
    isCompleted = response.reason === 'completed';
    return {
      kind: 'response',
      response,
      timeUp: response.reason === 'cancelled' ? timeUpOf(work, idle) : null,
    };
  } catch (error) {
    if (!isAgentTrouble(error)) throw error;
    return { kind: 'failure', message: messageOf(error), timeUp: timeUpOf(work, idle) };
  } finally {
    // An agent that hangs is not asked again; the next exchange starts a new one.
    if (idle.signal.aborted) await taker.end({ isUrgent: true });
    await asked.settle({ isCompleted });
  }
}

/** Which time limit ended an exchange, in words; null if none did. */
function timeUpOf(work: WorkClock, idle: IdleClock): TimeUp | null {
  if (work.signal.aborted) return 'the time of the run was up';
  if (idle.silenceMs === null) return null;
  return `the agent showed no sign of life for ${Math.round(idle.silenceMs / 1_000)} s`;
}

/** Errors that the agent can cause. All others come from our own disk or a lost lock, and end the run. */
const AGENT_TROUBLE: readonly string[] = [
  'PROCESS_START_FAILED',
  'PROCESS_NOT_READY',
  'PROGRAM_NOT_STARTED',
  'PROGRAM_INPUT_CLOSED',
  'AGENT_NOT_STARTED',
  'AGENT_ENDED',
  'AGENT_BUSY',
  'PROMPT_TIMED_OUT',
];

function isAgentTrouble(error: unknown): boolean {
  return isHoldfastError(error) && AGENT_TROUBLE.includes(error.code);
}
