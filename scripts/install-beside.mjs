// Installs packages of others outside of the tree, for the tiers of tests that run them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const MAX_NPM_MS = 300_000;

export function cacheDirectory(name) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast', name);
}

export function npm(args, cwd) {
  return spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_NPM_MS,
  });
}

/**
 * Installs beside its place and moves it there: whoever looks meanwhile sees all of it or nothing. `fault` looks at what
 * was installed and says why it is of no use, if it is not. Returns why it could not be had, or undefined.
 */
export function installBeside(place, packages, fault) {
  mkdirSync(dirname(place), { recursive: true });
  const directory = mkdtempSync(join(dirname(place), '.install-'));
  try {
    console.log(`installing ${packages.join(' ')} …`);
    const options = ['--no-audit', '--no-fund', '--loglevel=error'];
    const result = npm(['install', '--prefix', directory, ...options, ...packages], directory);
    const reason = result.status === 0 ? fault(directory) : failureOf(result);
    if (reason === undefined) putInPlace(directory, place);
    else console.log(`  ${packages.join(' ')} cannot be had: ${reason}`);
    return reason;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Another run may have been faster; then its result is as good as ours. */
function putInPlace(directory, place) {
  try {
    renameSync(directory, place);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  }
}

/** Why a program that was run to its end did not do well. */
export function failureOf({ error, stderr, status }) {
  return error?.message ?? ((stderr ?? '').trim().split('\n').slice(-5).join(' | ') || `exit code ${status}`);
}
