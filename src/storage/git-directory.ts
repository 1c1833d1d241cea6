import { dirname, join, resolve } from 'node:path';
import { readFile } from './bytes/atomic-file.js';
import type { FileSystem } from './bytes/file-system.js';
import { isRepositoryTop } from './layout.js';

/** The one directory that all worktrees of a repository share; undefined outside of any. */
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

/** A worktree, or a submodule, names its git directory in a file; a worktree's names the common one. */
function commonOf(fileSystem: FileSystem, directory: string, file: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readFile(fileSystem, file) ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = resolve(directory, named.trim());
  const common = readFile(fileSystem, join(own, 'commondir'))?.trim();
  return realPath(fileSystem, common === undefined ? own : resolve(own, common));
}

/** Where a path really is; undefined where it is gone, or may not be seen. */
export function realPath(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return fileSystem.resolve(path);
  } catch {
    return undefined;
  }
}
