import type { SessionKind } from '../catalog/index.js';
import { isHoldfastError } from '../foundation/index.js';
import { FileConversationStore } from '../sessions/conversation/index.js';
import { FileProcessStore } from '../sessions/process/index.js';
import { describeOwner, forceUnlock, inspectLock, type LockState, StorageError } from '../storage/index.js';
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

/** Sessions of one kind, by their ids, and where the lock of each is. */
interface LockedKind {
  readonly kind: SessionKind;
  readonly ids: readonly string[];
  readonly lockPath: (id: string) => string;
}

/** The session of any kind that a person means. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
export async function findLockedSession(services: Services, typed: string): Promise<LockedSession> {
  // A chunk of its own, which the other commands do without.
  const { findSession } = await import('../catalog/index.js');
  const kinds = [
    questionLocks(services),
    conversationLocks(services),
    processLocks(services),
    loopLocks(services),
    await changeLocks(services, typed),
  ];
  const known = kinds.flatMap(({ kind, ids, lockPath }) => ids.map((id) => ({ kind, id, lockPath })));
  const { id, lockPath } = findSession(known, typed);
  return { sessionId: id, path: lockPath(id) };
}

/** Who holds the lock of a session. */
export function lockOf(services: Services, { sessionId, path }: LockedSession): LockReport {
  return report(
    sessionId,
    freeWhereNone(() => inspectLock(services.tools, path)),
  );
}

/** Takes the lock of a session away from its owner, living or not, and tells whose it was. */
export function unlock(services: Services, { sessionId, path }: LockedSession): LockReport {
  return report(
    sessionId,
    freeWhereNone(() => forceUnlock(services.tools, path)),
  );
}

/** The directory of a conversation's lock is made by the first who takes it: where there is none, nobody did. */
function freeWhereNone(look: () => LockState): LockState {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault !== 'gone') throw error;
    return { hold: 'free', epoch: 0, reason: 'it was never taken' };
  }
}

function questionLocks({ questions, questionStore }: Services): LockedKind {
  return { kind: 'question', ids: questions.ids(), lockPath: (id) => questionStore.lockPath(id) };
}

function conversationLocks({ tools, config }: Services): LockedKind {
  const store = new FileConversationStore(tools, { directory: config.layout.conversations });
  return { kind: 'conversation', ids: store.ids(), lockPath: (id) => store.lockPath(id) };
}

function processLocks({ tools, config }: Services): LockedKind {
  const { processes: directory, processTrash: trash } = config.layout;
  const store = new FileProcessStore(tools, { directory, trash });
  return { kind: 'process', ids: store.ids(), lockPath: (id) => store.lockPath(id) };
}

/** The loop of this project. */
function loopLocks(services: Services): LockedKind {
  const loops = openLoops(services);
  const id = loops.get()?.sessionId;
  return { kind: 'loop', ids: id === undefined ? [] : [id], lockPath: () => loops.lockPath() };
}

/** The active change session that is meant: of this project, or of another one if it is named in full. */
async function changeLocks(services: Services, typed: string): Promise<LockedKind> {
  const { openChanges } = await import('./open-changes.js');
  const changes = openChanges(services);
  try {
    const id = changes.resolve(typed);
    const path = changes.lockPath(id);
    return { kind: 'change', ids: path === undefined ? [] : [id], lockPath: () => path ?? '' };
  } catch (error) {
    // What cannot be the id of a change session may still be that of another one.
    if (!isHoldfastError(error, 'INVALID_SESSION_ID')) throw error;
    return { kind: 'change', ids: [], lockPath: () => '' };
  }
}

function report(sessionId: string, state: LockState): LockReport {
  return {
    sessionId,
    state: state.hold,
    epoch: state.epoch,
    owner: state.hold === 'free' ? null : describeOwner(state),
  };
}
