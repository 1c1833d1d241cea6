import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = fileURLToPath(new URL('../fixtures/release-0.1-sources.tar.gz', import.meta.url));
const BUILD = `import { buildCli, buildScriptedAgent } from './scripts/build.mjs';
await Promise.all([buildCli('dist/cli'), buildScriptedAgent('dist/agents')]);`;

/**
 * The programs of release 0.1, built from its own sources with the packages installed here. They are built once and cached under
 * a key made from their inputs. The sources are a fixture, because a clone need not have the commit (ae1fd2a).
 */
export function release01(): string {
  const hash = createHash('sha256').update(readFileSync(SOURCES));
  const key = hash
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const place = join(cache, 'holdfast', 'release-0.1', key);
  if (!existsSync(place)) buildInto(place);
  return join(place, 'dist');
}

/** Builds beside its final place and moves the result there, so a reader sees all of it or nothing. */
function buildInto(place: string): void {
  mkdirSync(dirname(place), { recursive: true });
  const directory = mkdtempSync(join(dirname(place), '.build-'));
  try {
    succeed(directory, 'tar', ['xzf', SOURCES]);
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    succeed(directory, process.execPath, ['--input-type=module', '-e', BUILD]);
    for (const name of ['src', 'node_modules']) rmSync(join(directory, name), { recursive: true });
    renameSync(directory, place);
  } catch (error) {
    // Another test may have been faster; its result is as good as ours.
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function succeed(cwd: string, command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr}`);
}
