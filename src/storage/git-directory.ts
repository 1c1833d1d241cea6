import { dirname, join, resolve } from 'node:path';
import { readFile } from './bytes/atomic-file.js';
import type { FileSystem } from './bytes/file-system.js';
import { isRepositoryTop } from './layout.js';

/** The directory that all worktrees of a repository share; undefined outside a repository. */
export function gitCommonDirectory(fileSystem: FileSystem, from: string): string | undefined {
  const start = realPath(fileSystem, from);
  if (start === undefined) return undefined;
  for (let directory = start; ; directory = dirname(directory)) {
    if (isRepositoryTop(fileSystem, directory)) {
      const git = join(directory, '.git');
      return fileSystem.look(git)?.kind === 'file' ? commonOf(fileSystem, directory, git) : git;
    }
    if (dirname(directory) === directory) return undefined;
  }
}

/** A worktree, or a submodule, names its git directory in a file; a worktree's git directory names the common one. */
function commonOf(fileSystem: FileSystem, directory: string, file: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readFile(fileSystem, file) ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = resolve(directory, named.trim());
  const common = readFile(fileSystem, join(own, 'commondir'))?.trim();
  return realPath(fileSystem, common === undefined ? own : resolve(own, common));
}

/** The real path behind a path; undefined if it is gone or we may not see it. */
export function realPath(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return fileSystem.resolve(path);
  } catch {
    return undefined;
  }
}
