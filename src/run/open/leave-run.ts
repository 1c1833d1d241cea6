import { isHoldfastError } from '../../foundation/index.js';
import type { LoopState } from '../../sessions/loop/index.js';
import { releaseChangeOf } from '../plan/change-plan.js';
import { forgetRun } from '../records/run-memory.js';
import type { FoundRun } from './find-run.js';
import type { RunServices } from './run-services.js';

/** Ends a session for good without resuming it; its files are kept. Throws LOCKED, LOOP_NOT_FOUND. */
export async function abortRun(services: RunServices, { loops }: FoundRun): Promise<string> {
  using loop = await loops.hold();
  services.programs.endOrphans();
  loop.abort();
  await leaveBehind(services, loop.state);
  return loop.directory;
}

/** For a session that will not be resumed: nobody will hear the answers to its questions, and it must not hold a change. */
export async function leaveBehind(
  services: RunServices,
  state: LoopState,
  { isReplaced = false } = {},
): Promise<void> {
  const { sessionId, openQuestions, storiesTotal } = state;
  const reason = 'the run that asked was given up';
  const asked = (await services.questions.list()).filter(
    ({ id, asker, outcome }) =>
      outcome.status === 'pending' && (asker?.session === sessionId || openQuestions.includes(id)),
  );
  for (const { id } of asked) await ifPossible(() => services.questions.cancel(id, reason));
  if (storiesTotal !== undefined) await ifPossible(() => releaseChangeOf(services, sessionId));
  forgetRun(services, sessionId, { isReplaced });
}

/** Whatever was settled or removed in the meantime needs no care. */
async function ifPossible(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}
