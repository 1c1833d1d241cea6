import { join } from 'node:path';
import type { Services } from '../../../app/services.js';
import { ensureDirectory, type LockTools } from '../../../storage/index.js';

/** Where the page's files are kept: `<state>/web`, 0700, each file 0600. */
export interface WebPlace {
  readonly tools: LockTools;
  readonly directory: string;
}

export function webPlace({ tools, config }: Services): WebPlace {
  return { tools, directory: config.layout.web };
}

/** A directory within it, created if missing. Throws UNSAFE_PATH, STORAGE_FAILED. */
export function roomOf({ tools, directory }: WebPlace, name?: string): string {
  const path = name === undefined ? directory : join(directory, name);
  ensureDirectory(tools.fileSystem, path);
  return path;
}
