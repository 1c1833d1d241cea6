import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { visibleExcerpt, visibleLine } from '../../foundation/index.js';
import { acquireLock, ensureDirectory, type LockTools } from '../../storage/index.js';
import { EntryPlaceError } from '../../worker/index.js';
import {
  checkRemoteUrl,
  fetchCommit,
  listTreeTrouble,
  openMirror,
  type RemoteRepository,
  type WorkspaceTools,
} from '../../workspace/index.js';

/** A repository of the fleet on this machine. */
export interface FleetRepository extends RemoteRepository {
  /** The bare mirror that its worktrees belong to. */
  readonly mirror: string;
}

/** Whether a git server accepts refs of our own, or only branches. */
export type RefKind = 'refs' | 'branch';

/** The prefix of every ref that we write at a git server. */
export function refPrefix(kind: RefKind): string {
  return kind === 'branch' ? 'refs/heads/holdfast' : 'refs/holdfast';
}

/**
 * Where to keep a commit that work starts from and that is on no branch of the server: every server hands out the tip
 * of a ref.
 */
export function baseRef(commit: string, kind: RefKind): string {
  return `${refPrefix(kind)}/base/${commit.slice(0, 12)}`;
}

const FETCH_WAIT_MS = 30 * 60_000;

/** Where the mirror of a repository is kept: the address does not become part of a path. */
export function repositoryPlace(fleet: string, url: string): string {
  return join(fleet, 'repositories', createHash('sha256').update(url).digest('hex').slice(0, 32));
}

/** A repository's usual name: the last part of its address. */
export function repositoryName(url: string): string {
  const last = url.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '';
  return last.replace(/\.git$/, '') || 'repository';
}

/** Opens the mirror of a repository, creating it if needed. Throws GIT_REMOTE, GIT_FAILED, PROGRAM_NOT_STARTED. */
export async function openRepository(
  tools: LockTools,
  workbench: WorkspaceTools,
  fleet: string,
  url: string,
): Promise<FleetRepository> {
  const directory = repositoryPlace(fleet, checkRemoteUrl(url));
  ensureDirectory(tools.fileSystem, fleet);
  ensureDirectory(tools.fileSystem, join(fleet, 'repositories'));
  ensureDirectory(tools.fileSystem, directory);
  using _lock = await acquireLock(tools, join(directory, 'making'), { waitMs: FETCH_WAIT_MS });
  return await openMirror(workbench, directory, url);
}

/**
 * Fetches a commit of a repository, one at a time for all workers of the machine. Throws GIT_REMOTE; ENTRY_PLACE for a
 * tree that git alone cannot carry from machine to machine.
 */
export async function bringCommit(
  tools: LockTools,
  workbench: WorkspaceTools,
  repository: FleetRepository,
  wanted: { readonly commit: string; readonly ref?: string | undefined },
): Promise<void> {
  using _lock = await acquireLock(tools, join(repository.mirror, '..', 'fetch'), { waitMs: FETCH_WAIT_MS });
  await fetchCommit(workbench, repository, wanted);
}

/** Throws ENTRY_PLACE if the tree of a commit has submodules, or files that are stored elsewhere (LFS). */
export async function refuseTree(
  workbench: WorkspaceTools,
  { mirror, url }: FleetRepository,
  commit: string,
): Promise<void> {
  const trouble = await listTreeTrouble(workbench, mirror, commit);
  if (trouble === undefined) return;
  const what = trouble.is === 'submodules' ? 'has submodules' : 'keeps files in git LFS';
  throw new EntryPlaceError(
    `${visibleExcerpt(url.replace(/\/\/[^/@]*@/, '//'), 200)} ${what} (${visibleLine(trouble.path)}), which snapshots do not carry yet`,
    { hint: 'Queue it for one machine alone: `holdfast queue add --local`.' },
  );
}
