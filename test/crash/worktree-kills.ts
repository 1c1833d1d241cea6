import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findProgram } from '../../src/programs/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { done, PLAN, write } from '../support/run-world.js';
import { type WorktreeWorld, worktreeWorld } from '../support/worktree-world.js';

const ARGS = [
  'run',
  PLAN,
  '--worktree',
  '--dirty',
  '--agent',
  'player',
  '--phases',
  'work',
  '--verify',
  'true',
];
const WORKS = [{ steps: [write('adder.mjs', 'export {};\n'), done] }];

/**
 * The moment at which the process that calls git is killed: before or after git has finished, or together with git, in
 * the middle.
 */
export type Moment = readonly [call: number, when: 'before' | 'after' | 'locked'];

/** A git that counts its calls and kills the process that makes a certain one; git itself then runs on, as an orphan does. */
function plantGit(world: WorktreeWorld): {
  PATH: string;
  arm(moment: Moment | undefined): void;
  calls(): string[];
} {
  const directory = world.dir.at('git');
  mkdirSync(directory);
  const real = findProgram(nodeFileSystem, 'git', world.env.PATH ?? '');
  const at = (name: string) => join(directory, name);
  const script = `#!/bin/sh
n=$(( $(cat '${at('count')}') + 1 ))
echo $n > '${at('count')}'
echo "$*" >> '${at('calls')}'
read -r armed < '${at('armed')}'
[ "$armed" = "$n before" ] && kill -9 $PPID
if [ "$armed" = "$n locked" ]; then
  kill -9 $PPID
  : > "$('${real}' rev-parse --git-dir)/index.lock"
  exit 1
fi
'${real}' "$@"
code=$?
[ "$armed" = "$n after" ] && kill -9 $PPID
exit $code
`;
  writeFileSync(at('git'), script);
  chmodSync(at('git'), 0o755);
  return {
    PATH: `${directory}:${world.env.PATH}`,
    arm(moment) {
      writeFileSync(at('armed'), `${moment?.join(' ') ?? 'never'}\n`);
      writeFileSync(at('count'), '0\n');
      writeFileSync(at('calls'), '');
    },
    calls: () => readFileSync(at('calls'), 'utf8').split('\n').slice(0, -1),
  };
}

async function killWorld(setup = 'true'): Promise<WorktreeWorld> {
  const world = await worktreeWorld(WORKS, { settings: { worktree: { setup } } });
  world.put('.gitignore', '.env\n');
  world.put('.worktreeinclude', '.env\n');
  world.commitAll('include');
  world.put('.env', 'A=1\n');
  return world;
}

/** The git calls that prepare a worktree, in a start that nothing kills. */
export async function preparationCalls(): Promise<string[]> {
  await using world = await killWorld();
  const git = plantGit(world);
  git.arm(undefined);
  expect(await world.run(ARGS, { env: { PATH: git.PATH } })).toMatchObject({ code: 0 });
  const last = git
    .calls()
    .findLastIndex((call) => /ls-files --others -z$/.test(call) && !call.includes('exclude'));
  expect(last).toBeGreaterThan(3);
  return git.calls().slice(0, last + 1);
}

/**
 * Kills a start at a moment of its preparation and starts it again with the same command: one worktree, one branch, one
 * record, one session, whatever was there in between, and the work gets done.
 */
export async function killAndStartAgain(moment: Moment): Promise<void> {
  await using world = await killWorld();
  const git = plantGit(world);
  git.arm(moment);
  expect(await world.run(ARGS, { env: { PATH: git.PATH } })).toMatchObject({ signal: 'SIGKILL' });
  const known = recordsOf(world);
  git.arm(undefined);
  const again = await world.run(ARGS, { env: { PATH: git.PATH } });
  expect({ moment, ...again }).toMatchObject({ code: 0 });
  const { session_id: id, path, branch, status, included } = world.record();
  expect({ status, included }).toEqual({ status: 'ready', included: ['.env'] });
  if (known.length > 0) expect(known).toEqual([id]);
  expect(world.registered()).toEqual([path]);
  expect(world.branches().sort()).toEqual([branch, 'main'].sort());
  expect(world.stateOf(world.record())).toMatchObject({ session_id: id, status: 'completed' });
  expect(world.git(['status', '--porcelain'], path)).toBe('?? adder.mjs\n');
}

/** A start is killed by its own setup command, once; the same command then continues and sets up again. */
export async function killAtSetup(): Promise<void> {
  await using world = await killWorld('test -f ../killed || { touch ../killed; kill -9 $PPID; }');
  expect(await world.run(ARGS)).toMatchObject({ signal: 'SIGKILL' });
  const { session_id: id, path } = world.record();
  expect(await world.run(['resume', id])).toMatchObject({ code: 3 });
  expect(await world.run(ARGS)).toMatchObject({ code: 0 });
  expect(world.record()).toMatchObject({ session_id: id, status: 'ready' });
  expect(world.registered()).toEqual([path]);
}

function recordsOf(world: WorktreeWorld): string[] {
  try {
    return world.records().map(({ session_id: id }) => id);
  } catch {
    return []; // killed before anything was written down
  }
}
