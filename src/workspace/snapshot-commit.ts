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

/** A working tree as a commit that is on no branch. */
export interface SnapshotCommit {
  readonly commit: string;
  /** The commit that HEAD was at; the base if what was committed since must not leave the machine. */
  readonly parent: string;
  readonly leftOut: readonly LeftOut[];
}

export interface SnapshotCommitOptions {
  /** Where the work began: what is in that commit is already at the remote. */
  readonly base: string;
  readonly message: string;
  /** A directory of ours for temporary files. */
  readonly scratch: string;
  /** A name that nothing else uses there. */
  readonly token: string;
}

/** Larger untracked files do not travel. */
export const MAX_UNTRACKED_BYTES = 5 * 1024 * 1024;
/** Ours, in every directory of the tree. */
const OWN_DIRECTORIES: readonly string[] = ['.holdfast', '.prp-session'];
const NO_MODE = '0';

/**
 * Makes a commit of a working tree in its state on disk, including untracked files. HEAD, branch and index stay
 * unchanged. No filter or hook runs: files are taken byte by byte. Files with a secret that the parent commit does not
 * have, and large untracked files, are left out and reported. Throws PROGRAM_NOT_STARTED, GIT_FAILED.
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
    // In parallel: neither reads what the other writes. Both have ended before anything is cleaned up.
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
 * Puts a worktree in the state of a snapshot: HEAD and the index are at its parent, the files are the snapshot's. No
 * hook or filter of the repository runs. Repeating it is harmless. Throws PROGRAM_NOT_STARTED, GIT_FAILED.
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

/** Whether nothing committed since holds a secret: single files cannot be left out of history. */
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

/** Collects what goes into the index of a snapshot, file by file. */
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

  /** Lines for `update-index --index-info`: removals come first, so a file may become a directory. */
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
      // It is being written right now: git did not read what we checked.
      this.#leave(name, 'unreadable');
      return [];
    });
    const links = await this.#storeLinks();
    return [...this.#removed.map((path) => entryLine(NO_MODE, none, path)), ...kept, ...links];
  }

  #leave(path: string, reason: LeftOut['reason']): void {
    this.#place.leftOut.push({ path, reason });
  }

  /** Whether the parent commit has a secret in it too: then nothing new is given away. */
  async #hadSecret(name: string): Promise<boolean> {
    const { parent } = this.#place;
    try {
      return isSecret(await askGit(this.#git, this.#top, ['cat-file', 'blob', `${parent}:${name}`]));
    } catch {
      return false; // the file is new
    }
  }

  async #store(lines: readonly string[]): Promise<string[]> {
    if (lines.length === 0) return [];
    const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'] as const;
    return text(await askGit(this.#git, this.#top, args, { input: lines })).split('\n');
  }

  /** The content of a link is its target; git reads that from a file of ours. */
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

/** The product's one redaction funnel decides what a secret is. */
function isSecret(bytes: Buffer): boolean {
  const said = bytes.toString('utf8');
  return redact(said) !== said;
}

function look<Value extends FileFacts | Buffer>(read: () => Value | undefined): Value | undefined {
  try {
    return read();
  } catch {
    return undefined; // it went away, or we may not read it
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
