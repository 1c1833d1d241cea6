import { isAbsolute, join } from 'node:path';
import type { FileSystem } from '../storage/index.js';

/** Where a program is: its own path, or the first executable of that name on PATH. */
export function findProgram(
  fileSystem: FileSystem,
  command: string,
  searchPath: string | undefined,
): string | undefined {
  if (command.includes('/')) return isExecutable(fileSystem, command) ? command : undefined;
  for (const directory of (searchPath ?? '').split(':')) {
    if (!isAbsolute(directory)) continue; // a relative entry would run a program from the project
    const path = join(directory, command);
    if (isExecutable(fileSystem, path)) return path;
  }
  return undefined;
}

function isExecutable(fileSystem: FileSystem, path: string): boolean {
  try {
    const facts = fileSystem.look(fileSystem.resolve(path));
    return facts?.kind === 'file' && (facts.mode & 0o111) !== 0;
  } catch {
    return false; // not there, or in a directory we may not enter: not available
  }
}
