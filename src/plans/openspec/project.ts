import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { DAY_MS } from '../../foundation/index.js';
import {
  type FileSystem,
  listDirectory,
  lookAt,
  resolveUserPath,
  UnsafePathError,
} from '../../storage/index.js';
import { ChangeNotFoundError, InvalidChangeNameError, ProjectNotFoundError } from './errors.js';

/** A project planned with OpenSpec. */
export interface Project {
  readonly root: string;
  /** Its `openspec` directory. This and `root` are real paths, without links. */
  readonly directory: string;
}

/** One change of a project. */
export interface Change {
  readonly name: string;
  readonly directory: string;
}

const MAX_NAME_BYTES = 200;
const ARCHIVE = 'archive';

/** Entries that show that a directory called `openspec` belongs to OpenSpec. */
const MARKS = ['changes', 'specs', 'config.yaml', 'project.md'];

/** The nearest project at or above a directory. Throws PROJECT_NOT_FOUND. */
export function findProject(fileSystem: FileSystem, from: string): Project {
  for (let root = from; ; root = dirname(root)) {
    const directory = resolveUserPath(fileSystem, join(root, 'openspec'));
    if (directory !== undefined && isOpenSpec(fileSystem, directory))
      return { root: resolveUserPath(fileSystem, root) ?? root, directory };
    if (root === dirname(root)) throw new ProjectNotFoundError(from);
  }
}

/** Whether a text can be the name of a change. If not, no path is ever built from it. */
export function isChangeName(name: string): boolean {
  return name !== ARCHIVE && Buffer.byteLength(name) <= MAX_NAME_BYTES && hasNameSigns(name);
}

/** Letters of any script. Their tables are built only for a name that needs them, as they would cost every start. */
function hasNameSigns(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._ -]*$/.test(name) || /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._ -]*$/u.test(name);
}

/** The changes that are not archived, sorted by name. */
export function listChanges(fileSystem: FileSystem, project: Project): Change[] {
  return directoriesIn(fileSystem, join(project.directory, 'changes')).filter(({ name }) =>
    isChangeName(name),
  );
}

/** The archived changes, oldest first. */
export function listArchivedChanges(fileSystem: FileSystem, project: Project): Change[] {
  return directoriesIn(fileSystem, join(project.directory, 'changes', ARCHIVE));
}

/** Finds one change by its name. Throws INVALID_CHANGE_NAME, or CHANGE_NOT_FOUND with the existing names. */
export function findChange(fileSystem: FileSystem, project: Project, name: string): Change {
  if (!isChangeName(name)) throw new InvalidChangeNameError(name);
  const directory = directoryOfChange(project, name);
  if (isDirectory(fileSystem, directory)) return { name, directory };
  const available = listChanges(fileSystem, project).map((change) => change.name);
  throw new ChangeNotFoundError(name, available, archivesOf(fileSystem, project, name).length > 0);
}

/** Where a change is until it is archived. */
export function directoryOfChange(project: Project, name: string): string {
  return join(project.directory, 'changes', name);
}

/** Where the change of a session is. */
export interface PlacedChange extends Change {
  readonly isArchived: boolean;
}

/**
 * Finds a change that someone began to work on at this time: in its place, or in the archive if it was moved there
 * since. An older archive belongs to another change of the same name. Undefined if it is gone.
 */
export function placeOfChange(
  fileSystem: FileSystem,
  project: Project,
  name: string,
  since: string,
): PlacedChange | undefined {
  if (!isChangeName(name)) return undefined;
  const directory = directoryOfChange(project, name);
  if (isDirectory(fileSystem, directory)) return { name, directory, isArchived: false };
  const dayBefore = dayOf(Date.parse(since) - DAY_MS); // the archiver may go by the date in their time zone
  const later = archivesOf(fileSystem, project, name).filter(({ day }) => day >= dayBefore);
  // The first one: any later archive of this name belongs to a change that was also begun later.
  const archive = later.find(({ day }) => day > dayBefore) ?? later[0];
  return archive && { name, directory: archive.directory, isArchived: true };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

/** The archives of a change, oldest first: OpenSpec puts the day before the name. */
function archivesOf(
  fileSystem: FileSystem,
  project: Project,
  name: string,
): { readonly day: string; readonly directory: string }[] {
  return listArchivedChanges(fileSystem, project).flatMap((archived) => {
    const [, day, rest] = /^(\d{4}-\d\d-\d\d)-(.*)$/s.exec(archived.name) ?? [];
    return day !== undefined && rest === name ? [{ day, directory: archived.directory }] : [];
  });
}

/** The change whose directory contains a path, if any. */
export function changeAround(fileSystem: FileSystem, project: Project, path: string): string | undefined {
  const real = resolveUserPath(fileSystem, path) ?? path;
  const [changes, name] = relative(project.directory, real).split(sep);
  return changes === 'changes' && name !== undefined && isChangeName(name) ? name : undefined;
}

/**
 * A file of a change, by its real path. If links lead to it, it must be an ordinary Markdown file of the project and
 * not in a hidden directory: what we write must not become a hook, a setting or a program. Throws UNSAFE_PATH.
 */
export function fileOfChange(fileSystem: FileSystem, project: Project, change: Change, name: string): string {
  const path = join(change.directory, name);
  const real = realPathOf(fileSystem, path);
  const reason =
    real === undefined ? 'it is a link that leads nowhere' : whyUnsafe(fileSystem, project, path, real);
  if (real === undefined || reason !== undefined) throw new UnsafePathError(path, reason ?? '', LINK_HINT);
  return real;
}

const LINK_HINT =
  'Put an ordinary file in its place, or a link to a Markdown file of the project that is not in a hidden directory.';

/** Also works for a file that does not exist yet; undefined for a link that leads nowhere. */
function realPathOf(fileSystem: FileSystem, path: string): string | undefined {
  if (lookAt(fileSystem, path) !== undefined) return resolveUserPath(fileSystem, path);
  const around = resolveUserPath(fileSystem, dirname(path));
  return around === undefined ? path : join(around, basename(path));
}

function whyUnsafe(fileSystem: FileSystem, project: Project, path: string, real: string): string | undefined {
  const kind = lookAt(fileSystem, real)?.kind;
  if (kind !== undefined && kind !== 'file') return 'it is not an ordinary file';
  if (real === path) return undefined;
  const root = [project.directory, project.root].find((directory) => real.startsWith(directory + sep));
  if (root === undefined) return 'it is a link that leads out of the project';
  const names = relative(root, real).split(sep);
  if (names.some((name) => name.startsWith('.')))
    return `it is a link to something hidden: ${relative(root, real)}`;
  if (extname(real) !== '.md') return `it is a link to a file that is not Markdown: ${relative(root, real)}`;
  return undefined;
}

function isOpenSpec(fileSystem: FileSystem, directory: string): boolean {
  if (!isDirectory(fileSystem, directory)) return false;
  const names = listDirectory(fileSystem, directory);
  return MARKS.some((mark) => names.includes(mark));
}

/** The directories inside a directory, by name; links do not count, just as for OpenSpec. */
function directoriesIn(fileSystem: FileSystem, parent: string): Change[] {
  return listDirectory(fileSystem, parent)
    .filter((name) => name !== ARCHIVE && !name.startsWith('.'))
    .sort()
    .map((name) => ({ name, directory: join(parent, name) }))
    .filter(({ directory }) => isDirectory(fileSystem, directory));
}

function isDirectory(fileSystem: FileSystem, path: string): boolean {
  return lookAt(fileSystem, path)?.kind === 'directory';
}
