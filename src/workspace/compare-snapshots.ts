import { join } from 'node:path';
import { InvalidInputError } from '../foundation/index.js';
import { isRepositoryTop } from '../storage/index.js';
import { Doubts, judge } from './doubts.js';
import { type GitTools, isGitTrouble } from './git.js';
import {
  type Commit,
  type CommittedChange,
  compareCommits,
  findNewCommits,
  MAX_COMMITS,
} from './git-history.js';
import {
  type Content,
  compareText,
  type FileState,
  isWithinAny,
  joinPath,
  type MeasurementNote,
  type RepositoryState,
  type Snapshot,
} from './snapshot.js';
import { gitTools, type SnapshotOptions, type WorkspaceTools } from './take-snapshot.js';

/** What happened to one repository. */
export interface RepositoryChange {
  /** Relative to the root, `''` for the root itself. */
  readonly path: string;
  readonly change: 'changed' | 'appeared' | 'gone';
  /** Oldest first. */
  readonly commits: readonly Commit[];
  readonly headBefore: string | undefined;
  readonly headAfter: string | undefined;
  /** Undefined if HEAD was detached, or there was no repository. */
  readonly branchBefore: string | undefined;
  readonly branchAfter: string | undefined;
}

/** What changed between two snapshots. Paths are relative to the root, sorted by code units. */
export interface WorkspaceChanges {
  readonly root: string;
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  /** Only repositories with a commit or a move of HEAD, or that appeared or disappeared. */
  readonly repositories: readonly RepositoryChange[];
  readonly hasChanges: boolean;
  /** What could not be determined, in either snapshot or in this comparison. */
  readonly notes: readonly MeasurementNote[];
}

/**
 * Reports what changed on disk between two snapshots of the same root, whatever was committed meanwhile. A file that is
 * back in its earlier state is no change; a renamed file counts as one deleted and one created. Asks git about commits.
 * Throws INVALID_INPUT for snapshots of different roots.
 */
export async function compareSnapshots(
  tools: WorkspaceTools,
  before: Snapshot,
  after: Snapshot,
  options: Pick<SnapshotOptions, 'gitCommand' | 'timeoutMs'> = {},
): Promise<WorkspaceChanges> {
  if (before.root !== after.root) {
    throw new InvalidInputError(`Snapshots of ${before.root} and ${after.root} cannot be compared`);
  }
  const git = gitTools(tools, options);
  const histories = await compareHistories(git, before, after);
  const files = await compareFiles(git, before, after, histories);
  const repositories = withoutRepeats(
    histories.flatMap(({ change }) => (change === undefined ? [] : [change])),
  );
  return {
    root: after.root,
    ...files,
    repositories,
    hasChanges: files.created.length + files.modified.length + files.deleted.length + repositories.length > 0,
    notes: dedupe([...before.notes, ...after.notes, ...histories.flatMap(({ notes }) => notes)]),
  };
}

/** What git reports about one repository between two moments. */
interface History {
  readonly path: string;
  readonly change: RepositoryChange | undefined;
  readonly committed: ReadonlyMap<string, CommittedChange>;
  /** Whether the committed files of both moments are known. */
  readonly isKnown: boolean;
  readonly notes: readonly MeasurementNote[];
}

async function compareHistories(git: GitTools, before: Snapshot, after: Snapshot): Promise<History[]> {
  const byPath = (snapshot: Snapshot) => new Map(snapshot.repositories.map((state) => [state.path, state]));
  const [old, current] = [byPath(before), byPath(after)];
  const paths = [...new Set([...old.keys(), ...current.keys()])].sort(compareText);
  const histories: History[] = [];
  for (const path of paths) {
    histories.push(await compareHistory(git, after.root, old.get(path), current.get(path)));
  }
  return histories;
}

async function compareHistory(
  git: GitTools,
  root: string,
  before: RepositoryState | undefined,
  after: RepositoryState | undefined,
): Promise<History> {
  if (after === undefined) return goneHistory(git, root, before);
  const { path } = after;
  const top = join(root, path);
  try {
    const committed = await compareCommits(git, top, before?.head, after.head);
    const commits = await findNewCommits(git, top, before, after);
    const notes = commits.length > MAX_COMMITS ? [tooManyCommits(path)] : [];
    const change = describeChange(before, after, commits.slice(-MAX_COMMITS));
    return { path, change, committed, isKnown: true, notes };
  } catch (error) {
    if (!isGitTrouble(error)) throw error;
    const notes = [notComparable(path, error.message)];
    return { path, change: describeChange(before, after, []), committed: new Map(), isKnown: false, notes };
  }
}

/** A repository that is no longer reported: it was removed, or git failed the second time. */
function goneHistory(git: GitTools, root: string, before: RepositoryState | undefined): History {
  const path = before?.path ?? '';
  const isThere = isRepositoryTop(git.fileSystem, join(root, path));
  const change: RepositoryChange = {
    path,
    change: 'gone',
    commits: [],
    headBefore: before?.head,
    headAfter: undefined,
    branchBefore: before?.branch,
    branchAfter: undefined,
  };
  const reason = isThere ? 'git reported it only before' : 'the repository is gone';
  return {
    path,
    change: isThere ? undefined : change,
    committed: new Map(),
    isKnown: false,
    notes: [notComparable(path, reason)],
  };
}

function describeChange(
  before: RepositoryState | undefined,
  after: RepositoryState,
  commits: readonly Commit[],
): RepositoryChange | undefined {
  const isSame = before !== undefined && before.head === after.head && before.branch === after.branch;
  if (isSame && commits.length === 0) return undefined;
  return {
    path: after.path,
    change: before === undefined ? 'appeared' : 'changed',
    commits,
    headBefore: before?.head,
    headAfter: after.head,
    branchBefore: before?.branch,
    branchAfter: after.branch,
  };
}

/** Worktrees share their branches, so a commit is reported only once, by the innermost one. */
function withoutRepeats(changes: readonly RepositoryChange[]): RepositoryChange[] {
  const told = new Set<string>();
  const kept: RepositoryChange[] = [];
  for (const change of changes.toReversed()) {
    const commits = change.commits.filter(({ id }) => !told.has(id));
    for (const { id } of commits) told.add(id);
    const isEmpty = commits.length === 0 && change.commits.length > 0 && change.change === 'changed';
    const hasMoved = change.headBefore !== change.headAfter || change.branchBefore !== change.branchAfter;
    if (!isEmpty || hasMoved) kept.unshift({ ...change, commits });
  }
  return kept;
}

type FileChanges = Pick<WorkspaceChanges, 'created' | 'modified' | 'deleted'>;

async function compareFiles(
  git: GitTools,
  before: Snapshot,
  after: Snapshot,
  histories: readonly History[],
): Promise<FileChanges> {
  const committed = new Map(
    histories.flatMap(({ path, committed }) =>
      [...committed].map(([name, change]) => [joinPath(path, name), change] as const),
    ),
  );
  const doubts = new Doubts(git, after);
  const changes = { created: [] as string[], modified: [] as string[], deleted: [] as string[] };
  const isUnknown = unknownPaths(before, after, histories);
  for (const path of new Set([...before.files.keys(), ...after.files.keys(), ...committed.keys()])) {
    const [old, current] = [before.files.get(path), after.files.get(path)];
    if (isUnknown(path, old !== undefined && current !== undefined)) continue;
    const history = committed.get(path);
    const oldContent = contentAt(old, history, history?.before, current);
    const newContent = contentAt(current, history, history?.after, old);
    const verdict = judge(oldContent, newContent);
    const isDoubtful = verdict === 'doubtful' || (verdict === 'deleted' && current === undefined);
    if (isDoubtful && oldContent !== undefined) {
      doubts.add({ path, before: oldContent, after: newContent, state: current });
    }
    if (!isDoubtful && verdict !== 'same') changes[verdict].push(path);
  }
  const settled = await doubts.settle();
  changes.modified.push(...settled.modified);
  changes.deleted.push(...settled.deleted);
  return {
    created: changes.created.sort(compareText),
    modified: changes.modified.sort(compareText),
    deleted: changes.deleted.sort(compareText),
  };
}

/**
 * What was on disk at one moment: what the snapshot saw; otherwise what was committed, if the commits differ; otherwise
 * what the other snapshot saw committed, because then the commits agree on this file.
 */
function contentAt(
  seen: FileState | undefined,
  history: CommittedChange | undefined,
  committed: Content | undefined,
  other: FileState | undefined,
): Content | undefined {
  if (seen !== undefined) return seen.now;
  return history === undefined ? other?.committed : committed;
}

/** What was left out is not reported. If one side was not examined, only files that both have seen can be compared. */
function unknownPaths(
  before: Snapshot,
  after: Snapshot,
  histories: readonly History[],
): (path: string, isSeenTwice: boolean) => boolean {
  const repositories = histories.filter(({ isKnown }) => !isKnown).map(({ path }) => path);
  const partly = new Set([...before.unknown, ...after.unknown, ...repositories]);
  const leftOut = new Set([...before.leftOut, ...after.leftOut]);
  return (path, isSeenTwice) => isWithinAny(path, leftOut) || (!isSeenTwice && isWithinAny(path, partly));
}

function notComparable(path: string, reason: string): MeasurementNote {
  return { code: 'not-comparable', path, message: `committed files are not compared: ${reason}` };
}

function tooManyCommits(path: string): MeasurementNote {
  return { code: 'too-many-commits', path, message: `only the last ${MAX_COMMITS} new commits are listed` };
}

function dedupe(notes: readonly MeasurementNote[]): MeasurementNote[] {
  return [...new Map(notes.map((note) => [`${note.code} ${note.path} ${note.message}`, note])).values()];
}
