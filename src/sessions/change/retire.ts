import type { Project } from '../../plans/index.js';
import type { TrashEntry } from '../../storage/index.js';
import { ChangeLockedError, ChangeSessionNotFoundError } from './errors.js';
import { activeSessions, endedSession, type LocateTools, namedSession, projectAround } from './locate.js';
import type { ChangeState } from './schema.js';

/**
 * The state of a session, active or ended. A claim that cannot be read has no id, so its change stands in for it.
 * Throws SESSION_NOT_FOUND, DOCUMENT_DAMAGED with the way out.
 */
export function stateOf(tools: LocateTools, sessionId: string): ChangeState {
  const project = projectAround(tools);
  if (project !== undefined) assertReadable(tools, project, sessionId);
  const located = namedSession(tools, sessionId) ?? endedSession(tools, sessionId);
  if (located === undefined) throw new ChangeSessionNotFoundError(sessionId);
  return located.state;
}

/**
 * Moves an ended session of the project around the working directory to the trash; if several have the id, the last
 * one, or the one created at `createdAt`. A session that still holds its change must give it up first. Throws
 * SESSION_NOT_FOUND, CHANGE_LOCKED, DOCUMENT_DAMAGED, LOCKED.
 */
export async function retireSession(
  tools: LocateTools,
  sessionId: string,
  createdAt?: string,
): Promise<TrashEntry> {
  const project = projectAround(tools);
  if (project === undefined) throw new ChangeSessionNotFoundError(sessionId);
  assertReadable(tools, project, sessionId);
  const isMeant = (state: ChangeState) =>
    state.sessionId === sessionId && (createdAt === undefined || state.createdAt === createdAt);
  const active = activeSessions(tools, project).find(isMeant);
  if (active !== undefined)
    throw new ChangeLockedError(active.changeName, { sessionId, since: active.createdAt });
  const state = tools.store.ended(project).find(isMeant);
  if (state === undefined) throw new ChangeSessionNotFoundError(sessionId);
  using hold = await tools.store.hold(project, state.changeName);
  return hold.retire(state);
}

function assertReadable(tools: LocateTools, project: Project, changeName: string): void {
  const claim = tools.store.claims(project).find((one) => one.changeName === changeName);
  if (claim?.fault !== undefined) tools.store.readClaim(project, changeName);
}
