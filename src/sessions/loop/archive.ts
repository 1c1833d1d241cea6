import { join } from 'node:path';
import { isUuidV4 } from '../../foundation/index.js';
import {
  attempt,
  ensureDirectory,
  type FileSystem,
  type LockTools,
  listDirectory,
  removeQuietly,
  removeTree,
  syncDirectory,
  Trash,
  UnsafePathError,
} from '../../storage/index.js';
import { groupOf } from './read-loop.js';

/** What stays where it is when a session moves away. */
const NOT_OF_A_SESSION = /^(\.|archive$|trash$|(loop|requests)\.lock\.)/;

/**
 * Keeps the files of the session that is there now in `archive/<session id>/` and returns that path. They are linked,
 * not moved: until the next session is committed over their names, the old one is whole. Throws STORAGE_FAILED,
 * UNSAFE_PATH.
 */
export function archiveSession(tools: LockTools, directory: string, sessionId: unknown): string {
  const { fileSystem, clock } = tools;
  const archive = join(directory, 'archive');
  const known = typeof sessionId === 'string' && isUuidV4(sessionId) ? sessionId.toLowerCase() : undefined;
  // An id that is none must not name a path.
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

/** Takes a session out of its directory; what was there can be found in `trash/`. Throws STORAGE_FAILED, UNSAFE_PATH. */
export function trashSession(tools: LockTools, directory: string, sessionId: string): string {
  const { fileSystem } = tools;
  const staged = stage(fileSystem, directory, join(directory, '.removed.staged'));
  const entry = new Trash(tools, join(directory, 'trash')).take(sessionId, staged);
  const [state, ...others] = groupOf(directory).files;
  // The state first: without it there is no session, whatever else is left by a crash.
  for (const name of [state, ...others, ...sessionFiles(fileSystem, directory)])
    if (name !== undefined) removeQuietly(fileSystem, join(directory, name));
  attempt(directory, 'sync', () => syncDirectory(fileSystem, directory));
  return entry.path;
}

/** Removes what belonged to the archived session and to no other: reports, requests, files set aside. */
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
    const facts = attempt(path, 'look at', () => fileSystem.look(path));
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

/** A crash may have left an older copy of the same session: it stays, under another name. */
function makeRoom(fileSystem: FileSystem, target: string): void {
  if (fileSystem.look(target) === undefined) return;
  let number = 1;
  while (fileSystem.look(`${target}.older-${number}`) !== undefined) number += 1;
  fileSystem.rename(target, `${target}.older-${number}`);
}
