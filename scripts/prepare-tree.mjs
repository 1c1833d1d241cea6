// Makes a fresh clone runnable: installs what package-lock.json names and builds dist/, each only when needed.
// Uses nothing but Node, so that `npm start` and `npm test` work before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

// Not `npm ci`: it refuses a lock that lacks the optional binaries of other platforms, which some registries do not
// carry. This takes every version from the lock all the same and does not write to it.
once('node_modules/.holdfast-installed', hashOf(['package-lock.json']), 'Installing', () => {
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund']);
});
if (!process.argv.includes('--install-only')) {
  const sources = [
    ...filesBelow('src'),
    'scripts/build.mjs',
    ...filesBelow('scripts/package'),
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.types.json',
  ];
  once('dist/.holdfast-built', hashOf(sources), 'Building', () =>
    run(process.execPath, ['scripts/build.mjs']),
  );
}

/** Runs an action unless the mark left by the last one says that nothing has changed since. */
function once(mark, hash, title, action) {
  if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) return;
  console.error(`${title} ...`);
  action();
  mkdirSync(dirname(mark), { recursive: true });
  writeFileSync(mark, hash);
}

function hashOf(files) {
  const hash = createHash('sha256').update(process.version);
  for (const file of [...files].sort()) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function filesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.name.endsWith('.test.ts') || entry.name.endsWith('.md') ? [] : [path];
  });
}

function run(command, args) {
  const result = spawnSync(command, args, { stdio: ['ignore', 2, 2] });
  if (result.status === 0) return;
  console.error(result.error?.message ?? `${command} ${args.join(' ')} failed`);
  process.exit(result.status ?? 1);
}
