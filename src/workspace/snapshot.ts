/**
 * What a file is, as far as two snapshots have to tell it from another state of it. Two contents are compared by what
 * both of them know: the id that git gives its bytes as committed, our id of the bytes on disk, or the facts of the file.
 */
export interface Content {
  readonly kind: 'file' | 'executable' | 'link' | 'other';
  /** git's id of the bytes as it would commit them. */
  readonly blob?: string | undefined;
  /** The same sum over the bytes on disk: equal to `blob` unless git converts line ends or filters. */
  readonly raw?: string | undefined;
  /** Size, time and inode, where bytes were not read. */
  readonly facts?: string | undefined;
}

/** A file that is not as it was committed, in a repository; or any file, outside of one. */
export interface FileState {
  /** Undefined: it is not there. */
  readonly now: Content | undefined;
  /** As committed; undefined: it is not. */
  readonly committed: Content | undefined;
  /** The id in the index that the bytes on disk are known to differ from. */
  readonly differsFrom?: string | undefined;
  /** Only a filter that we do not run could tell whether it is as committed; its bytes are compared like any others. */
  readonly isUnjudged?: boolean | undefined;
}

/** One repository at one moment. */
export interface RepositoryState {
  /** Relative to the root, `''` for the root itself. */
  readonly path: string;
  /** The commit of HEAD; undefined before the first one. */
  readonly head: string | undefined;
  /** Undefined: HEAD is detached. */
  readonly branch: string | undefined;
  /** The commits that branches and remote branches point to. */
  readonly tips: readonly string[];
}

/** Something that could not be measured as it should be, and what was done instead. */
export interface MeasurementNote {
  readonly code:
    | 'git-missing'
    | 'git-failed'
    | 'too-many-files'
    | 'too-many-branches'
    | 'too-many-commits'
    | 'not-readable'
    | 'not-comparable';
  /** Relative to the root. */
  readonly path: string;
  readonly message: string;
  /** What the person can do about it. */
  readonly hint?: string | undefined;
}

/** A working tree at one moment. Plain data; it only means something beside another one of the same root. */
export interface Snapshot {
  /** The top level of the repository that holds the directory, or the directory itself. Paths are relative to it. */
  readonly root: string;
  readonly takenAt: string;
  /** In the order of their paths. */
  readonly repositories: readonly RepositoryState[];
  /** Files that differ from what is committed, and all files outside of repositories, by path. */
  readonly files: ReadonlyMap<string, FileState>;
  /** Directories that were not looked into: nothing is known about what is below. */
  readonly unknown: readonly string[];
  /** Directories that are no part of it, on purpose. */
  readonly leftOut: readonly string[];
  readonly notes: readonly MeasurementNote[];
}

/** Joins paths relative to the root, where `''` is the root. */
export function joinPath(parent: string, child: string): string {
  if (parent === '') return child;
  return child === '' ? parent : `${parent}/${child}`;
}

/** Whether a path is this directory or below it. */
export function isWithin(path: string, directory: string): boolean {
  return directory === '' || path === directory || path.startsWith(`${directory}/`);
}

/** Whether a path is one of these directories or below one; by its own length, however many there are. */
export function isWithinAny(path: string, directories: ReadonlySet<string>): boolean {
  if (directories.size === 0) return false;
  if (directories.has('') || directories.has(path)) return true;
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (directories.has(path.slice(0, end))) return true;
  }
  return false;
}

/** Whether a relative path stays inside of what it is relative to. */
export function isInside(path: string): boolean {
  return path !== '' && path !== '..' && !path.startsWith('../') && !path.startsWith('/');
}

/** By code units: the same order on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
