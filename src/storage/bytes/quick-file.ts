import { constants } from 'node:fs';
import { attempt } from '../errors.js';
import { closing, removeQuietly, type StorageTools, temporaryName } from './atomic-file.js';
import { type FileSystem, OpenFlags } from './file-system.js';

/** Writes a small file that need not survive power loss (0600, must not exist). Throws STORAGE_FAILED. */
export function writeQuick(fileSystem: FileSystem, path: string, text: string): void {
  attempt(path, 'write', () => {
    const descriptor = fileSystem.open(path, OpenFlags.createNew, 0o600);
    const bytes = Buffer.from(text, 'utf8');
    try {
      closing(fileSystem, descriptor, () => {
        const written = fileSystem.write(descriptor, bytes, 0, bytes.length, 0);
        if (written < bytes.length)
          throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
      });
    } catch (error) {
      removeQuietly(fileSystem, path); // half a file is worth nothing
      throw error;
    }
  });
}

/**
 * Replaces a small file in one step without waiting for the disk (0600), for copies of what is durable elsewhere. After
 * power loss it may be the old file, or empty. Throws STORAGE_FAILED; the old file stays.
 */
export function replaceQuick(tools: StorageTools, path: string, text: string): void {
  const { fileSystem } = tools;
  const temporary = temporaryName(tools.ids, path);
  try {
    writeQuick(fileSystem, temporary, text);
    attempt(path, 'replace', () => fileSystem.rename(temporary, path));
  } catch (error) {
    removeQuietly(fileSystem, temporary);
    throw error;
  }
}

/** Opens a file for appending (0600), emptied first if it should start fresh. Throws STORAGE_FAILED. */
export function openForAppending(
  fileSystem: FileSystem,
  path: string,
  options: { isFresh: boolean },
): number {
  const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW } = constants;
  const flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | (options.isFresh ? O_TRUNC : 0);
  return attempt(path, 'open', () => fileSystem.open(path, flags, 0o600));
}
