import { next } from '../../foundation/index.js';
import { DOCUMENT_VERSION } from '../../storage/index.js';
import { changeLifecycle } from './lifecycle.js';
import type { ChangeState } from './schema.js';

/** The state of a session that is starting now. */
export function newState(
  facts: { sessionId: string; changeName: string; project: string },
  now: string,
): ChangeState {
  return {
    version: DOCUMENT_VERSION,
    ...facts,
    currentStoryId: null,
    createdAt: now,
    updatedAt: now,
    learnings: [],
    completedTasks: [],
    status: changeLifecycle.initial,
    flushedLearnings: 0,
    flush: null,
    endedAt: null,
    releaseReason: null,
  };
}

/** The state of a session that is ending now. Throws ILLEGAL_TRANSITION. */
export function endState(
  state: ChangeState,
  event: 'flush' | 'release',
  end: { at: string; reason: string | null },
): ChangeState {
  const status = next(changeLifecycle, state.status, event);
  return { ...state, status, updatedAt: end.at, endedAt: end.at, releaseReason: end.reason };
}
