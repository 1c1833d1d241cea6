/**
 * A file's content, as far as needed to tell it from another state of the same file. Two contents are compared by what
 * is known of both: the id that git gives the bytes as committed, our id of the bytes on disk, or the facts of the
 * file.
 */
export interface Content {
  readonly kind: 'file' | 'executable' | 'link' | 'other';
  /** git's id of the bytes as it would commit them. */
  readonly blob?: string | undefined;
  /** The same hash over the bytes on disk: equal to `blob` unless git converts line endings or runs filters. */
  readonly raw?: string | undefined;
  /** Size, time and inode, if the bytes were not read. */
  readonly facts?: string | undefined;
}

/** In a repository, a file that differs from what is committed; outside one, any file. */
export interface FileState {
  /** Undefined if it is not there. */
  readonly now: Content | undefined;
  /** As committed; undefined if it is not. */
  readonly committed: Content | undefined;
  /** The id in the index that the bytes on disk are known to differ from. */
  readonly differsFrom?: string | undefined;
  /** Only a filter that we do not run could tell whether it is as committed, so its bytes are compared as usual. */
  readonly isUnjudged?: boolean | undefined;
}

/** One repository at one moment. */
export interface RepositoryState {
  /** Relative to the root, `''` for the root itself. */
  readonly path: string;
  /** The commit of HEAD; undefined before the first one. */
  readonly head: string | undefined;
  /** Undefined if HEAD is detached. */
  readonly branch: string | undefined;
  /** The commits that local and remote branches point to. */
  readonly tips: readonly string[];
}

/** Something that could not be measured as usual, and what was done instead. */
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

/** A working tree at one moment. Plain data; it means something only when compared with another snapshot of the same root. */
export interface Snapshot {
  /** The top level of the repository that holds the directory, or the directory itself. Paths are relative to it. */
  readonly root: string;
  readonly takenAt: string;
  /** Sorted by path. */
  readonly repositories: readonly RepositoryState[];
  /** Files that differ from what is committed, and all files outside repositories, by path. */
  readonly files: ReadonlyMap<string, FileState>;
  /** Directories that were not examined: nothing is known about what is below. */
  readonly unknown: readonly string[];
  /** Directories excluded on purpose. */
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

/**
 * Whether a path is one of these directories or below one. The cost depends on the path's length, not on how many there
 * are.
 */
export function isWithinAny(path: string, directories: ReadonlySet<string>): boolean {
  if (directories.size === 0) return false;
  if (directories.has('') || directories.has(path)) return true;
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (directories.has(path.slice(0, end))) return true;
  }
  return false;
}

/** Whether a relative path stays inside its base directory. */
export function isInside(path: string): boolean {
  return path !== '' && path !== '..' && !path.startsWith('../') && !path.startsWith('/');
}

/** Compares by code units: the same order on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
