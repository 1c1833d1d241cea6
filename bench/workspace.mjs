// PERF-27: a snapshot of a working tree, beside `git status` on it.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { compare, loadOurs, ratio, scratchDirectory, untilSteady } from './lib.mjs';

const LIMIT = 'git status';
const DIRECTORIES = 500;
const FILES_EACH = 100;

export const rows = [
  {
    id: 'PERF-27',
    what: 'snapshot of a repository with 50,000 files and one change',
    goal: `<= 1.3 of ${LIMIT}`,
    run: ({ isQuick }) => untilSteady(() => measureSnapshot(isQuick)),
  },
];

async function measureSnapshot(isQuick) {
  const directory = scratchDirectory('workspace');
  const repository = makeRepository(directory);
  const { openWorkspace } = await loadOurs();
  const workspace = openWorkspace(path.join(directory, 'programs'), environment(directory));
  const before = await workspace.snapshot(repository);
  fs.appendFileSync(path.join(repository, 'd0', 'f0.txt'), 'one change\n');
  await status(repository, directory); // refreshes the index once, as it is in a tree that somebody works in
  const told = await workspace.compare(before, await workspace.snapshot(repository));
  if (told.modified.join() !== 'd0/f0.txt' || told.notes.length > 0) {
    throw new Error(`the snapshots tell something else: ${JSON.stringify(told)}`);
  }
  const series = await compare(
    [
      { name: LIMIT, count: 1, run: () => status(repository, directory) },
      { name: 'ours', count: 1, run: () => workspace.snapshot(repository) },
    ],
    isQuick ? 7 : 31,
  );
  const limit = ratio(series.ours, series[LIMIT]);
  return {
    series,
    steady: [series[LIMIT]],
    limit: { name: LIMIT, ratio: limit },
    peers: [],
    checks: [{ what: `of ${LIMIT}`, value: limit, atMost: 1.3 }],
    notes: [
      `${DIRECTORIES * FILES_EACH} files; both with their program started from Node and its output read`,
    ],
  };
}

function makeRepository(parent) {
  const repository = path.join(parent, 'repository');
  for (let directory = 0; directory < DIRECTORIES; directory++) {
    const at = path.join(repository, `d${directory}`);
    fs.mkdirSync(at, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++)
      fs.writeFileSync(path.join(at, `f${file}.txt`), `${directory} ${file}\n`);
  }
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    [...identity, 'commit', '--quiet', '-m', 'all'],
  ]) {
    const made = spawnSync('git', args, { cwd: repository, env: environment(parent), encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`git ${args.at(-1)}: ${made.error?.message ?? made.stderr}`);
  }
  return repository;
}

function status(repository, home) {
  return new Promise((resolve, reject) => {
    const git = spawn('git', ['status'], { cwd: repository, env: environment(home) });
    git.stdout.resume();
    git.stderr.resume();
    git.on('error', reject);
    git.on('close', resolve);
  });
}

/** No setting of this machine's user. */
const environment = (home) => ({
  PATH: process.env.PATH,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
});
