import { join } from 'node:path';
import { lookAt, readFile } from '../storage/index.js';
import { findForeignFilters } from './foreign-filters.js';
import { askGit, isGitTrouble } from './git.js';
import { EMPTY_TREES } from './git-history.js';
import { splitAtNul } from './git-status.js';
import { nameOf } from './path-bytes.js';
import { compareText } from './snapshot.js';
import { gitTools, type SnapshotOptions, takeSnapshot, type WorkspaceTools } from './take-snapshot.js';

/** Where a piece of work began: the commit, and what was uncommitted then. */
export interface StartingPoint {
  /** Null before the first commit. */
  readonly commit: string | null;
  readonly uncommitted: readonly string[];
}

/** A file that has changed; null if its lines cannot be counted. */
export interface CountedFile {
  readonly path: string;
  readonly added: number | null;
  readonly deleted: number | null;
}

const MAX_UNCOMMITTED = 500;
/** A file unknown to git that is larger than this is named, not counted. */
const MAX_READ_BYTES = 1024 * 1024;

/** The current state of a repository's tree; undefined if the directory is not the top of a repository that git can read. */
export async function findStartingPoint(
  tools: WorkspaceTools,
  directory: string,
  options: SnapshotOptions = {},
): Promise<StartingPoint | undefined> {
  const { repositories, files, root } = await takeSnapshot(tools, directory, options);
  const top = repositories.find(({ path }) => path === '');
  if (top === undefined || root !== tools.fileSystem.resolve(directory)) return undefined;
  return {
    commit: top.head ?? null,
    uncommitted: [...files.keys()].sort(compareText).slice(0, MAX_UNCOMMITTED),
  };
}

/** The files of a repository that differ from a commit, with lines; undefined if git cannot tell. */
export async function countChangedLines(
  tools: WorkspaceTools,
  directory: string,
  commit: string | null,
): Promise<CountedFile[] | undefined> {
  const git = gitTools(tools, {});
  try {
    // Comparing with the files would run filters. Files that a foreign filter is meant for are listed: hiding them
    // would hide edits.
    const { settings } = await findForeignFilters(git, directory);
    const arguments_ = [
      'diff',
      '--numstat',
      '-z',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--ignore-submodules=all',
      commit ?? EMPTY_TREES[40] ?? '',
      '--',
    ] as const;
    const tracked = await askGit(git, directory, arguments_, { settings });
    const others = await askGit(git, directory, ['ls-files', '--others', '--exclude-standard', '-z']);
    const untracked = splitAtNul(others).map((bytes) => newFile(tools, directory, nameOf(bytes)));
    return [...splitAtNul(tracked).map(numbersOf), ...untracked].sort((a, b) => compareText(a.path, b.path));
  } catch (error) {
    if (!isGitTrouble(error)) throw error;
    return undefined;
  }
}

/** `<added>\t<deleted>\t<path>`; a binary file has dashes. */
function numbersOf(record: Buffer): CountedFile {
  const first = record.indexOf(TAB);
  const second = record.indexOf(TAB, first + 1);
  const count = (from: number, to: number) => {
    const text = record.toString('latin1', from, to);
    return /^\d+$/.test(text) ? Number(text) : null;
  };
  return {
    path: nameOf(record.subarray(second + 1)),
    added: count(0, first),
    deleted: count(first + 1, second),
  };
}

const TAB = 0x09;

function newFile({ fileSystem }: WorkspaceTools, directory: string, path: string): CountedFile {
  const full = join(directory, path);
  const facts = lookAt(fileSystem, full);
  if (facts?.kind !== 'file' || facts.size > MAX_READ_BYTES) return { path, added: null, deleted: null };
  const text = readFile(fileSystem, full) ?? '';
  if (text.includes('\0')) return { path, added: null, deleted: null };
  return { path, added: text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0), deleted: 0 };
}
