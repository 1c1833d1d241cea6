import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../support/agents.js';
import type { Json, Machine } from '../support/holdfast-binary.js';
import { livingIn } from '../support/processes.js';
import { status } from '../support/run-world.js';
import { REAL_AGENTS, type RealAgent, settingsFor } from './real-agents.js';
import { runGround } from './run-ground.js';
import { answers, script, writes } from './run-plays.js';
import { itDrives } from './stage.js';

const { claude, codex } = REAL_AGENTS;
const DONE = { text: `Done.\n\n${status(true)}\n` };
const OPTIONS = ['--phases', 'work', '--verify', 'true', '--permissions', 'bypass'];

function planOf(name: string): string {
  return `docs/prps/${name}.md`;
}

/** Each plan is told by a word of its own, and asks for a file of that name. */
function workOn(...names: readonly string[]) {
  return names.flatMap((name) => answers(`${name}-plan`, writes({ [`${name}.txt`]: `${name}\n` }), DONE));
}

function gitIn(directory: string, ...args: string[]): string {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...who, ...args], { cwd: directory, encoding: 'utf8', stdio: 'pipe' });
}

function commitPlans(
  world: Machine & { put(path: string, text: string): void },
  names: readonly string[],
): void {
  for (const name of names)
    world.put(planOf(name), `# PRP: ${name}-plan\n\n### Success Criteria\n\n- [ ] ${name}.txt is there\n`);
  gitIn(world.project, 'init', '--quiet', '--initial-branch=main');
  gitIn(world.project, 'add', '--all');
  gitIn(world.project, 'commit', '--quiet', '-m', 'plans');
}

async function listed(world: Machine): Promise<Json[]> {
  return (await world.asideJson(['queue', 'list', '--all'])).data.entries;
}

itDrives(
  claude,
  'O05: real Claude Code and real Codex work side by side in two worktrees of one repository, and git merges both',
  script(...workOn('left', 'right')),
  async (stage) => {
    await using world = await runGround(claude, stage);
    const homes = (agent: RealAgent) =>
      settingsFor(agent, { home: stage.world.dir.at(`home-${agent.name}`), baseUrl: stage.model.url });
    world.configure({ agents: { one: homes(claude), other: homes(codex) } });
    commitPlans(world, ['left', 'right']);
    for (const [name, agent] of [
      ['left', 'one'],
      ['right', 'other'],
    ] as const)
      expect(await world.aside(['queue', 'add', planOf(name), '--agent', agent, ...OPTIONS])).toMatchObject({
        code: 0,
      });
    const worked = await world.run(['worker', '--once', '--slots', '2']);
    expect(worked, worked.stdout + worked.stderr).toMatchObject({ code: 0 });

    const entries = await listed(world);
    expect(entries.map((one) => one.status)).toEqual(['done', 'done']);
    const [left, right] = entries;
    expect(left.worktree).not.toBe(right.worktree);
    // Side by side: each began before the other was over.
    expect(left.startedAt < right.endedAt && right.startedAt < left.endedAt).toBe(true);
    for (const entry of entries) {
      const { data } = await world.asideJson(['queue', 'show', entry.id]);
      expect(data.report).toMatchObject({ status: 'completed', sessionId: entry.runId });
    }

    for (const { worktree } of entries) {
      gitIn(worktree, 'add', '--all');
      gitIn(worktree, 'commit', '--quiet', '-m', 'work');
      gitIn(
        world.project,
        'merge',
        '--quiet',
        '--no-edit',
        gitIn(worktree, 'branch', '--show-current').trim(),
      );
    }
    expect(gitIn(world.project, 'status', '--porcelain')).toBe('');
    const merged = gitIn(world.project, 'ls-files').trim().split('\n');
    expect(merged).toEqual(expect.arrayContaining(['left.txt', 'right.txt']));
    // Nothing of ours, and of the agents, came along.
    expect(
      merged.filter((file) => !/^(docs\/prps\/.*\.md|left\.txt|right\.txt|\.gitignore)$/.test(file)),
    ).toEqual([]);
  },
  ['codex'],
);

/** Only an account with a subscription is told when its allowance comes back. */
const subscribed: RealAgent = {
  ...claude,
  environment(baseUrl) {
    const { ANTHROPIC_API_KEY: _, ...rest } = claude.environment(baseUrl);
    return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: 'sk-fake-oauth' };
  },
};

const TEN = Array.from({ length: 10 }, (_, index) => `task${index}x`);

/** The third plan meets the wall, once. */
function walledAtThree() {
  const rules = workOn(...TEN);
  const at = rules.findIndex(({ when }) => when.lastUser?.includes('task2x'));
  const fault = { type: 'usage_limit', times: 1, resetsInSeconds: 3_600 } as const;
  return script(
    ...rules.map((rule, index) => (index === at ? { ...rule, turn: { ...rule.turn, fault } } : rule)),
  );
}

for (const agent of [subscribed, codex])
  itDrives(
    agent,
    `a wall that the real ${agent.name} meets at entry 3 of 10 keeps all of them, until one has tried after the reset`,
    walledAtThree(),
    async (stage) => {
      await using world = await runGround(agent, stage);
      commitPlans(world, TEN);
      const added = await world.aside(['queue', 'add', ...TEN.map(planOf), '--agent', 'player', ...OPTIONS]);
      expect(added, added.stderr).toMatchObject({ code: 0 });
      const path = join(world.env.HOLDFAST_HOME ?? '', 'state', 'accounts', 'player.json');
      const window = (): Json => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
      /** The plan that the model was asked about, request by request. */
      const asked = () => stage.model.requests().flatMap((one) => one.matches(/task\dx-plan/g).slice(0, 1));

      const first = world.start(['worker', '--slots', '1']);
      await eventually(() => window()?.waiting.length === 1);
      const before = asked();
      expect([...new Set(before)]).toEqual(['task0x-plan', 'task1x-plan', 'task2x-plan']);
      const { until } = window();
      // Everything dies, and comes back with more slots: the wall is where it was, and nobody asks the model.
      first.child.kill('SIGKILL');
      await first.ended;
      for (const pid of runsIn(world)) process.kill(pid, 'SIGKILL');
      const again = world.start(['worker', '--once', '--slots', '3']);
      await again.printed('stdout', /taken over/);
      await eventually(() =>
        window()?.waiting.some(({ process: { pid } }: Json) => runsIn(world).includes(pid)),
      );
      const waiting = (await listed(world)).filter(({ standing }) => standing.until === until);
      expect(waiting.map(({ standing }) => standing.is)).toEqual(TEN.slice(3).map(() => 'waits'));
      const { stdout } = await world.aside(['queue', 'list']);
      expect(stdout).toMatch(/waiting until [-\d: ]+: the (5h )?limit of the account player is used up/);
      expect(asked()).toEqual(before);

      const soon = new Date(Date.now() + 1_000).toISOString();
      writeFileSync(`${path}.moved`, JSON.stringify({ ...window(), until: soon }));
      renameSync(`${path}.moved`, path);
      expect(await again.ended, again.stdout).toMatchObject({ code: 0 });
      expect((await listed(world)).map((one) => one.status)).toEqual(TEN.map(() => 'done'));
      // One tried first, the one that had waited longest; the others came when it had its answer.
      const after = asked().slice(before.length);
      expect(after.slice(0, 2)).toEqual(['task2x-plan', 'task2x-plan']);
      expect([...new Set(after)].sort()).toEqual(TEN.slice(2).map((name) => `${name}-plan`));
    },
  );

function runsIn(world: Machine): number[] {
  return livingIn(world.dir.path, 'holdfast.cjs\0run');
}
