import { findForeignFilters } from './foreign-filters.js';
import { askGit, GitFailedError, type GitTools, isGitTrouble } from './git.js';
import { compareCommits } from './git-history.js';
import { splitAtNul } from './git-status.js';
import { nameOf } from './path-bytes.js';
import { gitTools, type WorkspaceTools } from './take-snapshot.js';

/** A worktree as registered with git. */
export interface RegisteredWorktree {
  readonly path: string;
  /** Without `refs/heads/`; undefined if HEAD is detached or cannot be read. */
  readonly branch: string | undefined;
}

/** The current position of a repository, for starting work from it. */
export interface BasePoint {
  readonly commit: string;
  /** Undefined if HEAD is detached. */
  readonly branch: string | undefined;
}

/** Checking out a large repository takes its time. */
const CHECKOUT_TIMEOUT_MS = 30 * 60_000;
/** The exit code with which git says no. */
const NOT_FOUND = 1;

/** The checked-out commit and branch; undefined before the first commit. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function findBase(tools: WorkspaceTools, top: string): Promise<BasePoint | undefined> {
  const git = gitTools(tools, {});
  const commit = await askOrNot(git, top, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (commit === undefined) return undefined;
  const branch = await askOrNot(git, top, ['symbolic-ref', '--short', '--quiet', 'HEAD']);
  return { commit: commit.trim(), branch: branch?.trim() };
}

/**
 * The commit that a name (an id, a branch, a tag) stands for; undefined if it stands for none. Throws
 * PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function findCommit(
  tools: WorkspaceTools,
  top: string,
  name: string,
): Promise<string | undefined> {
  const git = gitTools(tools, {});
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`] as const;
  try {
    return (await askOrNot(git, top, [...asked]))?.trim();
  } catch (error) {
    // git accepts an id of full length until it has to look for the commit itself.
    if (error instanceof GitFailedError && error.exitCode !== null) return undefined;
    throw error;
  }
}

/** The commit of a branch; undefined if there is no such branch. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function findBranch(
  tools: WorkspaceTools,
  top: string,
  branch: string,
): Promise<string | undefined> {
  const git = gitTools(tools, {});
  const reference = `refs/heads/${branch}`;
  const commit = await askOrNot(git, top, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${reference}^{commit}`,
  ]);
  return commit?.trim();
}

/** Whether git would accept this as the name of a branch. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function isBranchName(tools: WorkspaceTools, top: string, branch: string): Promise<boolean> {
  return (
    (await askOrNot(gitTools(tools, {}), top, ['check-ref-format', `refs/heads/${branch}`])) !== undefined
  );
}

/** Every worktree that the repository knows, including those that are gone. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function listWorktrees(tools: WorkspaceTools, top: string): Promise<RegisteredWorktree[]> {
  const output = await askGit(gitTools(tools, {}), top, ['worktree', 'list', '--porcelain']);
  return output
    .toString('utf8')
    .split('\n\n')
    .flatMap((block) => {
      const path = /^worktree (.+)$/m.exec(block)?.[1];
      const branch = /^branch refs\/heads\/(.+)$/m.exec(block)?.[1];
      return path === undefined ? [] : [{ path, branch }];
    });
}

/**
 * Registers a worktree with its branch. No file is checked out, so this is quick and a crash leaves almost nothing. A
 * worktree that is registered but gone is registered again. No hook runs. Throws PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function registerWorktree(
  tools: WorkspaceTools,
  top: string,
  { path, branch, from }: { readonly path: string; readonly branch: string; readonly from?: string },
): Promise<void> {
  // Twice, because a worktree left by a crash is locked as well.
  const common = ['worktree', 'add', '--force', '--force', '--no-checkout', '--quiet'] as const;
  await askGit(
    gitTools(tools, {}),
    top,
    from === undefined
      ? [...common, '--', path, branch]
      : [...common, '--no-track', '-b', branch, '--', path, from],
  );
}

/** Removes the mark that git leaves on a worktree until it is finished with it; a missing mark is fine. */
export async function unlockWorktree(tools: WorkspaceTools, top: string, path: string): Promise<void> {
  try {
    await askGit(gitTools(tools, {}), top, ['worktree', 'unlock', '--', path]);
  } catch (error) {
    if (!(error instanceof GitFailedError)) throw error; // it was not locked
  }
}

/**
 * Writes the files of a worktree as in its branch. No hook or filter of the repository runs. Repeating it is harmless.
 * Throws PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function checkOutFiles(tools: WorkspaceTools, top: string): Promise<void> {
  const git = gitTools(tools, { timeoutMs: CHECKOUT_TIMEOUT_MS });
  const { settings } = await findForeignFilters(git, top);
  await askGit(git, top, ['read-tree', '--reset', '-u', 'HEAD'], { settings });
}

/** The directories of submodules; nothing in them is checked out. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function listSubmodulePaths(tools: WorkspaceTools, top: string): Promise<string[]> {
  const output = await askGit(gitTools(tools, {}), top, ['ls-files', '--stage', '-z']);
  return splitAtNul(output)
    .filter((entry) => entry.subarray(0, 7).toString('latin1') === '160000 ')
    .map((entry) => nameOf(entry.subarray(entry.indexOf(0x09) + 1)));
}

/** The files that git does not track, including those it ignores. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function listUntracked(tools: WorkspaceTools, top: string): Promise<string[]> {
  const output = await askGit(gitTools(tools, {}), top, ['ls-files', '--others', '-z']);
  return splitAtNul(output).map(nameOf);
}

/** How many commits of a branch are on no other branch, here or at a remote. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function countUnmerged(tools: WorkspaceTools, top: string, branch: string): Promise<number> {
  const reference = `refs/heads/${branch}`;
  const output = await askGit(gitTools(tools, {}), top, [
    'rev-list',
    '--count',
    reference,
    '--not',
    // For branches, this option wants names without `refs/heads/`.
    `--exclude=${branch}`,
    '--branches',
    '--remotes',
    '--',
  ]);
  return Number(output.toString('latin1').trim());
}

/** The files that a branch has changed in commits since its base; undefined if git cannot tell. */
export async function compareToBase(
  tools: WorkspaceTools,
  top: string,
  { branch, baseCommit }: { readonly branch: string; readonly baseCommit: string },
): Promise<ReadonlySet<string> | undefined> {
  try {
    const commit = await findBranch(tools, top, branch);
    if (commit === undefined) return undefined;
    return new Set((await compareCommits(gitTools(tools, {}), top, baseCommit, commit)).keys());
  } catch (error) {
    if (!isGitTrouble(error)) throw error;
    return undefined;
  }
}

async function askOrNot(
  git: GitTools,
  top: string,
  args: readonly [operation: string, ...rest: string[]],
): Promise<string | undefined> {
  try {
    return (await askGit(git, top, args)).toString('utf8');
  } catch (error) {
    if (error instanceof GitFailedError && error.exitCode === NOT_FOUND) return undefined;
    throw error;
  }
}
