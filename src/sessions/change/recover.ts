import { type ChangePlan, findProject, type Project } from '../../plans/index.js';
import { DocumentDamagedError, type StorageTools } from '../../storage/index.js';
import { ChangeSessionNotFoundError } from './errors.js';
import { flushLearnings, settleFlush } from './flush.js';
import { endedSession, type LocateTools, planOfSession, resolveSessionId } from './locate.js';
import type { ChangeState } from './schema.js';
import { isSessionId } from './session-id.js';
import type { HeldChange } from './store.js';

/** What was done to mend a session. */
export interface ChangeRecovery {
  readonly changeName: string;
  /** The session that now holds the change, or whose learnings were written; null if there is none. */
  readonly sessionId: string | null;
  readonly outcome:
    | 'whole'
    /** The claim could not be read and was restored from the copy in the temporary directory. */
    | 'restored'
    /** The claim could not be read and there was no copy, so the change is free again. */
    | 'freed'
    /** The learnings of an ended session were written into design.md. */
    | 'learnings-written';
  readonly learningsWritten: number;
  /** Where a damaged file was set aside. */
  readonly keptAt: string | null;
}

/**
 * Mends a session: sets aside a claim that cannot be read and restores it from its copy, settles an interrupted flush,
 * and writes the learnings of a released session into design.md. `target` is a change that is held, or the id of a
 * session. Throws SESSION_NOT_FOUND, CHANGE_NOT_FOUND.
 */
export async function recoverSession(
  tools: LocateTools,
  storage: StorageTools,
  target: string,
): Promise<ChangeRecovery> {
  const project = findProject(tools.fileSystem, tools.workingDirectory);
  const claims = tools.store.claims(project);
  const claim = claims.find(({ changeName }) => changeName === target) ?? claims.find(isOf(tools, target));
  if (claim === undefined) return recoverEnded(tools, storage, target);
  using hold = await tools.store.hold(project, claim.changeName);
  return recoverClaim(tools, storage, project, claim.changeName, hold);
}

function isOf(tools: LocateTools, target: string) {
  if (!isSessionId(target)) return () => false;
  const sessionId = resolveSessionId(tools, target);
  return ({ state }: { state?: ChangeState | undefined }) => state?.sessionId === sessionId;
}

function recoverClaim(
  tools: LocateTools,
  storage: StorageTools,
  project: Project,
  changeName: string,
  hold: HeldChange,
): ChangeRecovery {
  const report = { changeName, learningsWritten: 0, keptAt: null };
  try {
    const found = hold.read();
    if (found === undefined) return { ...report, sessionId: null, outcome: 'freed' };
    const state = settleFlush(found, () => planOf(storage, project, found).read('design.md'));
    hold.write(state);
    tools.projections.write(state);
    return { ...report, sessionId: state.sessionId, outcome: 'whole' };
  } catch (error) {
    if (!(error instanceof DocumentDamagedError)) throw error;
  }
  const keptAt = hold.setAside();
  const copy = newestCopy(tools, project, changeName);
  if (copy === undefined) return { ...report, sessionId: null, outcome: 'freed', keptAt };
  hold.create(copy);
  return { ...report, sessionId: copy.sessionId, outcome: 'restored', keptAt };
}

async function recoverEnded(
  tools: LocateTools,
  storage: StorageTools,
  target: string,
): Promise<ChangeRecovery> {
  const sessionId = resolveSessionId(tools, target);
  const ended = endedSession(tools, sessionId);
  if (ended === undefined) throw new ChangeSessionNotFoundError(target);
  const { project } = ended;
  const { changeName } = ended.state;
  using hold = await tools.store.hold(project, changeName);
  const found = endedSession(tools, sessionId)?.state ?? ended.state;
  const flushed = bringLearnings(storage, project, found, hold);
  const learningsWritten = flushed.flushedLearnings - found.flushedLearnings;
  tools.projections.remove(flushed);
  const outcome = learningsWritten > 0 ? 'learnings-written' : 'whole';
  return { changeName, sessionId, outcome, learningsWritten, keptAt: null };
}

/** Writes the learnings of an ended session into design.md, if any are missing there. */
function bringLearnings(
  storage: StorageTools,
  project: Project,
  found: ChangeState,
  hold: HeldChange,
): ChangeState {
  if (found.flush === null && found.flushedLearnings >= found.learnings.length) return found;
  const plan = planOf(storage, project, found);
  const state = settleFlush(found, () => plan.read('design.md'));
  const flushed = flushLearnings(plan, state, (intent) => hold.writeEnded(intent));
  hold.writeEnded(flushed);
  return flushed;
}

function planOf(storage: StorageTools, project: Project, state: ChangeState): ChangePlan {
  const plan = planOfSession(storage, project, state);
  plan.sweep();
  return plan;
}

function newestCopy(tools: LocateTools, project: Project, changeName: string): ChangeState | undefined {
  return tools.projections
    .all()
    .filter((copy) => copy.project === project.root && copy.changeName === changeName)
    .filter(({ status }) => status === 'active')
    .sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))[0];
}
