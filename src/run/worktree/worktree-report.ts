import { counted, shellWord } from '../../foundation/index.js';
import {
  type CountedFile,
  countChangedLines,
  countUnmerged,
  findBranch,
  isGitTrouble,
  takeSnapshot,
} from '../../workspace/index.js';
import type { RunServices } from '../open/run-services.js';
import { WorktreeHasWorkError } from './errors.js';
import { topFor } from './prepare.js';
import { isWorktreeThere, type WorktreeRecord } from './record.js';

/** The worktree of a run as it stands now, and what a person types to merge its work or to discard it. */
export interface WorktreeReport {
  readonly path: string;
  readonly isThere: boolean;
  readonly branch: string;
  readonly isBranchThere: boolean;
  readonly repository: string;
  readonly base: { readonly commit: string; readonly branch: string | null };
  /** Compared with the base, including uncommitted changes; null if git cannot tell. */
  readonly diffstat: { readonly files: number; readonly added: number; readonly deleted: number } | null;
  /** Files that are not committed; null if git cannot tell, or there is no worktree. */
  readonly uncommitted: number | null;
  /** Commits that no other branch has; null if git cannot tell. */
  readonly unmerged: number | null;
  /** One shell command each. We never run them. */
  readonly commands: { readonly merge: readonly string[]; readonly discard: readonly string[] };
}

/** Inspects the worktree of a run; nothing is changed. */
export async function reportWorktree(
  services: RunServices,
  worktree: WorktreeRecord,
): Promise<{ report: WorktreeReport; files: readonly CountedFile[] | undefined }> {
  const { path, branch, repository, baseCommit, baseBranch } = worktree;
  const isThere = isWorktreeThere(services.tools.fileSystem, worktree);
  const top = topFor(services, worktree);
  const workbench = services.workbench();
  const commit = await orUnknown(findBranch(workbench, top, branch));
  const isBranchThere = commit !== undefined && commit !== null;
  const files = isThere ? await countChangedLines(workbench, path, baseCommit) : undefined;
  const uncommitted = isThere ? await countUncommittedIn(services, path) : null;
  const unmerged = isBranchThere ? await orUnknown(countUnmerged(workbench, top, branch)) : null;
  const report = {
    path,
    isThere,
    branch,
    isBranchThere,
    repository,
    base: { commit: baseCommit, branch: baseBranch },
    diffstat: files === undefined ? null : sumOf(files),
    uncommitted,
    unmerged,
    commands: commandsFor({ path, branch, repository, isThere, isBranchThere, uncommitted }),
  };
  return { report, files };
}

/** The same without asking git: what was recorded when it was made. */
export function worktreeAsRecorded(
  { tools }: Pick<RunServices, 'tools'>,
  worktree: WorktreeRecord,
): { report: WorktreeReport; files: undefined } {
  const { path, branch, repository, baseCommit, baseBranch } = worktree;
  const isThere = isWorktreeThere(tools.fileSystem, worktree);
  const facts = { path, isThere, branch, isBranchThere: true, repository, uncommitted: null };
  const base = { commit: baseCommit, branch: baseBranch };
  const report = { ...facts, base, diffstat: null, unmerged: null, commands: commandsFor(facts) };
  return { report, files: undefined };
}

function sumOf(files: readonly CountedFile[]): WorktreeReport['diffstat'] {
  const sum = (key: 'added' | 'deleted') => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return { files: files.length, added: sum('added'), deleted: sum('deleted') };
}

async function countUncommittedIn(services: RunServices, path: string): Promise<number | null> {
  const workbench = services.workbench();
  const { repositories, files } = await takeSnapshot(workbench, path, workbench);
  return repositories.length === 0 ? null : files.size;
}

async function orUnknown<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    if (!isGitTrouble(error)) throw error;
    return null;
  }
}

/** The commands for a person. Pure. */
export function commandsFor({
  path,
  branch,
  repository,
  isThere,
  isBranchThere,
  uncommitted,
}: Pick<
  WorktreeReport,
  'path' | 'branch' | 'repository' | 'isThere' | 'isBranchThere' | 'uncommitted'
>): WorktreeReport['commands'] {
  const [there, here, name] = [shellWord(path), shellWord(repository), shellWord(branch)];
  const hasChanges = uncommitted !== 0;
  const commit = [`git -C ${there} add --all`, `git -C ${there} commit`];
  // A mirror of the fleet has no files of its own, so the work is fetched into the clone the person is in.
  const isMirror = repository.endsWith('.git');
  const merge = isMirror
    ? [`git fetch ${there} ${name}`, 'git merge FETCH_HEAD']
    : [`git -C ${here} merge ${name}`];
  const remove = `git -C ${here} worktree remove ${hasChanges ? '--force ' : ''}${there}`;
  return {
    merge: isBranchThere ? [...(isThere && hasChanges ? commit : []), ...merge] : [],
    discard: [
      isThere ? remove : `git -C ${here} worktree prune`,
      ...(isBranchThere ? [`git -C ${here} branch -D ${name}`] : []),
    ],
  };
}

/** Refuses to let a session go while its worktree holds work that no other branch has. Throws WORKTREE_HAS_WORK. */
export function refuseWork({
  path,
  uncommitted,
  unmerged,
  isThere,
  isBranchThere,
  commands,
}: WorktreeReport): void {
  const work = [
    ...(isThere && uncommitted === null ? ['changes that git cannot determine'] : []),
    ...(uncommitted !== null && uncommitted > 0 ? [counted(uncommitted, 'uncommitted file')] : []),
    ...(isBranchThere && unmerged === null ? ['commits that git cannot determine'] : []),
    ...(unmerged !== null && unmerged > 0 ? [counted(unmerged, 'unmerged commit')] : []),
  ];
  if (work.length === 0) return;
  throw new WorktreeHasWorkError(path, work.join(' and '), commands);
}
