import {
  type Change,
  ChangePlan,
  countTasks,
  findChange,
  isComplete,
  listArchivedChanges,
  listChanges,
  type PlacedChange,
  type Project,
  placeOfChange,
  type Story,
} from '../../plans/index.js';
import type { StorageTools } from '../../storage/index.js';
import { ChangeGoneError } from './errors.js';
import { type LocateTools, projectAround } from './locate.js';
import type { ChangeState } from './schema.js';
import type { Claim } from './store.js';

/** A change as a list shows it. */
export interface ChangeSummary {
  readonly name: string;
  /** `missing`: it is held, but its directory is gone. */
  readonly status: 'no-tasks' | 'in-progress' | 'complete' | 'archived' | 'missing';
  readonly tasksDone: number;
  readonly tasksTotal: number;
  readonly storiesDone: number;
  readonly storiesTotal: number;
  /** The session that holds it. */
  readonly session: ChangeState | null;
  /** Why its claim cannot be read. */
  readonly fault: string | null;
}

/** A change in full. */
export interface ChangeDetail extends ChangeSummary {
  readonly stories: readonly Story[];
  /** Its ended sessions, the last one first. */
  readonly ended: readonly ChangeState[];
}

/** A session as shown in lists of all kinds of session. */
export interface ChangeSessionSummary {
  readonly id: string;
  readonly kind: 'change';
  readonly state: ChangeState['status'];
  readonly title: string;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** Learnings that design.md does not have yet. */
  readonly unflushedLearnings: number;
  readonly project: string;
  /** What does not verify; empty if everything does. */
  readonly faults: readonly string[];
}

/** The changes of a project by name, with archived ones (if wanted) last. */
export function listChangeSummaries(
  tools: LocateTools,
  storage: StorageTools,
  project: Project,
  options: { isAll?: boolean | undefined },
): ChangeSummary[] {
  const claims = new Map(tools.store.claims(project).map((claim) => [claim.changeName, claim]));
  const changes = listChanges(tools.fileSystem, project);
  const summaries = changes.map((change) =>
    summarize(new ChangePlan(storage, project, change).stories(), change.name, claims.get(change.name)),
  );
  const names = new Set(changes.map(({ name }) => name));
  const orphans = [...claims.values()].filter(({ changeName }) => !names.has(changeName));
  const held = orphans.map((claim) => summarizeOrphan(storage, project, claim));
  const archived = options.isAll ? listArchivedChanges(tools.fileSystem, project) : [];
  return [...summaries, ...held, ...archived.map((change) => summarizeArchived(storage, project, change))];
}

/** One change with its stories, including one that was archived while held. Throws CHANGE_NOT_FOUND, INVALID_CHANGE_NAME. */
export function showChange(
  tools: LocateTools,
  storage: StorageTools,
  project: Project,
  changeName: string,
): ChangeDetail {
  const claim = tools.store.claims(project).find((one) => one.changeName === changeName);
  const ended = tools.store.ended(project).filter((state) => state.changeName === changeName);
  const place = placeOfSession(storage, project, claim?.state ?? ended[0]);
  if (place === undefined && claim?.state !== undefined)
    throw new ChangeGoneError(claim.state, unflushedOf(claim.state));
  const change = place ?? findChange(tools.fileSystem, project, changeName);
  const stories = new ChangePlan(storage, project, change).stories();
  const summary = summarize(stories, changeName, claim);
  return { ...summary, ...(place?.isArchived ? { status: ARCHIVED } : {}), stories, ended };
}

/** Every session that can be found from here, active or ended. */
export function summarizeSessions(tools: LocateTools): ChangeSessionSummary[] {
  const here = projectAround(tools);
  const projects = new Map<string, Project>();
  const roots = tools.projections.all().map((copy) => projectAround(tools, copy.project));
  for (const project of [here, ...roots]) if (project !== undefined) projects.set(project.directory, project);
  return [...projects.values()].flatMap((project) => [
    ...tools.store.claims(project).map((claim) => summaryOfClaim(project, claim)),
    ...tools.store.ended(project).map((state) => summaryOfState(project, state)),
  ]);
}

const MISSING = 'missing' as const;
const ARCHIVED = 'archived' as const;

function placeOfSession(
  { fileSystem }: StorageTools,
  project: Project,
  state: ChangeState | undefined,
): PlacedChange | undefined {
  return state && placeOfChange(fileSystem, project, state.changeName, state.createdAt);
}

function unflushedOf({ learnings, flushedLearnings }: ChangeState): number {
  return learnings.length - flushedLearnings;
}

/** A claim whose change is not in its place, because it was archived or is gone. */
function summarizeOrphan(storage: StorageTools, project: Project, claim: Claim): ChangeSummary {
  const archive = placeOfSession(storage, project, claim.state);
  const stories = archive === undefined ? [] : new ChangePlan(storage, project, archive).stories();
  const status = archive === undefined ? MISSING : ARCHIVED;
  return { ...summarize(stories, claim.changeName, claim), status };
}

function summarize(stories: readonly Story[], name: string, claim: Claim | undefined): ChangeSummary {
  const { total, done } = countTasks(stories);
  return {
    name,
    status: total === 0 ? 'no-tasks' : done === total ? 'complete' : 'in-progress',
    tasksDone: done,
    tasksTotal: total,
    storiesDone: stories.filter(isComplete).length,
    storiesTotal: stories.length,
    session: claim?.state ?? null,
    fault: claim?.fault ?? null,
  };
}

function summarizeArchived(storage: StorageTools, project: Project, change: Change): ChangeSummary {
  const stories = new ChangePlan(storage, project, change).stories();
  return { ...summarize(stories, change.name, undefined), status: ARCHIVED };
}

/** A claim that cannot be read has no id; its change stands in for it. */
function summaryOfClaim(project: Project, claim: Claim): ChangeSessionSummary {
  if (claim.state !== undefined) return summaryOfState(project, claim.state);
  const { changeName, fault } = claim;
  return {
    id: changeName,
    kind: 'change',
    state: 'active',
    title: changeName,
    createdAt: null,
    updatedAt: null,
    unflushedLearnings: 0,
    project: project.root,
    faults: [fault],
  };
}

function summaryOfState(project: Project, state: ChangeState): ChangeSessionSummary {
  const { sessionId: id, status, changeName: title, createdAt, updatedAt } = state;
  const unflushedLearnings = unflushedOf(state);
  const times = { createdAt, updatedAt };
  const { root } = project;
  return {
    id,
    kind: 'change',
    state: status,
    title,
    ...times,
    unflushedLearnings,
    project: root,
    faults: [],
  };
}
