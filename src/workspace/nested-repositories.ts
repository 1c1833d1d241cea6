import { dirname, isAbsolute, join, normalize, relative } from 'node:path';
import {
  type FileFacts,
  type FileSystem,
  isRepositoryTop,
  listDirectory,
  readFile,
} from '../storage/index.js';
import { askGit, type GitTools } from './git.js';
import { splitAtNul } from './git-status.js';
import { isInside } from './snapshot.js';

/**
 * Repositories inside another: those that git reported as untracked, submodules, and worktrees of the same repository,
 * which are often kept in an ignored directory. Paths are relative to the outer one. A path that leads out of it is
 * left out.
 */
export async function findNestedRepositories(
  tools: GitTools,
  top: string,
  untracked: readonly string[],
): Promise<string[]> {
  const found = new Set([
    ...untracked,
    ...(await listSubmodules(tools, top)),
    ...listWorktrees(tools.fileSystem, top),
  ]);
  return [...found].filter((path) => isRepositoryBelow(tools.fileSystem, top, path)).sort();
}

/** The nearest directory, searching upwards, that is the top of a repository. */
export function findRepositoryTop(fileSystem: FileSystem, directory: string): string | undefined {
  for (let current = directory; ; current = dirname(current)) {
    if (isRepositoryTop(fileSystem, current)) return current;
    if (dirname(current) === current) return undefined;
  }
}

function look(fileSystem: FileSystem, path: string): FileFacts | undefined {
  try {
    return fileSystem.look(path);
  } catch {
    return undefined; // may not be entered, or is below something that is not a directory
  }
}

async function listSubmodules(tools: GitTools, top: string): Promise<string[]> {
  if (look(tools.fileSystem, join(top, '.gitmodules'))?.kind !== 'file') return [];
  const pattern = '^submodule\\..*\\.path$';
  try {
    const output = await askGit(tools, top, ['config', '-z', '-f', '.gitmodules', '--get-regexp', pattern]);
    return splitAtNul(output).map((record) => record.toString('utf8').split('\n').slice(1).join('\n'));
  } catch {
    return []; // it has no submodules, or no such file that git could read
  }
}

function listWorktrees(fileSystem: FileSystem, top: string): string[] {
  const directory = join(top, '.git', 'worktrees');
  if (look(fileSystem, directory)?.kind !== 'directory') return [];
  return listDirectory(fileSystem, directory).flatMap((name) => {
    const gitFile = readQuietly(fileSystem, join(directory, name, 'gitdir'))?.trim();
    return gitFile === undefined || !isAbsolute(gitFile) ? [] : [relative(top, dirname(gitFile))];
  });
}

function readQuietly(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return readFile(fileSystem, path);
  } catch {
    return undefined; // half created or half removed: no worktree to look at
  }
}

/** These paths come from foreign text, so they must not lead out, neither by dots nor through a link. */
function isRepositoryBelow(fileSystem: FileSystem, top: string, path: string): boolean {
  const plain = normalize(path);
  if (plain === '.' || !isInside(plain) || path.includes('\0')) return false;
  try {
    return (
      fileSystem.resolve(join(top, path)) === join(top, path) && isRepositoryTop(fileSystem, join(top, path))
    );
  } catch {
    return false; // not checked out
  }
}
