import { findId, isHoldfastError } from '../../foundation/index.js';
import { ChangePlan, changeAround, findProject, type Project, placeOfChange } from '../../plans/index.js';
import type { FileSystem, StorageTools } from '../../storage/index.js';
import {
  ChangeGoneError,
  ChangeSessionEndedError,
  ChangeSessionNotFoundError,
  InvalidChangeSessionIdError,
  SessionElsewhereError,
  SessionRequiredError,
} from './errors.js';
import { isSameSession, type Projections } from './projection.js';
import type { ChangeState } from './schema.js';
import { isReservedName, isSessionId } from './session-id.js';
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
 * The active session that a command is about: the one named, otherwise the only one of the change around the working
 * directory, otherwise the only one of the project. Throws SESSION_REQUIRED, SESSION_NOT_FOUND, SESSION_ENDED,
 * SESSION_ELSEWHERE.
 */
export function locateSession(tools: LocateTools, sessionId: string | undefined): Located {
  if (sessionId === undefined) return onlySession(tools);
  const located = sessionOfHere(tools, sessionId);
  if (located !== undefined) return located;
  const ended = endedSession(tools, sessionId);
  if (ended === undefined) throw new ChangeSessionNotFoundError(sessionId);
  throw sessionEnded(ended.state);
}

/** An ended session; the last one with this id. */
export function endedSession(tools: LocateTools, sessionId: string): Located | undefined {
  checkSessionId(sessionId);
  const project = projectAround(tools);
  if (project === undefined) return undefined;
  const state = tools.store.ended(project).find((ended) => ended.sessionId === sessionId);
  return state === undefined ? undefined : { project, state };
}

/** Where an id is already in use; the temporary directory knows about other projects. */
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

/**
 * The active session with this id that a command run here may work on. Outside any project it is found wherever it is;
 * from within another project it would silently be the wrong one. Throws SESSION_ELSEWHERE.
 */
export function sessionOfHere(tools: LocateTools, sessionId: string): Located | undefined {
  const located = namedSession(tools, sessionId);
  const here = located && projectAround(tools);
  if (located === undefined || here === undefined || here.directory === located.project.directory)
    return located;
  const roots = { there: located.project.root, here: here.root };
  throw new SessionElsewhereError(sessionId, located.state.changeName, roots);
}

/** The files of the change that a session works on, wherever they are now. Throws CHANGE_NOT_FOUND. */
export function planOfSession(storage: StorageTools, project: Project, state: ChangeState): ChangePlan {
  const place = placeOfChange(storage.fileSystem, project, state.changeName, state.createdAt);
  if (place === undefined) throw new ChangeGoneError(state, state.learnings.length - state.flushedLearnings);
  return new ChangePlan(storage, project, place);
}

/** The full id for a prefix. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
export function resolveSessionId(tools: LocateTools, prefix: string): string {
  checkSessionId(prefix);
  const project = projectAround(tools);
  const states =
    project === undefined ? [] : [...activeSessions(tools, project), ...tools.store.ended(project)];
  const ids = [...new Set(states.map((state) => state.sessionId))];
  return findId(ids, prefix) ?? prefix;
}

/** Throws INVALID_SESSION_ID for an id that no path may be built from. */
export function checkSessionId(sessionId: string): void {
  if (!isSessionId(sessionId)) throw new InvalidChangeSessionIdError(sessionId, isReservedName(sessionId));
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
  if (fitting.length === 0)
    throw new SessionRequiredError(`no session is active ${around ? 'for this change' : 'in this project'}`);
  const workable = withPlans(tools, project, fitting);
  const [state] = workable;
  if (state === undefined) throw onlyGone(fitting);
  if (workable.length === 1) return { project, state };
  const candidates = workable.map(({ sessionId, changeName }) => `${sessionId} (${changeName})`);
  throw new SessionRequiredError(`several sessions are active: ${candidates.join(', ')}`, candidates);
}

/** Sessions whose change is in its place; if there are none, sessions whose change was archived. */
function withPlans(tools: LocateTools, project: Project, states: readonly ChangeState[]): ChangeState[] {
  const placed = states.map((state) => ({ state, place: changePlaceOf(tools, project, state) }));
  const there = placed.filter(({ place }) => place !== undefined);
  const inPlace = there.filter(({ place }) => place?.isArchived === false);
  return (inPlace.length > 0 ? inPlace : there).map(({ state }) => state);
}

function changePlaceOf(
  { fileSystem }: LocateTools,
  project: Project,
  { changeName, createdAt }: ChangeState,
) {
  return placeOfChange(fileSystem, project, changeName, createdAt);
}

function onlyGone(states: readonly ChangeState[]): SessionRequiredError {
  const gone = states.map(({ sessionId, changeName }) => `${changeName} of session ${sessionId}`);
  return new SessionRequiredError(
    `the changes of the active sessions are gone: ${gone.join(', ')}`,
    [],
    states.map(({ changeName }) => changeName),
  );
}
