import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { HANG, isGone } from '../support/detached-world.js';
import { endAll, until } from '../support/processes.js';
import { CHECK, done, notDone, PLAN, WHOLE_WAY, write } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';
import { type WorktreeWorld, worktreeWorld } from '../support/worktree-world.js';

/** One phase, one turn: for what is not about the phases. */
const QUICK = ['--phases', 'work', '--verify', 'true'];
const WORKS = [{ steps: [write('adder.mjs', 'export {};\n'), done] }];
const OTHER = 'docs/prps/other.md';

async function quickly(world: WorktreeWorld, ...args: string[]) {
  return world.run(['run', PLAN, '--worktree', '--agent', 'player', ...QUICK, ...args]);
}

/** Starts one in the background and leaves it in the middle of a turn. */
async function leftBehind(world: WorktreeWorld, plan = PLAN): Promise<{ pid: number; sessionId: string }> {
  const { data } = await world.json([
    ...['run', plan, '--worktree', '--detach', '--agent', 'player', '--verify', CHECK],
  ]);
  expect(data).toMatchObject({ exitCode: null, pid: expect.any(Number), sessionId: expect.any(String) });
  return data;
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => isGone(pid));
}

/** Whatever a killed run had started may still write there, and make anew what was removed: it is ended first. */
async function remove(world: WorktreeWorld, path: string): Promise<void> {
  await endAll(world.dir.path);
  rmSync(path, { recursive: true, maxRetries: 20, retryDelay: 50 });
}

describe('a run in a worktree of its own', () => {
  verifies(
    'O04',
    'works on a branch of its own to its end; the tree of the person stays as it is',
    async () => {
      await using world = await worktreeWorld(WHOLE_WAY);
      const { code, stderr } = await world.inWorktree();
      expect(stderr).toContain('holdfast/adder-');
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const { session_id: id, path, branch, status, plan, base_branch } = world.record();
      expect({ status, plan, base_branch }).toEqual({ status: 'ready', plan: PLAN, base_branch: 'main' });
      expect(branch).toBe(`holdfast/adder-${id.slice(0, 4)}`);
      expect(world.registered()).toEqual([path]);
      expect(world.stateOf(world.record())).toMatchObject({
        session_id: id,
        status: 'completed',
        prp_file: PLAN,
      });
      expect(existsSync(join(path, 'adder.mjs'))).toBe(true);
      expect(existsSync(join(path, '.prp-session'))).toBe(false);
      expect(existsSync(join(world.project, '.prp-session'))).toBe(false);
      expect(existsSync(join(world.project, 'adder.mjs'))).toBe(false);
      expect(world.git(['status', '--porcelain'])).toBe('');
      // It never commits.
      expect(world.git(['rev-parse', branch])).toBe(world.git(['rev-parse', 'main']));
    },
  );

  verifies(
    'O04',
    'keeps its plan by content: neither edited nor deleted originals change anything',
    async () => {
      await using world = await worktreeWorld([HANG, ...WHOLE_WAY]);
      world.put(
        OTHER,
        '# PRP: Kept\n\n### Success Criteria\n\n- [ ] as it was\n\n## Notes\n\nEvery word of it.\n',
      );
      // It is not even committed.
      const { data } = await world.json([
        ...['run', OTHER, '--worktree', '--dirty', '--detach', '--agent', 'player', '--verify', CHECK],
      ]);
      await until(() => world.prompts().length === 1);
      expect(world.prompts()[0]?.prompt).toContain('Every word of it.');
      await kill(data.pid);
      rmSync(join(world.project, OTHER));
      const resumed = await world.json(['resume', data.sessionId.slice(0, 8)]);
      expect(resumed).toMatchObject({ code: 0, data: { isStarted: true, plan: OTHER } });
      await until(() => world.stateOf(world.record()).status === 'completed');
      expect(world.prompts().at(-1)?.prompt).toContain('- [ ] as it was');
      expect(existsSync(join(world.record().path, OTHER))).toBe(false);
    },
  );

  verifies(
    'O04',
    'of a name with slashes has them in the branch; a name that is none is refused',
    async () => {
      await using world = await worktreeWorld(WORKS);
      const named = ['run', PLAN, '--worktree=feature/adder', '--agent', 'player', ...QUICK];
      expect(await world.run(named)).toMatchObject({ code: 0 });
      const { branch, path, session_id: id } = world.record();
      expect(branch).toBe(`holdfast/feature/adder-${id.slice(0, 4)}`);
      expect(path.endsWith(`/feature-adder-${id.slice(0, 4)}`)).toBe(true);
      for (const name of ['../x', '-x', 'a..b', 'a b']) {
        const refused = await world.run(['run', PLAN, `--worktree=${name}`, '--agent', 'player', ...QUICK]);
        expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be the name') });
      }
      expect(world.records()).toHaveLength(1);
    },
  );

  verifies('O04', 'says that a dirty base is not in the worktree, and needs --dirty', async () => {
    await using world = await worktreeWorld(WORKS);
    world.put('draft.txt', 'mine\n');
    expect(await quickly(world)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('1 uncommitted file: uncommitted changes are not in the worktree'),
    });
    expect(world.registered()).toEqual([]);
    expect(await quickly(world, '--dirty')).toMatchObject({ code: 0 });
    expect(existsSync(join(world.record().path, 'draft.txt'))).toBe(false);
  });

  verifies('O04', 'needs a repository with a commit, and a plan rather than a change', async () => {
    await using world = await worktreeWorld(WORKS);
    const change = await world.run(['run', '--change', 'x', '--worktree', '--agent', 'player']);
    expect(change).toMatchObject({ code: 2, stderr: expect.stringContaining('git worktree add') });
    const elsewhere = world.dir.at('elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'x.md'), '# x\n');
    const args = ['run', 'x.md', '--worktree', '--dirty', '--agent', 'player', ...QUICK];
    expect(await world.run(args, { cwd: elsewhere })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not in a git repository'),
    });
    world.git(['init', '--quiet'], elsewhere);
    expect(await world.run(args, { cwd: elsewhere })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no commit yet'),
    });
  });

  verifies('O04', 'goes on beside another one of the same repository; both are listed under it', async () => {
    await using world = await worktreeWorld([HANG]);
    world.put(OTHER, readFileSync(join(world.project, PLAN), 'utf8'));
    world.commitAll('another plan');
    const [first, second] = [await leftBehind(world), await leftBehind(world, OTHER)];
    expect([first.pid, second.pid].map(isGone)).toEqual([false, false]);
    expect(world.registered().sort()).toEqual(
      world
        .records()
        .map(({ path }) => path)
        .sort(),
    );
    const rows = (await world.json(['status', '--all'])).data;
    expect(rows).toHaveLength(2);
    for (const { session_id: id, path, branch } of world.records())
      expect(rows).toContainEqual(
        expect.objectContaining({
          id,
          project: world.project,
          worktree: { path, branch, repository: world.project },
        }),
      );
    const listed = (await world.json(['sessions', 'list', '--kind', 'loop'])).data;
    expect(listed.map(({ id }: { id: string }) => id).sort()).toEqual(
      [first.sessionId, second.sessionId].sort(),
    );
    const everywhere = await world.json(['sessions', 'list', '--kind', 'loop', '--all-projects'], {
      cwd: '/',
    });
    expect(everywhere.data.map(({ project }: { project: string }) => project)).toEqual([
      world.project,
      world.project,
    ]);
    // The same plan again is the run that is there; another one beside it has to be said.
    expect(await world.inWorktree()).toMatchObject({ code: 5 });
    // Which one is meant has to be said as well.
    expect(await world.run(['status'])).toMatchObject({ code: 2, stderr: expect.stringContaining(OTHER) });
    await world.run(['stop', second.sessionId]);
    await until(() => isGone(second.pid));
    expect(isGone(first.pid)).toBe(false);
  });

  verifies('O04', 'is steered from the repository, from inside, and from anywhere by its id', async () => {
    await using world = await worktreeWorld([HANG]);
    const { pid, sessionId } = await leftBehind(world);
    const { path } = world.record();
    mkdirSync(join(path, 'deep'));
    const places = [
      { cwd: world.project, id: [] },
      { cwd: join(path, 'deep'), id: [] },
      { cwd: '/', id: [sessionId.slice(0, 8)] },
    ];
    for (const { cwd, id } of places) {
      expect((await world.json(['status', ...id], { cwd })).data).toMatchObject({
        found: true,
        loop: { sessionId, prpFile: PLAN },
        worktree: { path },
      });
      expect((await world.json(['report', ...id], { cwd })).data).toMatchObject({
        sessionId,
        worktree: { path },
      });
      await until(async () => (await world.run(['logs', ...id], { cwd })).stdout.includes('RED'));
      expect(await world.run(['guide', 'be brief', ...id], { cwd })).toMatchObject({ code: 0 });
      expect(await world.run(['pause', ...id], { cwd })).toMatchObject({ code: 0 });
      await until(() => world.stateOf(world.record()).status === 'paused');
      expect(await world.run(['resume', ...id], { cwd })).toMatchObject({ code: 0 });
      await until(() => world.stateOf(world.record()).status === 'running');
    }
    await world.run(['stop', sessionId.slice(0, 4)], { cwd: '/' });
    await until(() => isGone(pid));
    expect((await world.run(['attach', sessionId], { cwd: '/' })).code).toBe(0);
    // Another plan does not go into the worktree of this one, but beside it, also from there.
    const other = await world.run(['run', 'x.md', '--agent', 'player', ...QUICK], { cwd: path });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('--worktree') });
    const same = await world.run(['run', PLAN, '--new', '--agent', 'player', ...QUICK], { cwd: path });
    expect(same).toMatchObject({ code: 2, stderr: expect.stringContaining('and no other run can use it') });
    expect(world.records()).toHaveLength(1);
  });

  verifies(
    'O04',
    'may begin in a linked worktree, one of another run too, at what is checked out there',
    async () => {
      await using world = await worktreeWorld(WORKS);
      expect(await quickly(world)).toMatchObject({ code: 0 });
      const first = world.record();
      world.commitAll('by the agent', first.path);
      world.script([{ steps: [write('more.mjs', 'export {};\n'), done] }]);
      const nested = await world.run(['run', PLAN, '--worktree=next', '--agent', 'player', ...QUICK], {
        cwd: first.path,
      });
      expect(nested).toMatchObject({ code: 0 });
      const next = world.records().at(-1);
      expect(next).toMatchObject({
        repository: first.path,
        git_common_dir: first.git_common_dir,
        base_branch: first.branch,
        base_commit: world.git(['rev-parse', first.branch]).trim(),
      });
      expect(world.registered()).toHaveLength(2);
    },
  );

  verifies('O04', 'ends with diffstat, branch and the commands to merge or discard, which work', async () => {
    await using world = await worktreeWorld(WORKS);
    const { stderr } = await quickly(world);
    const { path, branch, base_commit: commit } = world.record();
    expect(stderr).toContain(`git -C '${world.project}' merge '${branch}'`);
    expect(stderr).toContain('1 file, +1 −0; 1 uncommitted, 0 unmerged commits');
    const { data } = await world.json(['report']);
    expect(data.files).toEqual([{ path: 'adder.mjs', added: 1, deleted: 0, wasUncommitted: false }]);
    expect(data.worktree).toMatchObject({
      path,
      branch,
      base: { commit, branch: 'main' },
      diffstat: { files: 1, added: 1, deleted: 0 },
      uncommitted: 1,
      unmerged: 0,
    });
    expect((await world.run(['report', '--md'])).stdout).toContain(branch);
    const shell = (command: string) => world.git(['-c', `alias.sh=!${command}`, 'sh']);
    const [add, commitAll, merge] = data.worktree.commands.merge;
    shell(add);
    shell(`${commitAll} --quiet -m done`);
    shell(merge);
    expect(existsSync(join(world.project, 'adder.mjs'))).toBe(true);
    const merged = (await world.json(['report'])).data.worktree;
    expect(merged).toMatchObject({ uncommitted: 0, unmerged: 0 });
    for (const command of merged.commands.discard) shell(command);
    expect(world.registered()).toEqual([]);
    expect(world.branches()).toEqual(['main']);
    expect((await world.json(['report'])).data.worktree).toMatchObject({
      isThere: false,
      isBranchThere: false,
    });
  });

  verifies('O04', 'is not deleted while its worktree has work; then it can be put back', async () => {
    await using world = await worktreeWorld(WORKS);
    await quickly(world);
    const { session_id: id, path, branch } = world.record();
    const refused = await world.run(['sessions', 'delete', id, '--yes']);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('1 uncommitted file') });
    world.commitAll('work', path);
    expect(await world.run(['sessions', 'delete', id, '--yes'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('1 unmerged commit'),
    });
    expect((await world.run(['sessions', 'clean'])).stderr).toContain(`merge '${branch}'`);
    world.git(['merge', '--quiet', branch]);
    expect(await world.run(['sessions', 'delete', id, '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`branch -d '${branch}'`),
    });
    expect(world.record().status).toBe('removed');
    expect(existsSync(path)).toBe(true);
    expect((await world.json(['sessions', 'list', '--all', '--kind', 'loop'])).data).toEqual([]);
    expect((await world.json(['sessions', 'trash'])).data).toMatchObject([{ kind: 'loop', id }]);
    expect(await world.run(['sessions', 'trash', 'restore', id])).toMatchObject({ code: 0 });
    expect((await world.json(['report', id])).data).toMatchObject({
      status: 'completed',
      worktree: { path },
    });
  });
});

describe('a worktree that was removed', () => {
  verifies('O04', 'is made again from its branch after a yes, which says what is lost', async () => {
    await using world = await worktreeWorld([
      { steps: [write('a.txt', 'a\n'), notDone] },
      HANG,
      ...WHOLE_WAY,
    ]);
    const { pid, sessionId } = await leftBehind(world);
    await until(() => world.prompts().length === 2);
    const { path, branch } = world.record();
    await world.run(['stop', sessionId]);
    await until(() => isGone(pid));
    await remove(world, path);
    for (const cwd of [world.project, '/']) {
      const asked = await world.run(['resume', sessionId], { cwd });
      expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining('a.txt') });
      expect(asked.stderr).toContain('--recreate');
    }
    expect(existsSync(path)).toBe(false);
    expect(await world.run(['resume', '--recreate'])).toMatchObject({ code: 0 });
    await until(() => world.stateOf(world.record()).status === 'completed');
    expect(world.registered()).toEqual([path]);
    expect(world.git(['symbolic-ref', '--short', 'HEAD'], path).trim()).toBe(branch);
    expect(existsSync(join(path, 'a.txt'))).toBe(false);
  });

  verifies('O04', 'whose branch was deleted, too, is refused with the way out', async () => {
    await using world = await worktreeWorld([HANG]);
    const { pid, sessionId } = await leftBehind(world);
    const { path, branch, base_commit: base } = world.record();
    // Before its first prompt it may not have written down how it was started.
    await until(() => world.prompts().length === 1);
    await kill(pid);
    // What it had started may still write there.
    await world.run(['stop', sessionId]);
    await remove(world, path);
    world.git(['worktree', 'prune']);
    world.git(['branch', '-D', branch]);
    const refused = await world.run(['resume', sessionId, '--recreate']);
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`branch '${branch}' ${base.slice(0, 12)}`),
    });
    world.git(['branch', branch, base]);
    expect(await world.run(['resume', sessionId, '--recreate'])).toMatchObject({ code: 0 });
    expect(world.registered()).toEqual([path]);
  });

  verifies('O04', 'whose branch the person has checked out by now is not made a second time', async () => {
    await using world = await worktreeWorld([HANG]);
    const { pid, sessionId } = await leftBehind(world);
    const { path, branch } = world.record();
    // Before its first prompt it may not have written down how it was started.
    await until(() => world.prompts().length === 1);
    await kill(pid);
    // What it had started may still write there.
    await world.run(['stop', sessionId]);
    await remove(world, path);
    world.git(['worktree', 'prune']);
    world.git(['switch', '--quiet', branch]);
    const refused = await world.run(['resume', sessionId, '--recreate']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(`${branch} is checked out in ${world.project}`);
    expect(existsSync(path)).toBe(false);
  });

  verifies('O04', 'is where the service starts its run again', async () => {
    await using world = await worktreeWorld([HANG, ...WHOLE_WAY]);
    const { pid, sessionId } = await leftBehind(world);
    const { path } = world.record();
    await until(() => world.prompts().length === 1);
    await kill(pid);
    // As the unit of the service does.
    expect(await world.run(['service', 'run'])).toMatchObject({ code: 0 });
    await until(() => world.stateOf(world.record()).status === 'completed');
    expect(world.stateOf(world.record()).session_id).toBe(sessionId);
    expect(world.registered()).toEqual([path]);
  });
});

describe('what is in a worktree', () => {
  verifies(
    'O04',
    'are the untracked files that .worktreeinclude names, told before; no links, nothing outside',
    async () => {
      await using world = await worktreeWorld(WORKS);
      world.put('.gitignore', '.env*\nconfig/\nlink\n');
      world.put('.worktreeinclude', '.env\nconfig/\nlink\n../secret\n/etc/passwd\n.git/config\n');
      world.commitAll('include');
      world.put('.env', 'A=1\n');
      world.put('.env.other', 'B=2\n');
      world.put('config/run.sh', 'exit 0\n');
      chmodSync(join(world.project, 'config/run.sh'), 0o755);
      writeFileSync(world.dir.at('secret'), 'outside\n');
      symlinkSync(world.dir.at('secret'), join(world.project, 'link'));
      symlinkSync(world.dir.at('secret'), join(world.project, 'config', 'linked'));
      const { code, stderr } = await quickly(world);
      expect(code).toBe(0);
      const { path, included } = world.record();
      expect(included).toEqual(['.env', 'config/run.sh']);
      expect(stderr).toMatch(/copying 2 untracked files .*:\n {2}\.env\n {2}config\/run\.sh\n/);
      expect(stderr).toContain('../secret');
      expect(readFileSync(join(path, '.env'), 'utf8')).toBe('A=1\n');
      for (const absent of ['.env.other', 'link', 'config/linked', 'etc/passwd', 'secret'])
        expect(existsSync(join(path, absent))).toBe(false);
    },
  );

  verifies(
    'O04',
    'is set up by the command of the person alone; where it fails no agent is started',
    async () => {
      await using world = await worktreeWorld(WORKS, {
        settings: { worktree: { setup: 'echo "in $PWD for $HOLDFAST_WORKTREE_BRANCH" && cat ready' } },
      });
      const failed = await quickly(world);
      expect(failed).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The setup command of the worktree failed (exit code 1)'),
      });
      expect(world.prompts()).toEqual([]);
      const { session_id: id, path, branch, status } = world.record();
      expect(status).toBe('preparing');
      const log = readFileSync(join(world.env.HOLDFAST_HOME ?? '', 'state', 'runs', id, 'setup.log'), 'utf8');
      expect(log).toContain(`in ${path} for ${branch}`);
      // What is there is said by its id; the same command goes on with it.
      expect(await world.run(['resume', id])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('--worktree'),
      });
      writeFileSync(join(path, 'ready'), '');
      expect(await quickly(world)).toMatchObject({ code: 0 });
      expect(world.record()).toMatchObject({ session_id: id, status: 'ready' });
    },
  );

  verifies('O04', 'are no submodules, which is said', async () => {
    await using world = await worktreeWorld(WORKS);
    const library = world.dir.at('library');
    mkdirSync(library);
    world.git(['init', '--quiet'], library);
    world.commitAll('first', library);
    world.git(['submodule', '--quiet', 'add', library, 'vendor/library']);
    world.commitAll('submodule');
    const { code, stderr } = await quickly(world);
    expect(code).toBe(0);
    expect(stderr).toContain('submodules are not checked out in the worktree: vendor/library');
  });

  verifies('O04', 'is nothing that a hostile repository runs: no hook, no monitor, no filter', async () => {
    await using world = await worktreeWorld(WORKS);
    const trap = world.dir.at('trap');
    const script = `#!/bin/sh\ntouch '${trap}'\ncat\n`;
    writeFileSync(join(world.project, '.git', 'hooks', 'post-checkout'), script, { mode: 0o755 });
    writeFileSync(world.dir.at('evil.sh'), script, { mode: 0o755 });
    world.put('.gitattributes', '*.txt filter=evil\n*.lock merge=evil\n');
    world.put('a.txt', 'plain\n');
    world.commitAll('attributes');
    for (const [key, value] of [
      ['filter.evil.smudge', world.dir.at('evil.sh')],
      ['filter.evil.clean', world.dir.at('evil.sh')],
      ['filter.evil.process', world.dir.at('evil.sh')],
      ['filter.evil.required', 'true'],
      ['core.fsmonitor', world.dir.at('evil.sh')],
      ['core.sshCommand', world.dir.at('evil.sh')],
    ])
      world.git(['config', key ?? '', value ?? '']);
    rmSync(trap, { force: true });
    expect(await quickly(world, '--dirty')).toMatchObject({ code: 0 });
    expect(existsSync(trap)).toBe(false);
    expect(readFileSync(join(world.record().path, 'a.txt'), 'utf8')).toBe('plain\n');
  });
});
