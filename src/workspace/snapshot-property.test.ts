import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld } from '../../test/support/git-world.js';

const PATHS = ['a', 'b', 'd', 'd/a', 'd/e', 'd/e/b', 'x y/ü', 'line\nbreak'];
const TEXTS = ['', 'one\n', 'two\n'];

type Step =
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  | { readonly do: 'remove'; readonly path: string }
  | { readonly do: 'git'; readonly args: readonly string[] };

const GIT_STEPS = [
  ['add', '--all'],
  ['commit', '--quiet', '--all', '-m', 'some'],
  ['commit', '--quiet', '--amend', '--allow-empty', '-m', 'amended'],
  ['reset', '--quiet', '--soft', 'HEAD~1'],
  ['reset', '--quiet', '--mixed', 'HEAD~1'],
  ['reset', '--quiet', '--hard'],
  ['rm', '--quiet', '-r', '--cached', '.'],
  ['stash', '--quiet', '--include-untracked'],
  ['stash', 'pop', '--quiet'],
  ['checkout', '--quiet', '-B', 'side'],
  ['checkout', '--quiet', '--force', 'main'],
  ['merge', '--quiet', 'side'],
  ['clean', '--quiet', '-fd'],
];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      path: fc.constantFrom(...PATHS),
      text: fc.constantFrom(...TEXTS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('remove' as const), path: fc.constantFrom(...PATHS) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('git' as const), args: fc.constantFrom(...GIT_STEPS) }),
  },
);
const steps = (maxLength: number) => fc.array(step, { maxLength });

describe('any two snapshots', () => {
  it.each([
    ['in a repository', true],
    ['without git, where all files are new', false],
  ])('tell exactly which files differ on disk, %s', tellExactly);
});

async function tellExactly(_where: string, isRepository: boolean): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps(5), steps(7), async (earlier, between) => {
      await using world = await gitWorld();
      if (isRepository) world.repository('', { a: 'one\n', 'd/a': 'two\n' });
      for (const each of earlier) run(world, each, isRepository);
      const filesBefore = readAll(world.project);
      const told = await world.changesOf(() => {
        for (const each of between) run(world, each, isRepository);
      });
      expect(told).toMatchObject({ ...differences(filesBefore, readAll(world.project)), notes: [] });
    }),
    { numRuns: 25 },
  );
}

/** A step that is not possible right now does nothing. */
function run(world: GitWorld, step: Step, isRepository: boolean): void {
  if (step.do === 'git') {
    if (!isRepository) return;
    try {
      world.git(step.args);
    } catch {
      // nothing to commit, no such branch, a conflict: what is on disk now counts
    }
  } else if (step.do === 'write') {
    makeRoom(world, step.path);
    writeFileSync(world.at(step.path), step.text);
  } else if (existsSync(world.at(step.path))) rmSync(world.at(step.path), { recursive: true });
}

/** Removes a directory where the file should go, or a file where its directory should go. */
function makeRoom(world: GitWorld, path: string): void {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const at = world.at(...parts.slice(0, depth));
    const isLast = depth === parts.length;
    if (existsSync(at) && lstatSync(at).isDirectory() === isLast) rmSync(at, { recursive: true });
  }
  mkdirSync(dirname(world.at(path)), { recursive: true });
}

function readAll(directory: string, prefix = ''): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(directory)) {
    if (name === '.git') continue;
    const path = join(directory, name);
    if (lstatSync(path).isDirectory()) {
      for (const [inner, text] of readAll(path, `${prefix}${name}/`)) files.set(inner, text);
    } else files.set(prefix + name, readFileSync(path, 'utf8'));
  }
  return files;
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return {
    created: paths.filter((path) => !before.has(path)),
    modified: paths.filter(
      (path) => before.has(path) && after.has(path) && before.get(path) !== after.get(path),
    ),
    deleted: paths.filter((path) => !after.has(path)),
  };
}
