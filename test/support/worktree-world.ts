import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DetachedWorld, detachedWorld } from './detached-world.js';
import type { Json } from './holdfast-binary.js';
import { CHECK, PLAN } from './run-world.js';

/** A repository with a committed plan, in which runs get worktrees of their own. */
export interface WorktreeWorld extends DetachedWorld {
  git(args: readonly string[], directory?: string): string;
  commitAll(message: string, directory?: string): void;
  /** What is known about the worktrees of runs, oldest first. */
  records(): Json[];
  /** The only one of them. */
  record(): Json;
  /** loop-state.json of a run in a worktree. */
  stateOf(record: Json): Json;
  /** The worktrees that git knows besides the repository itself. */
  registered(): string[];
  branches(): string[];
  /** `holdfast run <plan> --worktree` as a person types it. */
  inWorktree(...args: string[]): ReturnType<DetachedWorld['run']>;
}

export function worktreeCommand(args: readonly string[]): string[] {
  return ['run', PLAN, '--worktree', '--agent', 'player', '--verify', CHECK, ...args];
}

export async function worktreeWorld(...options: Parameters<typeof detachedWorld>): Promise<WorktreeWorld> {
  const world = await detachedWorld(...options);
  const names = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' };
  const git = (args: readonly string[], directory = world.project) =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
      cwd: directory,
      env: { ...world.env, ...names, ...committer, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const commitAll = (message: string, directory?: string) => {
    git(['add', '--all'], directory);
    git(['commit', '--quiet', '--allow-empty', '-m', message], directory);
  };
  git(['init', '--quiet', '--initial-branch=main']);
  commitAll('first');
  const state = join(world.env.HOLDFAST_HOME ?? '', 'state');
  const records = (): Json[] =>
    readdirSync(join(state, 'worktrees'))
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(state, 'worktrees', name), 'utf8')))
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return {
    ...world,
    git,
    commitAll,
    records,
    record() {
      const [first, ...others] = records();
      if (first === undefined || others.length > 0) throw new Error(`${others.length + 1} worktrees`);
      return first;
    },
    stateOf: ({ session_id: id }) =>
      JSON.parse(readFileSync(join(state, 'runs', id, 'loop', 'loop-state.json'), 'utf8')),
    registered: () =>
      git(['worktree', 'list', '--porcelain'])
        .split('\n')
        .flatMap((line) => /^worktree (.+)$/.exec(line)?.[1] ?? [])
        .slice(1),
    branches: () =>
      git(['for-each-ref', '--format=%(refname:short)', 'refs/heads'])
        .split('\n')
        .filter((name) => name !== ''),
    inWorktree: (...args) => world.run(worktreeCommand(args)),
  };
}
