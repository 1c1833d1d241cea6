import { join } from 'node:path';
import { redact } from '../foundation/index.js';
import { type FileFacts, lookAt, readBytes, removeQuietly, writeQuick } from '../storage/index.js';
import { findForeignFilters } from './foreign-filters.js';
import { askGit, type GitTools } from './git.js';
import { compareCommits } from './git-history.js';
import { nameOf, quotePath } from './path-bytes.js';
import { blobId, hashOfId } from './read-content.js';
import { readStatus } from './read-repository.js';
import { gitTools, type WorkspaceTools } from './take-snapshot.js';

/** A file that is not in a snapshot, and why. */
export interface LeftOut {
  readonly path: string;
  readonly reason: 'secret' | 'large' | 'repository' | 'name' | 'unreadable';
}

/** A working tree as a commit that no branch has. */
export interface SnapshotCommit {
  readonly commit: string;
  /** What HEAD was; the base where what was committed since then may not leave the machine. */
  readonly parent: string;
  readonly leftOut: readonly LeftOut[];
}

export interface SnapshotCommitOptions {
  /** Where the work began: what is in that commit is at the remote already. */
  readonly base: string;
  readonly message: string;
  /** A directory of ours, for what is needed meanwhile. */
  readonly scratch: string;
  /** A name that nobody else uses there. */
  readonly token: string;
}

/** An untracked file that is larger does not travel. */
export const MAX_UNTRACKED_BYTES = 5 * 1024 * 1024;
/** Ours, in every directory of the tree. */
const OWN_DIRECTORIES: readonly string[] = ['.holdfast', '.prp-session'];
const NO_MODE = '0';

/**
 * Makes a commit of a working tree as it is on disk, untracked files too. HEAD, branch and index stay as they are; no filter
 * and no hook runs: files are taken byte by byte. What holds a secret that the commit before does not have, and untracked files
 * that are large, are left out and told. Throws PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function commitSnapshot(
  tools: WorkspaceTools,
  top: string,
  options: SnapshotCommitOptions,
): Promise<SnapshotCommit> {
  const git = gitTools(tools, {});
  const { settings } = await findForeignFilters(git, top);
  const status = await readStatus(git, top, settings);
  const { head } = status;
  const { base, scratch, token } = options;
  const leftOut: LeftOut[] = status.nested.map((path) => ({ path: nameOf(path), reason: 'repository' }));
  const isClean = head === undefined || head === base || (await isPublicSince(git, top, base, head));
  const parent = head !== undefined && isClean ? head : base;
  const paths = new Map(status.entries.map(({ path, isUntracked }) => [nameOf(path), { path, isUntracked }]));
  if (parent !== head)
    for (const name of (await compareCommits(git, top, parent, head)).keys())
      if (!paths.has(name)) paths.set(name, { path: Buffer.from(name), isUntracked: false });
  const index = join(scratch, `${token}.index`);
  const variables = { GIT_INDEX_FILE: index, GIT_OPTIONAL_LOCKS: '1' };
  try {
    const reading = new TreeReading(git, top, { parent, scratch, token, leftOut });
    // Side by side: neither looks at what the other writes. Both have ended before anything is cleaned up.
    const works = [reading.linesOf(paths), askGit(git, top, ['read-tree', parent], { variables })] as const;
    await Promise.allSettled(works);
    const [lines] = await Promise.all(works);
    if (lines.length > 0)
      await askGit(git, top, ['update-index', '--index-info'], { variables, input: lines });
    const tree = text(await askGit(git, top, ['write-tree'], { variables }));
    const commit = text(
      await askGit(git, top, ['commit-tree', '-p', parent, '-m', options.message, tree], {
        variables: identityAt(tools.clock.now()),
      }),
    );
    return { commit, parent, leftOut: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  } finally {
    removeQuietly(tools.fileSystem, index);
  }
}

/**
 * Puts a worktree where a snapshot was taken: HEAD and the index are at its parent, the files are the snapshot's. No hook and
 * no filter of the repository runs. Done twice it is done once. Throws PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function placeSnapshot(
  tools: WorkspaceTools,
  top: string,
  { commit, parent }: Pick<SnapshotCommit, 'commit' | 'parent'>,
): Promise<void> {
  const git = gitTools(tools, { timeoutMs: CHECKOUT_TIMEOUT_MS });
  const { settings } = await findForeignFilters(git, top);
  await askGit(git, top, ['read-tree', '--reset', '-u', commit], { settings });
  await askGit(git, top, ['read-tree', '--reset', parent], { settings });
}

const CHECKOUT_TIMEOUT_MS = 30 * 60_000;

/** Whether nothing that was committed since holds a secret: history cannot be left out file by file. */
async function isPublicSince(git: GitTools, top: string, base: string, head: string): Promise<boolean> {
  const range = ['--no-textconv', '--no-ext-diff', '--no-color', '-p', `${base}..${head}`, '--'] as const;
  const said = (await askGit(git, top, ['log', ...range])).toString('utf8');
  const added = said
    .split('\n')
    .filter((line) => !line.startsWith('-'))
    .join('\n');
  return redact(added) === added;
}

interface ReadingPlace {
  readonly parent: string;
  readonly scratch: string;
  readonly token: string;
  readonly leftOut: LeftOut[];
}

/** What goes into the index of a snapshot, file by file. */
class TreeReading {
  readonly #git: GitTools;
  readonly #top: string;
  readonly #place: ReadingPlace;
  readonly #removed: Buffer[] = [];
  readonly #files: { path: Buffer; name: string; mode: string; expected: string }[] = [];
  readonly #links: { path: Buffer; target: string }[] = [];

  constructor(git: GitTools, top: string, place: ReadingPlace) {
    this.#git = git;
    this.#top = top;
    this.#place = place;
  }

  /** For `update-index --index-info`: what goes first, so that a file may become a directory. */
  async linesOf(
    paths: ReadonlyMap<string, { readonly path: Buffer; readonly isUntracked: boolean }>,
  ): Promise<string[]> {
    for (const [name, { path, isUntracked }] of paths) await this.#add(name, path, isUntracked);
    return await this.#lines();
  }

  async #add(name: string, path: Buffer, isUntracked: boolean): Promise<void> {
    if (name.split('/').some((part) => OWN_DIRECTORIES.includes(part))) return;
    const { fileSystem } = this.#git;
    if (!Buffer.from(name, 'utf8').equals(path)) return this.#leave(name, 'name');
    const full = join(this.#top, name);
    const facts = look(() => lookAt(fileSystem, full));
    if (facts === undefined || facts.kind === 'directory') {
      if (!isUntracked) this.#removed.push(path);
      return;
    }
    if (facts.kind === 'link') {
      this.#links.push({ path, target: fileSystem.readLink(full) });
      return;
    }
    if (facts.kind !== 'file') return this.#leave(name, 'unreadable');
    if (isUntracked && facts.size > MAX_UNTRACKED_BYTES) return this.#leave(name, 'large');
    const bytes = look(() => readBytes(fileSystem, full));
    if (bytes === undefined) return this.#leave(name, 'unreadable');
    if (isSecret(bytes) && (isUntracked || !(await this.#hadSecret(name))))
      return this.#leave(name, 'secret');
    const mode = (facts.mode & 0o100) === 0 ? '100644' : '100755';
    this.#files.push({ path, name, mode, expected: blobId(bytes, hashOfId(this.#place.parent)) });
  }

  async #lines(): Promise<string[]> {
    const none = '0'.repeat(this.#place.parent.length);
    const ids = await this.#store(this.#files.map(({ path }) => quotePath(path)));
    const kept = this.#files.flatMap(({ path, name, mode, expected }, at) => {
      if (ids[at] === expected) return [entryLine(mode, expected, path)];
      // Somebody writes to it right now: what git read is not what was looked through.
      this.#leave(name, 'unreadable');
      return [];
    });
    const links = await this.#storeLinks();
    return [...this.#removed.map((path) => entryLine(NO_MODE, none, path)), ...kept, ...links];
  }

  #leave(path: string, reason: LeftOut['reason']): void {
    this.#place.leftOut.push({ path, reason });
  }

  /** Whether the commit before holds one as well: then nothing new is given away. */
  async #hadSecret(name: string): Promise<boolean> {
    const { parent } = this.#place;
    try {
      return isSecret(await askGit(this.#git, this.#top, ['cat-file', 'blob', `${parent}:${name}`]));
    } catch {
      return false; // it is new
    }
  }

  async #store(lines: readonly string[]): Promise<string[]> {
    if (lines.length === 0) return [];
    const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'] as const;
    return text(await askGit(this.#git, this.#top, args, { input: lines })).split('\n');
  }

  /** The content of a link is where it leads; git takes that from a file of ours. */
  async #storeLinks(): Promise<string[]> {
    const { fileSystem } = this.#git;
    const { scratch, token } = this.#place;
    const files = this.#links.map((_link, at) => join(scratch, `${token}.link-${at}`));
    try {
      for (const [at, { target }] of this.#links.entries()) writeQuick(fileSystem, files[at] ?? '', target);
      const ids = await this.#store(files);
      return this.#links.map(({ path }, at) => entryLine('120000', ids[at] ?? '', path));
    } finally {
      for (const file of files) removeQuietly(fileSystem, file);
    }
  }
}

function entryLine(mode: string, id: string, path: Buffer): string {
  return `${mode} ${id}\t${quotePath(path)}`;
}

/** The one funnel of the product decides what a secret is. */
function isSecret(bytes: Buffer): boolean {
  const said = bytes.toString('utf8');
  return redact(said) !== said;
}

function look<Value extends FileFacts | Buffer>(read: () => Value | undefined): Value | undefined {
  try {
    return read();
  } catch {
    return undefined; // it went away, or is not ours to read
  }
}

/** The same on every machine: the commit is the product's, not the person's. */
function identityAt(now: Date): Record<string, string> {
  const date = `${Math.floor(now.getTime() / 1_000)} +0000`;
  return {
    GIT_AUTHOR_NAME: 'Holdfast',
    GIT_AUTHOR_EMAIL: 'holdfast@localhost',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: 'Holdfast',
    GIT_COMMITTER_EMAIL: 'holdfast@localhost',
    GIT_COMMITTER_DATE: date,
  };
}

function text(output: Buffer): string {
  return output.toString('latin1').trim();
}
