import { readBytes, replaceFile, type StorageTools } from './atomic-file.js';
import { attempt } from './errors.js';
import { type FileSystem, systemCode } from './file-system.js';

/** A file that belongs to the user, not to us: links are followed, its mode is kept. Undefined where there is none. */
export function readUserFile(fileSystem: FileSystem, path: string): string | undefined {
  const real = resolveUserPath(fileSystem, path);
  return real === undefined ? undefined : readBytes(fileSystem, real)?.toString('utf8');
}

/** Replaces a file of the user as a whole and durably, through links, keeping its mode. Throws ATOMIC_WRITE_FAILED. */
export function replaceUserFile(tools: StorageTools, path: string, text: string): void {
  const real = resolveUserPath(tools.fileSystem, path) ?? path;
  const mode = attempt(real, 'look at', () => tools.fileSystem.look(real))?.mode ?? 0o600;
  replaceFile(tools, real, text, mode);
}

/** Where a path of the user really is; undefined where there is nothing. */
export function resolveUserPath(fileSystem: FileSystem, path: string): string | undefined {
  return attempt(path, 'find', () => {
    try {
      return fileSystem.resolve(path);
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  });
}
