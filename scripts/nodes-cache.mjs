// The Nodes that `npm run test:nodes` runs the tests on, from npm and outside of the tree.
//   node scripts/nodes-cache.mjs    installs what is missing and says what is there
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, installBeside, npm } from './install-beside.mjs';

/** The oldest that we promise, and the newest of every line with long support since, and of the current one. */
export const LINES = ['20.19', '22', '24', '26'];

const PACKAGE = `node-${process.platform}-${process.arch}`;
const NODES = cacheDirectory('nodes');

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
  const names = existsSync(NODES) ? readdirSync(NODES) : [];
  return names
    .filter((name) => name.startsWith(`${line}.`) && runs(join(NODES, name)))
    .sort(byVersion)
    .at(-1);
}

function byVersion(one, other) {
  const [ones, others] = [one, other].map((version) => version.split('.').map(Number));
  const at = ones.findIndex((number, index) => number !== others[index]);
  return at === -1 ? 0 : ones[at] - others[at];
}

function isInstalled(version) {
  const place = join(NODES, version);
  const fault = (directory) => (runs(directory) ? undefined : 'it does not run');
  return runs(place) || installBeside(place, [`${PACKAGE}@${version}`], fault) === undefined;
}

function runs(directory) {
  return spawnSync(join(binIn(directory), 'node'), ['--version']).status === 0;
}

function binOf(version) {
  return binIn(join(NODES, version));
}

function binIn(directory) {
  return join(directory, 'node_modules', PACKAGE, 'bin');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { line, version, directory, reason } of nodesOf())
    console.log(version === undefined ? `MISSING: Node ${line}: ${reason}` : `${version}  ${directory}`);
}
