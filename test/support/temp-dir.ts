import { existsSync, statfsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of its own for one test; it goes away with its block. */
export interface TempDir extends AsyncDisposable {
  readonly path: string;
  /** A path inside. */
  at(...segments: string[]): string;
}

/** `isInMemory` is for many small states whose survival of power loss is not the point: syncing costs nothing there. */
export async function tempDir(options: { isInMemory?: boolean } = {}): Promise<TempDir> {
  const root = options.isInMemory === true && existsSync(MEMORY) ? MEMORY : tmpdir();
  // The real path, so that a system whose temporary directory is a link does not look like a planted one.
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

/** Whether there is such a place, and room in it for everything that a run of tests keeps at a time. */
export function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MIN_MEMORY_BYTES;
}
