import { type LockedKind, locksOf, type SessionLocks } from '../../catalog/index.js';
import { isHoldfastError } from '../../foundation/index.js';
import { worktreesOf } from '../run/run-place.js';
import type { Services } from '../services.js';
import { openChanges } from './open-changes.js';
import { conversationStore } from './open-conversations.js';
import { loopsOfWorktree, openLoops } from './open-loops.js';
import { processStore } from './open-processes.js';

/** The locks of the sessions that can be seen from here. */
export function openLocks(services: Services): SessionLocks {
  return locksOf(services.tools, services.actor, (typed) => [
    questionLocks(services),
    conversationLocks(services),
    processLocks(services),
    loopLocks(services),
    changeLocks(services, typed),
  ]);
}

function questionLocks({ questions, questionStore }: Services): LockedKind {
  return { kind: 'question', ids: questions.ids(), lockPath: (id) => questionStore.lockPath(id) };
}

function conversationLocks(services: Services): LockedKind {
  const store = conversationStore(services);
  return { kind: 'conversation', ids: store.ids(), lockPath: (id) => store.lockPath(id) };
}

function processLocks(services: Services): LockedKind {
  const store = processStore(services);
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

/** The active change session that was typed: of this project, or of another one if its id is complete. */
function changeLocks(services: Services, typed: string): LockedKind {
  const changes = openChanges(services);
  try {
    const id = changes.resolve(typed);
    const path = changes.lockPath(id);
    return { kind: 'change', ids: path === undefined ? [] : [id], lockPath: () => path ?? '' };
  } catch (error) {
    // An invalid id for a change session may still be the id of a session of another kind.
    if (!isHoldfastError(error, 'INVALID_SESSION_ID')) throw error;
    return { kind: 'change', ids: [], lockPath: () => '' };
  }
}
