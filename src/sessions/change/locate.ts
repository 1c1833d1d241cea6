import { findId, isHoldfastError } from '../../foundation/index.js';
import { changeAround, findProject, type Project } from '../../plans/index.js';
import type { FileSystem } from '../../storage/index.js';
import {
  ChangeSessionEndedError,
  ChangeSessionNotFoundError,
  InvalidChangeSessionIdError,
  SessionRequiredError,
} from './errors.js';
import { isSameSession, type Projections } from './projection.js';
import type { ChangeState } from './schema.js';
import { isSessionId } from './session-id.js';
import type { ChangeStore } from './store.js';

export interface LocateTools {
  readonly fileSystem: FileSystem;
  readonly store: ChangeStore;
  readonly projections: Projections;
  readonly workingDirectory: string;
}

/** A session and the project whose change it works on. */
export interface Located {
  readonly project: Project;
  readonly state: ChangeState;
}

/** The project around the working directory, if there is one. */
export function projectAround(tools: LocateTools, from = tools.workingDirectory): Project | undefined {
  try {
    return findProject(tools.fileSystem, from);
  } catch (error) {
    if (isHoldfastError(error, 'PROJECT_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** The sessions that hold a change of a project. */
export function activeSessions(tools: LocateTools, project: Project): ChangeState[] {
  return tools.store
    .claims(project)
    .map(({ state }) => state)
    .filter((state) => state !== undefined);
}

/**
 * The active session that a command is about: the one that was named, else the only one of the change that the working
 * directory is in, else the only one of the project. Throws SESSION_REQUIRED, SESSION_NOT_FOUND, SESSION_ENDED.
 */
export function locateSession(tools: LocateTools, sessionId: string | undefined): Located {
  if (sessionId === undefined) return onlySession(tools);
  const located = namedSession(tools, sessionId);
  if (located !== undefined) return located;
  const ended = endedSession(tools, sessionId);
  if (ended === undefined) throw new ChangeSessionNotFoundError(sessionId);
  throw sessionEnded(ended.state);
}

/** A session that is over, the last one with this id. */
export function endedSession(tools: LocateTools, sessionId: string): Located | undefined {
  checkSessionId(sessionId);
  const project = projectAround(tools);
  if (project === undefined) return undefined;
  const state = tools.store.ended(project).find((ended) => ended.sessionId === sessionId);
  return state === undefined ? undefined : { project, state };
}

/** Where else an id is in use; the temporary directory tells of other projects. */
export function namedSession(tools: LocateTools, sessionId: string): Located | undefined {
  checkSessionId(sessionId);
  const here = projectAround(tools);
  const found = here === undefined ? undefined : inProject(tools, here, sessionId);
  if (found !== undefined) return found;
  const copy = tools.projections.read(sessionId);
  const there = copy === undefined ? undefined : projectAround(tools, copy.project);
  const elsewhere = there === undefined ? undefined : inProject(tools, there, sessionId);
  return copy !== undefined && elsewhere !== undefined && isSameSession(copy, elsewhere.state)
    ? elsewhere
    : undefined;
}

/** The full id for the beginning of one. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
export function resolveSessionId(tools: LocateTools, prefix: string): string {
  checkSessionId(prefix);
  const project = projectAround(tools);
  const states =
    project === undefined ? [] : [...activeSessions(tools, project), ...tools.store.ended(project)];
  const ids = [...new Set(states.map((state) => state.sessionId))];
  return findId(ids, prefix) ?? prefix;
}

/** Throws INVALID_SESSION_ID for what no path may be built from. */
export function checkSessionId(sessionId: string): void {
  if (!isSessionId(sessionId)) throw new InvalidChangeSessionIdError(sessionId);
}

export function sessionEnded(state: ChangeState): ChangeSessionEndedError {
  const { sessionId, status, releaseReason: reason } = state;
  return new ChangeSessionEndedError(sessionId, { status, at: state.endedAt ?? state.updatedAt, reason });
}

function inProject(tools: LocateTools, project: Project, sessionId: string): Located | undefined {
  const state = activeSessions(tools, project).find((active) => active.sessionId === sessionId);
  return state === undefined ? undefined : { project, state };
}

function onlySession(tools: LocateTools): Located {
  const project = projectAround(tools);
  if (project === undefined)
    throw new SessionRequiredError('there is no OpenSpec project here to find one in');
  const around = changeAround(tools.fileSystem, project, tools.workingDirectory);
  const active = activeSessions(tools, project);
  const fitting = around === undefined ? active : active.filter(({ changeName }) => changeName === around);
  const [state] = fitting;
  if (state === undefined)
    throw new SessionRequiredError(`no session is active ${around ? 'for this change' : 'in this project'}`);
  if (fitting.length === 1) return { project, state };
  const candidates = fitting.map(({ sessionId, changeName }) => `${sessionId} (${changeName})`);
  throw new SessionRequiredError(`several sessions are active: ${candidates.join(', ')}`, candidates);
}
