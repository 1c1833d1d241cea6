import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { hasRoomInMemory, MEMORY } from './temp-dir.js';

const VARIABLE = 'HOLDFAST_TEST_SHARED';

/** Runs before the first test of a run: creates a directory for what is made once for all test files. */
export default function makeSharedDirectory(project: TestProject): (() => void) | undefined {
  if (process.env[VARIABLE] !== undefined) return undefined; // another project of the same run has already made it
  const directory = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'holdfast-shared-'));
  process.env[VARIABLE] = directory;
  const forget = () => rmSync(directory, { recursive: true, force: true });
  // Sources have changed then.
  project.onTestsRerun(() => {
    forget();
    mkdirSync(directory, { mode: 0o700 });
  });
  return forget;
}

/** Made at its first use in a run, by whichever test process gets there first; `make` fills an empty directory. */
export function madeOnce(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  const shared = process.env[VARIABLE];
  if (shared === undefined) throw new Error('nothing is shared: see globalSetup in vitest.config.ts');
  const path = join(shared, name);
  const known = made.get(path) ?? makeUnlessThere(path, make);
  made.set(path, known);
  return known;
}

const made = new Map<string, Promise<string>>();

async function makeUnlessThere(path: string, make: (directory: string) => Promise<void>): Promise<string> {
  if (existsSync(path)) return path;
  const draft = mkdtempSync(`${path}.`);
  await make(draft);
  try {
    renameSync(draft, path);
  } catch {
    rmSync(draft, { recursive: true }); // another process was faster, and its result is as good
  }
  return path;
}
