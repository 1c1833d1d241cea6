import { join } from 'node:path';
import { HoldfastError, redact, visibleExcerpt } from '../foundation/index.js';
import { ensureDirectory, lookAt } from '../storage/index.js';
import { askGit, type GitResult, type GitTools, runGit } from './git.js';
import { gitTools, type WorkspaceTools } from './take-snapshot.js';

/**
 * What went wrong with a git server, or on the way to it. `overtaken`: someone else wrote there; `gone`: a commit is no
 * longer there.
 */
export type RemoteTrouble = 'away' | 'slow' | 'refused' | 'overtaken' | 'gone';

/** A git server did not do what we asked. */
export class GitRemoteError extends HoldfastError<'GIT_REMOTE'> {
  readonly code = 'GIT_REMOTE';
  readonly trouble: RemoteTrouble;

  constructor(trouble: RemoteTrouble, url: string, words: string) {
    const said = words === '' ? '' : `: ${visibleExcerpt(redact(words), 300)}`;
    super(`${WORDS[trouble]} (${visibleExcerpt(withoutPassword(url), 200)})${said}`, {
      hint: HINTS[trouble],
    });
    this.trouble = trouble;
  }
}

const WORDS: Readonly<Record<RemoteTrouble, string>> = {
  away: 'The git server cannot be reached',
  slow: 'The git server did not answer in time',
  refused: 'The git server refused',
  overtaken: 'Someone else wrote to this ref on the git server',
  gone: 'The git server no longer has this commit',
};

const HINTS: Readonly<Record<RemoteTrouble, string>> = {
  away: 'Try it by hand on this machine: `git ls-remote <url>`. It must work without a password being typed.',
  slow: 'Try it by hand on this machine: `git ls-remote <url>`.',
  refused:
    'Its owner may have to allow pushes to refs/holdfast/*; where only branches can be pushed, set fleet.ref to branch.',
  overtaken: 'The run continues on another machine: `holdfast fleet status`.',
  gone: 'Push it again, or queue the plan again from a commit that the server has.',
};

/** A repository reached through a directory of ours: nothing that an agent can write decides how git gets there. */
export interface RemoteRepository {
  readonly url: string;
  /** A git directory that contains only what we put there. */
  readonly door: string;
  /** Where objects are read from and written to. */
  readonly objects: string;
}

/** Forms of addresses that name no program. Paths are for tests, and for shared disks. */
const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/|\/|[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:)/;

/** Throws GIT_REMOTE if this is not an address, or could name a program. */
export function checkRemoteUrl(url: string): string {
  if (ADDRESS.test(url) && !url.includes('::') && !/[\0\r\n]/.test(url)) return url;
  throw new GitRemoteError('refused', url, 'Holdfast does not connect to this kind of address');
}

/** How long a server may take for small requests, and for transfers that may be large. */
const ASK_MS = 60_000;
const TRANSFER_MS = 10 * 60_000;

/**
 * The bare mirror of a repository in a directory of ours, and the door beside it. Worktrees hang on the mirror, so an
 * agent may write to its configuration; the door talks to the server. Throws PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function openMirror(
  tools: WorkspaceTools,
  directory: string,
  url: string,
): Promise<RemoteRepository & { readonly mirror: string }> {
  const git = gitTools(tools, {});
  ensureDirectory(tools.fileSystem, directory);
  const [mirror, door] = [join(directory, 'mirror.git'), join(directory, 'door.git')];
  for (const path of [mirror, door])
    if (lookAt(tools.fileSystem, join(path, 'HEAD')) === undefined)
      await askGit(git, directory, ['init', '--bare', '--quiet', '--template=', path], {
        variables: { GIT_CEILING_DIRECTORIES: directory },
      });
  // No branch holds the objects of snapshots, so nothing may garbage-collect them.
  await askGit(git, mirror, ['config', 'gc.auto', '0']);
  return { url: checkRemoteUrl(url), door, objects: join(mirror, 'objects'), mirror };
}

/** Whether a commit is in the mirror. Throws PROGRAM_NOT_STARTED. */
export async function hasCommit(
  tools: WorkspaceTools,
  remote: RemoteRepository,
  commit: string,
): Promise<boolean> {
  const { exitCode } = await atDoor(tools, remote, ['cat-file', '-e', `${commit}^{commit}`], ASK_MS);
  return exitCode === 0;
}

/**
 * Fetches a commit: by the ref that has it, otherwise by its id, otherwise with all branches. Throws GIT_REMOTE,
 * PROGRAM_NOT_STARTED.
 */
export async function fetchCommit(
  tools: WorkspaceTools,
  remote: RemoteRepository,
  { commit, ref }: { readonly commit: string; readonly ref?: string | undefined },
): Promise<void> {
  if (await hasCommit(tools, remote, commit)) return;
  const wanted = [...(ref === undefined ? [] : [`+${ref}:${ref}`]), commit, '+refs/heads/*:refs/heads/*'];
  let last: GitResult | undefined;
  for (const what of wanted) {
    last = await atDoor(
      tools,
      remote,
      ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', remote.url, what],
      TRANSFER_MS,
    );
    if (last.exitCode === 0 && (await hasCommit(tools, remote, commit))) return;
    const trouble = troubleOf(last);
    if (last.exitCode !== 0 && (trouble === 'away' || trouble === 'slow'))
      throw new GitRemoteError(trouble, remote.url, wordsOf(last));
  }
  throw new GitRemoteError('gone', remote.url, `${commit.slice(0, 12)} cannot be fetched`);
}

/** What a ref on the server points to; undefined if there is none. Throws GIT_REMOTE, PROGRAM_NOT_STARTED. */
export async function findRemoteRef(
  tools: WorkspaceTools,
  remote: RemoteRepository,
  ref: string,
): Promise<string | undefined> {
  return (await listRemoteRefs(tools, remote, [ref])).get(ref);
}

/** The refs on the server that match a pattern, and what each points to. Throws GIT_REMOTE, PROGRAM_NOT_STARTED. */
export async function listRemoteRefs(
  tools: WorkspaceTools,
  remote: RemoteRepository,
  patterns: readonly string[],
): Promise<Map<string, string>> {
  const result = await atDoor(tools, remote, ['ls-remote', '--', remote.url, ...patterns], ASK_MS);
  if (result.exitCode !== 0) throw remoteError(remote, result);
  const lines = result.output.toString('utf8').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [commit, ref] = line.split('\t');
      return commit === undefined || ref === undefined ? [] : [[ref, commit] as const];
    }),
  );
}

/**
 * Removes refs on the server, each only while it points to the expected commit. Throws GIT_REMOTE if one of them stays;
 * PROGRAM_NOT_STARTED.
 */
export async function removeRemoteRefs(
  tools: WorkspaceTools,
  remote: RemoteRepository,
  refs: ReadonlyMap<string, string>,
): Promise<void> {
  const leases = [...refs].map(([ref, commit]) => `--force-with-lease=${ref}:${commit}`);
  const gone = [...refs.keys()].map((ref) => `:${ref}`);
  const args = ['push', '--quiet', '--no-verify', ...leases, '--', remote.url, ...gone] as const;
  const result = await atDoor(tools, remote, args, TRANSFER_MS);
  if (result.exitCode !== 0) throw remoteError(remote, result);
}

/** Whether a commit in the mirror has another one in its history. Throws PROGRAM_NOT_STARTED. */
export async function isInHistory(
  tools: WorkspaceTools,
  remote: RemoteRepository,
  { earlier, commit }: { readonly earlier: string; readonly commit: string },
): Promise<boolean> {
  const { exitCode } = await atDoor(tools, remote, ['merge-base', '--is-ancestor', earlier, commit], ASK_MS);
  return exitCode === 0;
}

/**
 * Pushes a commit to a ref that must be in the expected state: absent, or at this commit. Throws GIT_REMOTE, with
 * `overtaken` if it is not; PROGRAM_NOT_STARTED.
 */
export async function pushCommit(
  tools: WorkspaceTools,
  remote: RemoteRepository,
  {
    commit,
    ref,
    expected,
    timeoutMs = TRANSFER_MS,
  }: {
    readonly commit: string;
    readonly ref: string;
    readonly expected: string | null;
    readonly timeoutMs?: number | undefined;
  },
): Promise<void> {
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
  const args = ['push', '--quiet', '--no-verify', lease, '--', remote.url, `${commit}:${ref}`] as const;
  const result = await atDoor(tools, remote, args, timeoutMs);
  if (result.exitCode !== 0) throw remoteError(remote, result);
}

function remoteError(remote: RemoteRepository, result: GitResult): GitRemoteError {
  return new GitRemoteError(troubleOf(result), remote.url, wordsOf(result));
}

function troubleOf({ exitCode, signal, stderr }: GitResult): RemoteTrouble {
  if (exitCode === null && signal === null) return 'slow';
  if (/stale info|fetch first|non-fast-forward/.test(stderr)) return 'overtaken';
  if (/not our ref|couldn't find remote ref|unadvertised object/i.test(stderr)) return 'gone';
  if (/remote rejected|denied|declined|protected|prohibited|not permitted|hidden ref|403|401/i.test(stderr))
    return 'refused';
  return 'away';
}

/** The most informative line. */
function wordsOf({ stderr }: GitResult): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /rejected|fatal|error|denied/i.test(line)) ?? lines[0] ?? '';
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//');
}

/** What git needs from the person's environment to get access: their key agent, their proxy. */
const WAY_VARIABLES = [
  'SSH_AUTH_SOCK',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
] as const;

function atDoor(
  tools: WorkspaceTools,
  { door, objects }: RemoteRepository,
  args: readonly [operation: string, ...rest: string[]],
  timeoutMs: number,
): Promise<GitResult> {
  const git: GitTools = gitTools(tools, { timeoutMs });
  const way = Object.fromEntries(WAY_VARIABLES.map((name) => [name, tools.environment[name]]));
  return runGit(git, door, args, {
    variables: {
      ...way,
      GIT_DIR: door,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
      GIT_OPTIONAL_LOCKS: '1',
    },
  });
}

/** The part of a commit's tree that git alone does not carry: submodules, or files kept elsewhere (LFS). Throws GIT_FAILED. */
export async function listTreeTrouble(
  tools: WorkspaceTools,
  repository: string,
  commit: string,
): Promise<{ readonly is: 'submodules' | 'lfs'; readonly path: string } | undefined> {
  const git = gitTools(tools, { timeoutMs: ASK_MS });
  const tree = await askGit(git, repository, ['ls-tree', '-r', '-z', commit]);
  const entries = tree.toString('utf8').split('\0');
  const submodule = entries.find((entry) => entry.startsWith('160000 '));
  if (submodule !== undefined) return { is: 'submodules', path: submodule.split('\t')[1] ?? '' };
  for (const entry of entries) {
    const path = entry.split('\t')[1] ?? '';
    if (path !== '.gitattributes' && !path.endsWith('/.gitattributes')) continue;
    const rules = await askGit(git, repository, ['cat-file', 'blob', `${commit}:${path}`]);
    if (/\bfilter=lfs\b/.test(rules.toString('utf8'))) return { is: 'lfs', path };
  }
  return undefined;
}
