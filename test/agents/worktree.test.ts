import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CHECK, PLAN } from '../support/run-world.js';
import { REAL_AGENTS } from './real-agents.js';
import { runGround } from './run-ground.js';
import { WHOLE_WAY } from './run-plays.js';
import { itDrives } from './stage.js';

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex]) {
  itDrives(
    agent,
    `O04: a run with the real ${agent.name} in a worktree of its own works there to its end`,
    WHOLE_WAY,
    async (stage) => {
      await using world = await runGround(agent, stage);
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
          cwd: world.project,
          encoding: 'utf8',
        });
      git('init', '--quiet', '--initial-branch=main');
      git('add', '--all');
      git('commit', '--quiet', '-m', 'first');
      const options = ['--agent', 'player', '--verify', CHECK, '--max-iterations', '9'];
      const ended = await world.run(['run', PLAN, '--worktree', ...options]);
      expect(ended.code, ended.stderr).toBe(0);
      const worktrees = join(world.env.HOLDFAST_HOME ?? '', 'state', 'worktrees');
      const [file = ''] = readdirSync(worktrees).filter((name) => name.endsWith('.json'));
      const { path, branch } = JSON.parse(readFileSync(join(worktrees, file), 'utf8'));
      expect(existsSync(join(path, 'adder.mjs'))).toBe(true);
      expect(git('status', '--porcelain')).toBe('');
      const { data } = await world.json(['report']);
      expect(data).toMatchObject({ status: 'completed', worktree: { path, branch, isThere: true } });
    },
  );
}
