import { dirname, join, relative, sep } from 'node:path';
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
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._ -]*$/u;
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
  return name !== ARCHIVE && Buffer.byteLength(name) <= MAX_NAME_BYTES && NAME.test(name);
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
  const directory = join(project.directory, 'changes', name);
  if (isDirectory(fileSystem, directory)) return { name, directory };
  const available = listChanges(fileSystem, project).map((change) => change.name);
  const isArchived = listArchivedChanges(fileSystem, project).some(
    (change) => change.name.replace(/^\d{4}-\d\d-\d\d-/, '') === name,
  );
  throw new ChangeNotFoundError(name, available, isArchived);
}

/** The change whose directory a path is in, if it is in one. */
export function changeAround(fileSystem: FileSystem, project: Project, path: string): string | undefined {
  const real = resolveUserPath(fileSystem, path) ?? path;
  const [changes, name] = relative(project.directory, real).split(sep);
  return changes === 'changes' && name !== undefined && isChangeName(name) ? name : undefined;
}

/** A file of a change; a link in its place may lead anywhere in the project, but not out of it. Throws UNSAFE_PATH. */
export function fileOfChange(fileSystem: FileSystem, project: Project, change: Change, name: string): string {
  const path = join(change.directory, name);
  const facts = lookAt(fileSystem, path);
  if (facts?.kind !== 'link') return path;
  const real = resolveUserPath(fileSystem, path);
  if (real === undefined) throw new UnsafePathError(path, 'it is a link that leads nowhere');
  if ([project.directory, project.root].some((root) => real.startsWith(root + sep))) return path;
  throw new UnsafePathError(path, 'it is a link that leads out of the project');
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
