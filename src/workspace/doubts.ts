import { join } from 'node:path';
import type { GitTools } from './git.js';
import { ContentReader, hashOfId, READ_LIMITS } from './read-content.js';
import { hashByGit } from './read-repository.js';
import { type Content, type FileState, isWithin, type Snapshot } from './snapshot.js';

export type Comparison = 'same' | 'created' | 'modified' | 'deleted' | 'doubtful';

/** Compares two contents by what is known of both. */
export function judge(before: Content | undefined, after: Content | undefined): Comparison {
  if (before === undefined) return after === undefined ? 'same' : 'created';
  if (after === undefined) return 'deleted';
  if (before.kind !== after.kind) return 'modified';
  const isEqual = (a: string, b: string) => (a === b ? 'same' : 'modified');
  if (before.raw !== undefined && before.raw.length === after.raw?.length)
    return isEqual(before.raw, after.raw);
  if (before.blob !== undefined && after.blob !== undefined) return isEqual(before.blob, after.blob);
  const [id, otherId] = [before.raw ?? before.blob, after.blob ?? after.raw];
  if (id !== undefined && id === otherId) return 'same';
  if (before.facts !== undefined && after.facts !== undefined) {
    // The first time, bytes were read because facts alone would not have been enough.
    const isReadOnce = before.raw !== undefined && before.facts === after.facts;
    return isReadOnce ? 'doubtful' : isEqual(before.facts, after.facts);
  }
  const isNothingKnown = [id, otherId, before.facts, after.facts].every((known) => known === undefined);
  return isNothingKnown ? 'same' : 'doubtful';
}

/**
 * A file known on one side only by its committed bytes and on the other only by the bytes on disk; or one that the
 * later snapshot did not see, which is true both of a file that is ignored now and of one that is gone.
 */
export interface Doubt {
  readonly path: string;
  readonly before: Content;
  /** Undefined if the later snapshot knew nothing of this file. */
  readonly after: Content | undefined;
  /** As the later snapshot saw it; undefined if it did not, or if the file was as committed. */
  readonly state: FileState | undefined;
}

/**
 * Settles from the file itself what two snapshots cannot: where git converts line endings or runs filters, committed
 * bytes and bytes on disk have different ids. Files are read in their current state, right after the later snapshot.
 */
export class Doubts {
  readonly #git: GitTools;
  readonly #after: Snapshot;
  readonly #doubts: Doubt[] = [];

  constructor(git: GitTools, after: Snapshot) {
    this.#git = git;
    this.#after = after;
  }

  add(doubt: Doubt): void {
    this.#doubts.push(doubt);
  }

  /** The files that really changed. */
  async settle(): Promise<{ modified: string[]; deleted: string[] }> {
    const settled = { modified: [] as string[], deleted: [] as string[] };
    const reader = new ContentReader(this.#git.fileSystem, READ_LIMITS);
    const forGit: Doubt[] = [];
    for (const doubt of this.#doubts) {
      if (doubt.state === undefined || doubt.before.raw !== undefined) {
        const verdict = await this.#judgeOnDisk(reader, doubt);
        if (verdict === 'deleted') settled.deleted.push(doubt.path);
        else if (verdict !== 'same') settled.modified.push(doubt.path);
      } else if (isToldByGit(doubt)) settled.modified.push(doubt.path);
      else forGit.push(doubt);
    }
    settled.modified.push(...(await this.#changedForGit(forGit)));
    return settled;
  }

  /** Unchanged if the bytes on disk are the ones we saw. */
  async #judgeOnDisk(reader: ContentReader, { path, before, after }: Doubt): Promise<Comparison> {
    const now = await reader.read(this.#after.root, path, hashOfId(before.raw ?? before.blob));
    // It was there a moment ago, so "not found" means that its name is not valid text.
    if (now === undefined && after !== undefined) return 'modified';
    const verdict = judge(before, now);
    return verdict === 'doubtful' && now?.facts === before.facts ? 'same' : verdict;
  }

  /** For files committed before but not now: unchanged if git would commit the same bytes again. */
  async #changedForGit(doubts: readonly Doubt[]): Promise<string[]> {
    const changed: string[] = [];
    for (const [repository, members] of this.#byRepository(doubts)) {
      const inside = (path: string) => (repository === '' ? path : path.slice(repository.length + 1));
      const entries = members.map(({ path }) => ({ path: Buffer.from(inside(path), 'utf8') }));
      const ids = await hashByGit(this.#git, join(this.#after.root, repository), entries);
      const differing = members.filter(({ path, before }) => ids.get(inside(path)) !== before.blob);
      changed.push(...differing.map(({ path }) => path));
    }
    return changed;
  }

  #byRepository(doubts: readonly Doubt[]): Map<string, Doubt[]> {
    const groups = new Map<string, Doubt[]>();
    for (const doubt of doubts) {
      // The innermost repository: the list is sorted by path.
      const owner = this.#after.repositories.findLast(({ path }) => isWithin(doubt.path, path))?.path ?? '';
      const group = groups.get(owner);
      if (group === undefined) groups.set(owner, [doubt]);
      else group.push(doubt);
    }
    return groups;
  }
}

/** git compared the bytes on disk with exactly those that were committed before. */
function isToldByGit({ before, state }: Doubt): boolean {
  return state?.differsFrom !== undefined && state.differsFrom === before.blob;
}
