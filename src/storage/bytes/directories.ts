import { dirname, join } from 'node:path';
import { attempt, lookAt, UnsafePathError } from '../errors.js';
import { closing, syncDirectory } from './atomic-file.js';
import { type FileFacts, type FileSystem, OpenFlags, systemCode } from './file-system.js';

/**
 * Makes sure that a directory of ours exists: 0700, owned by us, not a link, not writable by others. Missing ones are
 * created, including parents, and are durable on return. Throws UNSAFE_PATH, STORAGE_FAILED.
 */
export function ensureDirectory(fileSystem: FileSystem, path: string): void {
  const facts = lookAt(fileSystem, path);
  if (facts !== undefined) {
    assertOurDirectory(path, facts);
    return;
  }
  makeParents(fileSystem, dirname(path));
  attempt(path, 'create the directory', () => makeDirectory(fileSystem, path));
  const made = lookAt(fileSystem, path);
  if (made !== undefined) assertOurDirectory(path, made);
}

/** Whether a directory of ours exists; anything that is not ours is refused. Throws UNSAFE_PATH. */
export function hasDirectory(fileSystem: FileSystem, path: string): boolean {
  const facts = lookAt(fileSystem, path);
  if (facts === undefined) return false;
  assertOurDirectory(path, facts);
  return true;
}

/** The names in a directory; none if it does not exist. Throws STORAGE_FAILED. */
export function listDirectory(fileSystem: FileSystem, path: string): string[] {
  return attempt(path, 'list', () => {
    try {
      return fileSystem.list(path);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  });
}

/** Removes a directory and everything in it; links are removed, never followed. Throws STORAGE_FAILED. */
export function removeTree(fileSystem: FileSystem, path: string): void {
  attempt(path, 'remove', () => removeEntry(fileSystem, path));
}

function removeEntry(fileSystem: FileSystem, path: string): void {
  const facts = fileSystem.look(path);
  if (facts === undefined) return;
  if (facts.kind !== 'directory') {
    fileSystem.unlink(path);
    return;
  }
  for (const name of fileSystem.list(path)) removeEntry(fileSystem, join(path, name));
  fileSystem.removeDirectory(path);
}

function makeParents(fileSystem: FileSystem, path: string): void {
  if (lookAt(fileSystem, path) !== undefined) return;
  makeParents(fileSystem, dirname(path));
  attempt(path, 'create the directory', () => makeDirectory(fileSystem, path));
}

function makeDirectory(fileSystem: FileSystem, path: string): void {
  try {
    fileSystem.makeDirectory(path, 0o700);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    throw error;
  }
  const descriptor = fileSystem.open(path, OpenFlags.directory);
  closing(fileSystem, descriptor, () => fileSystem.changeMode(descriptor, 0o700));
  syncDirectory(fileSystem, dirname(path));
}

function assertOurDirectory(path: string, facts: FileFacts): void {
  if (facts.kind === 'link') throw new UnsafePathError(path, 'it is a symbolic link');
  if (facts.kind !== 'directory') throw new UnsafePathError(path, 'it is not a directory');
  const uid = ownUserId();
  if (uid !== undefined && facts.uid !== uid) {
    throw new UnsafePathError(path, `it belongs to user ${facts.uid}, but we are user ${uid}`);
  }
  if ((facts.mode & 0o022) !== 0) {
    throw new UnsafePathError(path, `others may write to it (mode ${facts.mode.toString(8)})`);
  }
}

/** Looked up once: a list checks many directories, and our user does not change. */
let userId: number | undefined;

function ownUserId(): number | undefined {
  userId ??= process.geteuid?.();
  return userId;
}
