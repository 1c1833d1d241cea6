import { askGit, GitFailedError } from './git.js';
import { gitTools, type WorkspaceTools } from './take-snapshot.js';

/** A remote, with the name that a repository has for it. */
export interface NamedRemote {
  readonly name: string;
  readonly url: string;
}

/**
 * Where a repository is fetched from: `origin`, otherwise its only remote; undefined if it has none. Throws
 * PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function findRemote(tools: WorkspaceTools, top: string): Promise<NamedRemote | undefined> {
  try {
    const output = await askGit(gitTools(tools, {}), top, ['config', '--get-regexp', '^remote\\..*\\.url$']);
    const remotes = output
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name, url] = /^remote\.(.+)\.url (.+)$/.exec(line) ?? [];
        return name === undefined || url === undefined ? [] : [{ name, url }];
      });
    return remotes.find(({ name }) => name === 'origin') ?? (remotes.length === 1 ? remotes[0] : undefined);
  } catch (error) {
    if (error instanceof GitFailedError && error.exitCode === 1) return undefined;
    throw error;
  }
}

/** Whether a branch of a remote, as last fetched or pushed, has a commit. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function isOnRemote(tools: WorkspaceTools, top: string, commit: string): Promise<boolean> {
  const output = await askGit(gitTools(tools, {}), top, [
    'for-each-ref',
    '--count=1',
    `--contains=${commit}`,
    'refs/remotes',
  ]);
  return output.length > 0;
}
