import { join } from 'node:path';
import { findForeignFilters, findUnjudged } from './foreign-filters.js';
import { askGit, type GitTools, isGitTrouble } from './git.js';
import { type GitStatus, parseStatus, type StatusEntry } from './git-status.js';
import { findNestedRepositories } from './nested-repositories.js';
import { nameOf, quotePath } from './path-bytes.js';
import { type ContentReader, hashOfId } from './read-content.js';
import {
  type Content,
  type FileState,
  joinPath,
  type MeasurementNote,
  type RepositoryState,
} from './snapshot.js';

/** A repository as reported by git and the disk. */
export interface RepositoryReading {
  readonly state: RepositoryState;
  readonly files: ReadonlyMap<string, FileState>;
  /** Repositories inside, by path relative to the root of the snapshot. */
  readonly nested: readonly string[];
  readonly notes: readonly MeasurementNote[];
}

/** At most this many branches are remembered one by one. */
const MAX_TIPS = 5_000;

/** Reads the state of the repository at a path below the root. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function readRepository(
  tools: GitTools,
  root: string,
  path: string,
  options: { readonly reader: ContentReader; readonly isLeftOut: (path: string) => boolean },
): Promise<RepositoryReading> {
  const top = join(root, path);
  const filters = await findForeignFilters(tools, top);
  const [status, tips] = await both(readStatus(tools, top, filters.settings), readTips(tools, top));
  const changed = status.entries.filter(({ differsFrom }) => differsFrom !== undefined);
  const unjudged = await findUnjudged(
    tools,
    top,
    changed.map(({ path: name }) => name),
    filters,
  );
  const hash = hashOfId(status.head);
  const names = status.entries.map((entry) => ({ entry, name: nameOf(entry.path) }));
  const kept = names.filter(({ name }) => !options.isLeftOut(joinPath(path, name)));
  const oddNames = kept.map(({ entry }) => entry).filter((entry) => !isPlainName(entry));
  const oddIds = await hashByGit(tools, top, oddNames, ['--no-filters']);
  const files = new Map<string, FileState>();
  for (const { entry, name } of kept) {
    const now = isPlainName(entry)
      ? await options.reader.read(top, name, hash)
      : { kind: entry.kind ?? 'file', raw: oddIds.get(name) };
    const key = joinPath(path, name);
    const state = unjudged.has(name) ? { ...fileState(entry, now), isUnjudged: true } : fileState(entry, now);
    files.set(key, together(files.get(key), state));
  }
  const nested = await findNestedRepositories(tools, top, status.nested.map(nameOf));
  return {
    state: { path, head: status.head, branch: status.branch, tips: [...new Set(tips)] },
    files,
    nested: nested.map((inner) => joinPath(path, inner)),
    notes: tips.length > MAX_TIPS ? [tooManyBranches(path)] : [],
  };
}

/** Runs both at once; if both fail, always reports the first one's error. */
async function both<First, Second>(first: Promise<First>, second: Promise<Second>): Promise<[First, Second]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/** What git says about every file that differs from what is committed. Throws PROGRAM_NOT_STARTED, GIT_FAILED. */
export async function readStatus(
  tools: GitTools,
  top: string,
  settings: readonly string[],
): Promise<GitStatus> {
  const arguments_ = [
    'status',
    '--porcelain=v2',
    '-z',
    '--branch',
    '--no-ahead-behind',
    '--untracked-files=all',
    '--no-renames',
    // Each submodule is examined as a repository of its own.
    '--ignore-submodules=all',
  ] as const;
  return parseStatus(await askGit(tools, top, arguments_, { settings }));
}

async function readTips(tools: GitTools, top: string): Promise<string[]> {
  const output = await askGit(tools, top, [
    'for-each-ref',
    `--count=${MAX_TIPS + 1}`,
    '--format=%(objectname)',
    'refs/heads',
    'refs/remotes',
  ]);
  return output
    .toString('latin1')
    .split('\n')
    .filter((id) => id !== '');
}

/** The ids that git gives to files, by name; empty if one of them went away meanwhile. */
export async function hashByGit(
  tools: GitTools,
  top: string,
  entries: readonly { readonly path: Buffer; readonly isMissing?: boolean }[],
  options: readonly string[] = [],
): Promise<Map<string, string>> {
  const present = entries.filter(({ isMissing }) => isMissing !== true);
  if (present.length === 0) return new Map();
  const lines = present.map(({ path }) => quotePath(path));
  try {
    const { settings } = await findForeignFilters(tools, top);
    const output = await askGit(tools, top, ['hash-object', ...options, '--stdin-paths'], {
      input: lines,
      settings,
    });
    const ids = output.toString('latin1').split('\n');
    return new Map(present.map(({ path }, at) => [nameOf(path), ids[at] ?? '']));
  } catch (error) {
    if (isGitTrouble(error)) return new Map();
    throw error;
  }
}

function isPlainName({ path }: StatusEntry): boolean {
  return Buffer.from(path.toString('utf8'), 'utf8').equals(path);
}

function fileState(entry: StatusEntry, read: Content | undefined): FileState {
  const { committed, staged, differsFrom } = entry;
  if (entry.isMissing || read === undefined) return { now: undefined, committed };
  const now: Content = {
    ...read,
    kind: entry.kind ?? read.kind,
    ...(staged?.blob === undefined ? {} : { blob: staged.blob }),
  };
  return { now, committed, ...(differsFrom === undefined ? {} : { differsFrom }) };
}

/** A file removed from the index that stays on disk is reported twice: as deleted and as untracked. */
function together(told: FileState | undefined, added: FileState): FileState {
  if (told === undefined) return added;
  return { ...added, ...told, now: told.now ?? added.now, committed: told.committed ?? added.committed };
}

function tooManyBranches(path: string): MeasurementNote {
  return {
    code: 'too-many-branches',
    path,
    message: `more than ${MAX_TIPS} branches: commits that another branch had before may be reported as new`,
  };
}
