// dist/types: the declarations that the exported entries reach, and no others.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const TYPES = 'dist/types';

/** The compiler writes one for every file that it had to read; most of them no entry mentions. */
export function writeTypes(manifest) {
  // Whether the types are right is a check of the whole tree, and not the build's.
  const command = ['--max-semi-space-size=128', 'node_modules/typescript/bin/tsc', '--noCheck'];
  execFileSync(process.execPath, [...command, '-p', 'tsconfig.types.json'], { stdio: 'inherit' });
  const reached = reachedFrom(entriesOf(manifest));
  for (const path of declarationsBelow(TYPES)) if (!reached.has(path)) rmSync(path);
  removeEmpty(TYPES);
}

export function entriesOf({ exports }) {
  return Object.values(exports)
    .flatMap(({ types = [] }) => types)
    .map((path) => resolve(path));
}

/** Every declaration that these mention, and what those mention. */
export function reachedFrom(entries) {
  const reached = new Set();
  const visit = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
      const target = resolve(dirname(path), name).replace(/\.js$/, '.d.ts');
      if (!existsSync(target)) throw new Error(`${path} mentions ${name}, which has no declarations`);
      visit(target);
    }
  };
  for (const entry of entries) visit(entry);
  return reached;
}

export function declarationsBelow(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => resolve(entry.parentPath, entry.name));
}

function removeEmpty(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(directory, entry.name));
  if (readdirSync(directory).length === 0) rmdirSync(directory);
}
