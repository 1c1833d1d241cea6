// The Nodes that `npm run test:nodes` runs the tests on, from npm and outside of the tree.
//   node scripts/nodes-cache.mjs    installs what is missing and says what is there
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest that we promise, and the newest of every line with long support since, and of the current one. */
export const LINES = ['20.19', '22', '24', '26'];

const PACKAGE = `node-${process.platform}-${process.arch}`;
const MAX_NPM_MS = 300_000;

/**
 * The newest Node of each line, as the registry knows it or, where it cannot be asked, as it was installed before;
 * `directory` is what belongs at the front of PATH. A line that cannot be had has a reason instead.
 */
export function nodesOf(lines = LINES) {
  return lines.map((line) => {
    const wanted = newestPublished(line);
    const version = wanted !== undefined && isInstalled(wanted) ? wanted : newestInstalled(line);
    if (version !== undefined) return { line, version, directory: binOf(version) };
    return { line, reason: `${PACKAGE}@${wanted ?? line} cannot be installed` };
  });
}

function newestPublished(line) {
  const result = npm(['view', `${PACKAGE}@${line}`, 'version', '--json']);
  if (result.status !== 0) return undefined;
  const found = JSON.parse(result.stdout || '[]');
  return [found].flat().sort(byVersion).at(-1);
}

function newestInstalled(line) {
  const names = existsSync(cacheDirectory()) ? readdirSync(cacheDirectory()) : [];
  return names
    .filter((name) => name.startsWith(`${line}.`) && runs(join(cacheDirectory(), name)))
    .sort(byVersion)
    .at(-1);
}

function byVersion(one, other) {
  const [ones, others] = [one, other].map((version) => version.split('.').map(Number));
  const at = ones.findIndex((number, index) => number !== others[index]);
  return at === -1 ? 0 : ones[at] - others[at];
}

function isInstalled(version) {
  return runs(join(cacheDirectory(), version)) || install(version);
}

/** Installs beside its place and moves it there: whoever looks meanwhile sees all of it or nothing. */
function install(version) {
  mkdirSync(cacheDirectory(), { recursive: true });
  const directory = mkdtempSync(join(cacheDirectory(), '.install-'));
  try {
    console.log(`installing ${PACKAGE} ${version} …`);
    const options = ['--no-audit', '--no-fund', '--loglevel=error'];
    npm(['install', '--prefix', directory, ...options, `${PACKAGE}@${version}`], directory);
    if (!runs(directory)) return false;
    putInPlace(directory, join(cacheDirectory(), version));
    return true;
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

function runs(directory) {
  return spawnSync(join(binIn(directory), 'node'), ['--version']).status === 0;
}

function npm(args, cwd) {
  const stdio = ['ignore', 'pipe', 'ignore'];
  return spawnSync('npm', args, { cwd, encoding: 'utf8', stdio, timeout: MAX_NPM_MS });
}

function binOf(version) {
  return binIn(join(cacheDirectory(), version));
}

function binIn(directory) {
  return join(directory, 'node_modules', PACKAGE, 'bin');
}

function cacheDirectory() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast', 'nodes');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { line, version, directory, reason } of nodesOf())
    console.log(version === undefined ? `MISSING: Node ${line}: ${reason}` : `${version}  ${directory}`);
}
