import { attempt, lookAt } from '../errors.js';
import { readBytes, readFile, replaceFile, replaceFileIf, type StorageTools } from './atomic-file.js';
import { type FileSystem, systemCode } from './file-system.js';

/** Reads a file that belongs to the user, not to us: links are followed. Undefined if there is none. */
export function readUserFile(fileSystem: FileSystem, path: string): string | undefined {
  const real = resolveUserPath(fileSystem, path);
  return real === undefined ? undefined : readFile(fileSystem, real);
}

/** Replaces a whole file of the user durably, through links, keeping its mode. Throws ATOMIC_WRITE_FAILED. */
export function replaceUserFile(tools: StorageTools, path: string, text: string): void {
  const real = resolveUserPath(tools.fileSystem, path) ?? path;
  const mode = lookAt(tools.fileSystem, real)?.mode ?? 0o600;
  replaceFile(tools, real, text, mode);
}

/**
 * Changes a file of the user durably, through links, keeping its mode. The file is read again right before it is
 * replaced; if someone has written to it since, `edit` is called again with the new content. An `edit` that returns
 * undefined leaves the file alone; then this returns false. Throws ATOMIC_WRITE_FAILED, and whatever `edit` throws.
 */
export function updateUserFile(
  tools: StorageTools,
  path: string,
  edit: (content: Buffer | undefined) => Buffer | undefined,
  modeOfNew = 0o600,
): boolean {
  const { fileSystem } = tools;
  for (;;) {
    const real = resolveUserPath(fileSystem, path) ?? path;
    const before = readBytes(fileSystem, real);
    const content = edit(before);
    if (content === undefined) return false;
    const mode = lookAt(fileSystem, real)?.mode ?? modeOfNew;
    const isStillWanted = () => isSame(readBytes(fileSystem, real), before);
    if (replaceFileIf(tools, real, { content, mode, isStillWanted })) return true;
  }
}

/** Removes a file of the user; if it is already gone, that is no error. Throws STORAGE_FAILED. */
export function removeUserFile(fileSystem: FileSystem, path: string): void {
  const real = resolveUserPath(fileSystem, path);
  if (real !== undefined) attempt(real, 'remove', () => fileSystem.unlink(real));
}

/** The real path behind a path of the user; undefined if nothing is there. */
export function resolveUserPath(fileSystem: FileSystem, path: string): string | undefined {
  return attempt(path, 'find', () => {
    try {
      // Most files that we look for do not exist, and an error costs more than a look.
      return fileSystem.look(path) === undefined ? undefined : fileSystem.resolve(path);
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  });
}

function isSame(now: Buffer | undefined, before: Buffer | undefined): boolean {
  if (now === undefined || before === undefined) return now === before;
  return now.equals(before);
}
