import { basename, dirname, join } from 'node:path';
import type { Clock } from '../foundation/index.js';
import { createFile, linkIfAbsent, type StorageTools, syncDirectory } from './bytes/atomic-file.js';
import { attempt } from './errors.js';

/** Durably moves a damaged file aside, under a new name beside the old one, and returns that name. Nothing is deleted. */
export function setAside(tools: StorageTools & { clock: Clock }, path: string): string {
  const { fileSystem } = tools;
  return attempt(path, 'set aside', () => {
    const kept = keepBeside(tools, path);
    fileSystem.unlink(path);
    syncDirectory(fileSystem, dirname(path));
    return kept;
  });
}

/** Gives a damaged file a second name beside the first and returns it; the caller then replaces the first and syncs. */
export function keepBeside(tools: StorageTools & { clock: Clock }, path: string): string {
  for (let attemptNumber = 0; ; attemptNumber++) {
    const kept = damagedName(tools.clock, path, attemptNumber);
    if (linkIfAbsent(tools.fileSystem, path, kept)) return kept;
  }
}

/** Keeps a damaged stretch of bytes in a file of its own beside the original and returns the new name. */
export function keepDamagedBytes(
  tools: StorageTools & { clock: Clock },
  path: string,
  offset: number,
  bytes: Buffer,
): string {
  for (let attemptNumber = 0; ; attemptNumber++) {
    const kept = `${damagedName(tools.clock, path, attemptNumber)}-at-${offset}`;
    if (createFile(tools, kept, bytes)) return kept;
  }
}

function damagedName(clock: Clock, path: string, attemptNumber: number): string {
  const time = clock.now().toISOString().replaceAll(/[-:.]/g, '');
  const suffix = attemptNumber === 0 ? '' : `-${attemptNumber}`;
  return join(dirname(path), `${basename(path)}.damaged-${time}${suffix}`);
}
