import { describeOwner, forceUnlock, inspectLock, type LockState } from '../storage/index.js';
import { openLoops } from './loops.js';
import type { Services } from './services.js';

export interface LockReport {
  readonly sessionId: string;
  readonly state: LockState['hold'];
  readonly epoch: number;
  readonly owner: string | null;
}

/** Who holds the lock of a session. Throws SESSION_NOT_FOUND. */
export function lockOf(services: Services, session: string): LockReport {
  const { sessionId, path } = findLock(services, session);
  return report(sessionId, inspectLock(services.tools, path));
}

/** Takes the lock of a session away from its owner, living or not, and tells whose it was. */
export function unlock(services: Services, session: string): LockReport {
  const { sessionId, path } = findLock(services, session);
  return report(sessionId, forceUnlock(services.tools, path));
}

/** The lock of the loop of this project, or of a question set. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID. */
function findLock(services: Services, session: string): { sessionId: string; path: string } {
  const loops = openLoops(services);
  const loop = loops.read()?.sessionId;
  if (loop?.startsWith(session.toLowerCase()) && session.length >= MIN_PREFIX)
    return { sessionId: loop, path: loops.lockPath() };
  const sessionId = services.questions.resolve(session);
  return { sessionId, path: services.questionStore.lockPath(sessionId) };
}

const MIN_PREFIX = 4;

function report(sessionId: string, state: LockState): LockReport {
  return {
    sessionId,
    state: state.hold,
    epoch: state.epoch,
    owner: state.hold === 'free' ? null : describeOwner(state),
  };
}
