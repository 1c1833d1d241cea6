import { HoldfastError } from '../foundation/index.js';
import { describeOwner, forceUnlock, inspectLock, type LockState } from '../storage/index.js';
import { openLoops } from './loops.js';
import type { Services } from './services.js';

export interface LockReport {
  readonly sessionId: string;
  readonly state: LockState['hold'];
  readonly epoch: number;
  readonly owner: string | null;
}

/** A session whose lock somebody asks about. */
export interface LockedSession {
  readonly sessionId: string;
  readonly path: string;
}

/** The session of any kind that a person means. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
export async function findLockedSession(services: Services, prefix: string): Promise<LockedSession> {
  const other = lockOfLoop(services, prefix) ?? (await lockOfChange(services, prefix));
  if (other !== undefined) return other;
  const sessionId = services.questions.resolve(prefix);
  return { sessionId, path: services.questionStore.lockPath(sessionId) };
}

/** Who holds the lock of a session. */
export function lockOf(services: Services, { sessionId, path }: LockedSession): LockReport {
  return report(sessionId, inspectLock(services.tools, path));
}

/** Takes the lock of a session away from its owner, living or not, and tells whose it was. */
export function unlock(services: Services, { sessionId, path }: LockedSession): LockReport {
  return report(sessionId, forceUnlock(services.tools, path));
}

/** The active change session of this project that is meant; undefined where there is none. */
async function lockOfChange(services: Services, prefix: string): Promise<LockedSession | undefined> {
  // A chunk of its own, which the other commands do without.
  const { openChanges } = await import('./open-changes.js');
  const changes = openChanges(services);
  try {
    const sessionId = changes.resolve(prefix);
    const path = changes.lockPath(sessionId);
    return path === undefined ? undefined : { sessionId, path };
  } catch (error) {
    // What cannot be the id of a change session may still be that of a question set.
    if (error instanceof HoldfastError && error.code === 'INVALID_SESSION_ID') return undefined;
    throw error;
  }
}

/** The loop of this project, if it is meant. */
function lockOfLoop(services: Services, prefix: string): LockedSession | undefined {
  const loops = openLoops(services);
  const sessionId = loops.read()?.sessionId;
  const isMeant = prefix.length >= MIN_PREFIX && sessionId?.startsWith(prefix.toLowerCase()) === true;
  return isMeant && sessionId !== undefined ? { sessionId, path: loops.lockPath() } : undefined;
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
