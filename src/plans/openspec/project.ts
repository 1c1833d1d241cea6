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

/** A project that is planned with OpenSpec. */
export interface Project {
  readonly root: string;
  /** Its `openspec` directory. Both are real paths: no links in them. */
  readonly directory: string;
}

/** One change of a project. */
export interface Change {
  readonly name: string;
  readonly directory: string;
}

const MAX_NAME_BYTES = 200;
const ARCHIVE = 'archive';

/** What makes a directory called `openspec` one of OpenSpec's. */
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

/** Whether a text can be the name of a change. No path is built from one that cannot. */
export function isChangeName(name: string): boolean {
  return name !== ARCHIVE && Buffer.byteLength(name) <= MAX_NAME_BYTES && hasNameSigns(name);
}

/** Letters of any script; the tables of those are made only for a name that needs them, as they would cost each start. */
function hasNameSigns(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._ -]*$/.test(name) || /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._ -]*$/u.test(name);
}

/** The changes that are not archived, by name. */
export function listChanges(fileSystem: FileSystem, project: Project): Change[] {
  return directoriesIn(fileSystem, join(project.directory, 'changes')).filter(({ name }) =>
    isChangeName(name),
  );
}

/** The changes that were archived, oldest first. */
export function listArchivedChanges(fileSystem: FileSystem, project: Project): Change[] {
  return directoriesIn(fileSystem, join(project.directory, 'changes', ARCHIVE));
}

/** One change by its name. Throws INVALID_CHANGE_NAME, CHANGE_NOT_FOUND with the names that there are. */
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
 * Where a change is that somebody began to work on at this time: in its place, or in the archive, if it was put there
 * since. An older archive is that of another change with the same name. Undefined where it is gone.
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
  const dayBefore = dayOf(Date.parse(since) - DAY_MS); // whoever archives may go by the day of their own zone
  const later = archivesOf(fileSystem, project, name).filter(({ day }) => day >= dayBefore);
  // The first one: whatever was archived under this name later was begun later, too.
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

/** The change whose directory a path is in, if it is in one. */
export function changeAround(fileSystem: FileSystem, project: Project, path: string): string | undefined {
  const real = resolveUserPath(fileSystem, path) ?? path;
  const [changes, name] = relative(project.directory, real).split(sep);
  return changes === 'changes' && name !== undefined && isChangeName(name) ? name : undefined;
}

/**
 * A file of a change, by its real path. Where links lead to it, it must be an ordinary Markdown file of the project and
 * stand in no hidden directory: what we write there must not become a hook, a setting or a program. Throws UNSAFE_PATH.
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

/** Also of a file that is not there yet; undefined for a link that leads nowhere. */
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
    return `it is a link into what is hidden: ${relative(root, real)}`;
  if (extname(real) !== '.md') return `it is a link to a file that is not Markdown: ${relative(root, real)}`;
  return undefined;
}

function isOpenSpec(fileSystem: FileSystem, directory: string): boolean {
  if (!isDirectory(fileSystem, directory)) return false;
  const names = listDirectory(fileSystem, directory);
  return MARKS.some((mark) => names.includes(mark));
}

/** The directories in a directory by name; links are none, as for OpenSpec. */
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
