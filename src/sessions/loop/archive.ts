import { join } from 'node:path';
import { isUuidV4 } from '../../foundation/index.js';
import {
  attempt,
  ensureDirectory,
  type FileSystem,
  hasDirectory,
  type LockTools,
  listDirectory,
  lookAt,
  removeQuietly,
  removeTree,
  syncDirectory,
  Trash,
  type TrashEntry,
  UnsafePathError,
} from '../../storage/index.js';
import { LoopNotFoundError } from './errors.js';
import { groupOf } from './read-loop.js';

/** What stays in place when a session moves away. */
const NOT_OF_A_SESSION = /^(\.|archive$|trash$|(loop|requests)\.lock\.)/;

/**
 * Keeps the files of the current session in `archive/<session id>/` and returns that path. They are linked, not moved:
 * the old session stays whole until the next one is committed over its names. Throws STORAGE_FAILED, UNSAFE_PATH.
 */
export function archiveSession(tools: LockTools, directory: string, sessionId: unknown): string {
  const { fileSystem, clock } = tools;
  const archive = join(directory, 'archive');
  const known = typeof sessionId === 'string' && isUuidV4(sessionId) ? sessionId.toLowerCase() : undefined;
  // An invalid id must not name a path.
  const name = known ?? `unreadable-${clock.now().toISOString().replaceAll(/[-:.]/g, '')}`;
  ensureDirectory(fileSystem, archive);
  const staged = stage(fileSystem, directory, join(archive, `.${name}.staged`));
  return attempt(archive, 'archive', () => {
    const target = join(archive, name);
    makeRoom(fileSystem, target);
    fileSystem.rename(staged, target);
    syncDirectory(fileSystem, archive);
    return target;
  });
}

/** Takes a session out of its directory and puts it in `trash/`. Throws STORAGE_FAILED, UNSAFE_PATH. */
export function trashSession(tools: LockTools, directory: string, sessionId: string): string {
  const { fileSystem } = tools;
  const staged = stage(fileSystem, directory, join(directory, '.removed.staged'));
  const entry = trashIn(tools, directory).take(sessionId, staged);
  const [state, ...others] = groupOf(directory).files;
  // The state goes first: without it there is no session, whatever else a crash leaves.
  for (const name of [state, ...others, ...sessionFiles(fileSystem, directory)])
    if (name !== undefined) removeQuietly(fileSystem, join(directory, name));
  attempt(directory, 'sync', () => syncDirectory(fileSystem, directory));
  return entry.path;
}

/**
 * Moves the files of a session back out of the trash, the state last: until then there is no session, and a second
 * restore continues where this one stopped. False if one of their names is taken. Throws STORAGE_FAILED, UNSAFE_PATH.
 */
export function restoreSession(tools: LockTools, directory: string, entry: TrashEntry): boolean {
  const { fileSystem } = tools;
  const look = (path: string) => lookAt(fileSystem, path);
  const names = sessionFiles(fileSystem, entry.path);
  if (names.some((name) => look(join(directory, name)) !== undefined)) return false;
  const unsafe = names.find((name) => look(join(entry.path, name))?.kind !== 'file');
  if (unsafe !== undefined) throw new UnsafePathError(join(entry.path, unsafe), 'it is not a regular file');
  const [state] = groupOf(directory).files;
  const stateLast = [...names.filter((name) => name !== state), ...names.filter((name) => name === state)];
  for (const name of stateLast)
    attempt(entry.path, 'restore', () => fileSystem.rename(join(entry.path, name), join(directory, name)));
  attempt(directory, 'sync', () => syncDirectory(fileSystem, directory));
  removeTree(fileSystem, entry.path);
  return true;
}

/** Moves an archived session to the trash. Throws LOOP_NOT_FOUND, STORAGE_FAILED, UNSAFE_PATH. */
export function trashArchived(tools: LockTools, directory: string, name: string): void {
  const archive = join(directory, 'archive');
  if (!archivedNames(tools.fileSystem, directory).includes(name)) throw new LoopNotFoundError(archive);
  trashIn(tools, directory).take(`${FROM_ARCHIVE}${name}`, join(archive, name));
}

/** Puts a session back into the archive; false if it is already there. Throws STORAGE_FAILED, UNSAFE_PATH. */
export function restoreArchived(tools: LockTools, directory: string, { id, entry }: TrashedLoop): boolean {
  const archive = join(directory, 'archive');
  ensureDirectory(tools.fileSystem, archive);
  return trashIn(tools, directory).restore(entry, join(archive, id));
}

/** A session in the trash. */
export interface TrashedLoop {
  readonly id: string;
  readonly entry: TrashEntry;
}

/** Used as the id of a session whose own id cannot be read. */
export const UNREADABLE_LOOP = 'loop';

/** Marks entries that came to the trash from the archive. */
const FROM_ARCHIVE = 'archive-';

export function isFromArchive(entry: TrashEntry): boolean {
  return entry.id.startsWith(FROM_ARCHIVE);
}

/** The sessions in the trash. Names that we did not give are left out. */
export function trashedIn(entries: readonly TrashEntry[]): TrashedLoop[] {
  return entries
    .map((entry) => ({ id: isFromArchive(entry) ? entry.id.slice(FROM_ARCHIVE.length) : entry.id, entry }))
    .filter(({ id }) => id === UNREADABLE_LOOP || isArchivedName(id));
}

/** The trash of a loop's directory. */
export function trashIn(tools: LockTools, directory: string): Trash {
  return new Trash(tools, join(directory, 'trash'));
}

/** The names of the archived sessions. Throws UNSAFE_PATH. */
export function archivedNames(fileSystem: FileSystem, directory: string): string[] {
  const archive = join(directory, 'archive');
  if (!hasDirectory(fileSystem, directory) || !hasDirectory(fileSystem, archive)) return [];
  const isDirectory = (path: string) => lookAt(fileSystem, path)?.kind === 'directory';
  const names = listDirectory(fileSystem, archive).filter(isArchivedName);
  return names.filter((name) => isDirectory(join(archive, name)));
}

/** Whether we could have given this name in the archive, so a path may be built from it. */
function isArchivedName(name: string): boolean {
  return (
    isUuidV4(name.replace(/\.older-\d{1,6}$/, '')) ||
    /^unreadable-\d{8}T\d{9}Z(?:\.older-\d{1,6})?$/.test(name)
  );
}

/** Removes what belonged only to the archived session: reports, requests, files set aside. */
export function removeArchived(fileSystem: FileSystem, directory: string): void {
  const { files, record } = groupOf(directory);
  for (const name of sessionFiles(fileSystem, directory)) {
    if (!files.includes(name) && name !== record) removeQuietly(fileSystem, join(directory, name));
  }
}

function stage(fileSystem: FileSystem, directory: string, staged: string): string {
  removeTree(fileSystem, staged);
  ensureDirectory(fileSystem, staged);
  for (const name of sessionFiles(fileSystem, directory)) {
    const path = join(directory, name);
    const facts = lookAt(fileSystem, path);
    if (facts === undefined) continue;
    if (facts.kind !== 'file') throw new UnsafePathError(path, 'it is not a regular file');
    attempt(path, 'archive', () => fileSystem.link(path, join(staged, name)));
  }
  attempt(staged, 'sync', () => syncDirectory(fileSystem, staged));
  return staged;
}

function sessionFiles(fileSystem: FileSystem, directory: string): string[] {
  return listDirectory(fileSystem, directory).filter((name) => !NOT_OF_A_SESSION.test(name));
}

/** A crash may have left an older copy of the same session; it is kept under another name. */
function makeRoom(fileSystem: FileSystem, target: string): void {
  if (fileSystem.look(target) === undefined) return;
  let number = 1;
  while (fileSystem.look(`${target}.older-${number}`) !== undefined) number += 1;
  fileSystem.rename(target, `${target}.older-${number}`);
}
