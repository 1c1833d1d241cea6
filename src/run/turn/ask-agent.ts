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

/** What goes on around a prompt: the time it may take, what cuts it short, what its service says. */
export interface ExchangeSurroundings {
  readonly work: WorkClock;
  readonly cut: AbortController;
  readonly notes: ServiceNotes;
}

/**
 * Prompts the agent once. Its clocks stand while it waits for a person: for what it asked, or for a permission. A question
 * that nobody can answer now cuts the iteration.
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
      // A permission is asked for anew by whoever still wants it: it is no open question of the run.
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
    // One that hangs is not asked again; the next exchange starts it anew.
    if (idle.signal.aborted) await taker.end({ isUrgent: true });
    await asked.settle({ isCompleted });
  }
}

/** Whose patience ended an exchange, in words; null when nobody's did. */
function timeUpOf(work: WorkClock, idle: IdleClock): TimeUp | null {
  if (work.signal.aborted) return 'the time of the run was up';
  if (idle.silenceMs === null) return null;
  return `the agent showed no sign of life for ${Math.round(idle.silenceMs / 1_000)} s`;
}

/** What an agent can do to us; everything else is our own disk or a lock that was lost, and ends the run. */
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
