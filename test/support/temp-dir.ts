import { existsSync, statfsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate directory for one test; removed at the end of its block. */
export interface TempDir extends AsyncDisposable {
  readonly path: string;
  /** A path inside. */
  at(...segments: string[]): string;
}

/** `isInMemory` is for many small states in tests that are not about power loss: syncing costs nothing there. */
export async function tempDir(options: { isInMemory?: boolean } = {}): Promise<TempDir> {
  const root = options.isInMemory === true && existsSync(MEMORY) ? MEMORY : tmpdir();
  // The real path, because a temporary directory that is a link would look planted.
  const path = await realpath(await mkdtemp(join(root, 'holdfast-test-')));
  return {
    path,
    at: (...segments) => join(path, ...segments),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Where Linux keeps files in memory. */
export const MEMORY = '/dev/shm';

const MIN_MEMORY_BYTES = 2 * 1024 ** 3;

/** Whether there is such a place, with room for everything a test run keeps at a time. */
export function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MIN_MEMORY_BYTES;
}
