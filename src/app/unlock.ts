import { describeOwner, forceUnlock, inspectLock, type LockState } from '../storage/index.js';
import type { Services } from './services.js';

export interface LockReport {
  readonly sessionId: string;
  readonly state: LockState['hold'];
  readonly epoch: number;
  readonly owner: string | null;
}

/** Who holds the lock of a session. Throws SESSION_NOT_FOUND. */
export function lockOf(services: Services, sessionId: string): LockReport {
  return report(sessionId, inspectLock(services.tools, services.questionStore.lockPath(sessionId)));
}

/** Takes the lock of a session away from its owner, living or not, and tells whose it was. */
export function unlock(services: Services, sessionId: string): LockReport {
  return report(sessionId, forceUnlock(services.tools, services.questionStore.lockPath(sessionId)));
}

function report(sessionId: string, state: LockState): LockReport {
  return {
    sessionId,
    state: state.hold,
    epoch: state.epoch,
    owner: state.hold === 'free' ? null : describeOwner(state),
  };
}
