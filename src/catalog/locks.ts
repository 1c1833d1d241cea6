import type { Actor } from '../foundation/index.js';
import {
  describeOwner,
  forceUnlock,
  inspectLock,
  type LockState,
  type LockTools,
  StorageError,
} from '../storage/index.js';
import { findSession } from './find.js';
import type { SessionKind } from './kind.js';
import type { LockReport, SessionLocks } from './operations.js';

/** The sessions of one kind by id, and where their locks are. */
export interface LockedKind {
  readonly kind: SessionKind;
  readonly ids: readonly string[];
  readonly lockPath: (id: string) => string;
}

/** The locks of the sessions of several kinds. `kindsFor` finds the kinds and sessions that the typed id may refer to. */
export function locksOf(
  tools: LockTools,
  actor: Actor,
  kindsFor: (typed: string) => readonly LockedKind[],
): SessionLocks {
  const on = (typed: string, act: (path: string) => LockState): LockReport => {
    const known = kindsFor(typed).flatMap(({ kind, ids, lockPath }) =>
      ids.map((id) => ({ kind, id, lockPath })),
    );
    const { id, lockPath } = findSession(known, typed);
    return report(
      id,
      freeWhereNone(() => act(lockPath(id))),
    );
  };
  return {
    look: async (typed) => on(typed, (path) => inspectLock(tools, path)),
    takeAway: async (typed, by = actor) => on(typed, (path) => forceUnlock(tools, path, by)),
  };
}

/** The first owner creates the directory of a conversation's lock, so without a directory nobody ever held it. */
function freeWhereNone(look: () => LockState): LockState {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault !== 'gone') throw error;
    return { hold: 'free', epoch: 0, reason: 'it was never taken' };
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
