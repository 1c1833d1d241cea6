import type { LockReport, SessionKind, SessionLocks } from '../catalog/index.js';
import { isHoldfastError } from '../foundation/index.js';
import { FileConversationStore } from '../sessions/conversation/index.js';
import { FileProcessStore } from '../sessions/process/index.js';
import { describeOwner, forceUnlock, inspectLock, type LockState, StorageError } from '../storage/index.js';
import { loopsOfWorktree, openLoops } from './loops.js';
import { worktreesOf } from './run-place.js';
import type { Services } from './services.js';

/** A session whose lock somebody asks about. */
interface LockedSession {
  readonly sessionId: string;
  readonly path: string;
}

/** Sessions of one kind, by their ids, and where the lock of each is. */
interface LockedKind {
  readonly kind: SessionKind;
  readonly ids: readonly string[];
  readonly lockPath: (id: string) => string;
}

/** The locks of the sessions that can be seen from here. */
export function openLocks(services: Services): SessionLocks {
  return {
    look: async (typed) => {
      const { sessionId, path } = await findLockedSession(services, typed);
      return report(
        sessionId,
        freeWhereNone(() => inspectLock(services.tools, path)),
      );
    },
    takeAway: async (typed, actor = services.actor) => {
      const { sessionId, path } = await findLockedSession(services, typed);
      return report(
        sessionId,
        freeWhereNone(() => forceUnlock(services.tools, path, actor)),
      );
    },
  };
}

/** The session of any kind that a person means. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
async function findLockedSession(services: Services, typed: string): Promise<LockedSession> {
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

/** The loop of this project, and those of runs in worktrees. */
function loopLocks(services: Services): LockedKind {
  const own = openLoops(services);
  const others = worktreesOf(services).map((worktree) => loopsOfWorktree(services, worktree));
  const loops = new Map(
    [...others, own].flatMap((one) => {
      const id = one.get()?.sessionId;
      return id === undefined ? [] : [[id, one] as const];
    }),
  );
  return { kind: 'loop', ids: [...loops.keys()], lockPath: (id) => (loops.get(id) ?? own).lockPath() };
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
