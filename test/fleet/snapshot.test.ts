import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServices } from '../../src/app/base.js';
import { workbenchOf } from '../../src/app/sessions/open-processes.js';
import {
  commitSnapshot,
  fetchCommit,
  findRemoteRef,
  listTreeTrouble,
  openMirror,
  placeSnapshot,
  pushCommit,
  registerWorktree,
  type WorkspaceTools,
} from '../../src/workspace/index.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { verifies } from '../support/verifies.js';

/** Assembled here, so that none of our files contains a whole one. */
const SECRET = `ghp_${'a1B2'.repeat(9)}`;

describe('a snapshot of a working tree', () => {
  let dir: TempDir;
  let tools: WorkspaceTools;
  let count = 0;

  beforeAll(async () => {
    dir = await tempDir();
    mkdirSync(dir.at('home'));
    mkdirSync(dir.at('scratch'));
    const environment = { PATH: process.env.PATH, HOME: dir.at('home'), HOLDFAST_HOME: dir.at('own') };
    tools = workbenchOf(createServices({ environment, workingDirectory: dir.path, command: 'test' }));
  });
  afterAll(() => dir[Symbol.asyncDispose]());

  const git = (where: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: where,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: dir.at('home'), LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();

  const put = (top: string, path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), content);
  };

  /** A repository with a first commit, and its remote. */
  function project(files: Readonly<Record<string, string>> = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n' }) {
    count += 1;
    const top = dir.at(`project-${count}`);
    const remote = dir.at(`remote-${count}.git`);
    mkdirSync(top);
    git(dir.path, 'init', '--bare', '--quiet', remote);
    git(top, 'init', '--quiet', '-b', 'main');
    for (const [path, text] of Object.entries(files)) put(top, path, text);
    git(top, 'add', '-A');
    git(top, 'commit', '--quiet', '-m', 'first');
    git(top, 'push', '--quiet', remote, 'main');
    return { top, remote, base: git(top, 'rev-parse', 'HEAD') };
  }

  const snap = (top: string, base: string) =>
    commitSnapshot(tools, top, { base, message: 'snapshot', scratch: dir.at('scratch'), token: `t${count}` });
  const tree = (top: string, commit: string) =>
    git(top, 'ls-tree', '-r', '--name-only', commit).split('\n').sort();
  const show = (top: string, commit: string, path: string) => git(top, 'show', `${commit}:${path}`);

  verifies(
    'F04',
    'has every file as it is on disk, and HEAD, branch and index stay as they are',
    async () => {
      const { top, base } = project();
      put(top, 'a.txt', 'changed\n');
      put(top, 'new/ünï code.txt', 'new\n');
      put(top, 'staged.txt', 'staged\n');
      git(top, 'add', 'staged.txt');
      rmSync(join(top, 'dir/b.txt'));
      put(top, 'tool.sh', '#!/bin/sh\n');
      chmodSync(join(top, 'tool.sh'), 0o755);
      symlinkSync('a.txt', join(top, 'link'));
      put(top, '.gitignore', 'ignored\n');
      put(top, 'ignored', 'x');
      put(top, '.holdfast/own', 'x');
      const before = [
        git(top, 'status', '--porcelain'),
        git(top, 'rev-parse', 'HEAD'),
        git(top, 'ls-files', '-s'),
      ];
      const { commit, parent, leftOut } = await snap(top, base);
      expect(parent).toBe(base);
      expect(leftOut).toEqual([]);
      expect(tree(top, commit)).toEqual(
        [
          '.gitignore',
          'a.txt',
          'link',
          '"new/\\303\\274n\\303\\257 code.txt"',
          'staged.txt',
          'tool.sh',
        ].sort(),
      );
      expect(show(top, commit, 'a.txt')).toBe('changed');
      expect(git(top, 'ls-tree', commit, 'link', 'tool.sh')).toMatch(/^120000 .*\n?.*100755/s);
      expect(show(top, commit, 'link')).toBe('a.txt');
      expect([
        git(top, 'status', '--porcelain'),
        git(top, 'rev-parse', 'HEAD'),
        git(top, 'ls-files', '-s'),
      ]).toEqual(before);
    },
  );

  verifies(
    'F04',
    'a planted secret is in no snapshot, whether untracked, changed or committed since',
    async () => {
      const { top, base } = project();
      put(top, 'untracked.env', `TOKEN=${SECRET}\n`);
      put(top, 'a.txt', `a\n${SECRET}\n`);
      const first = await snap(top, base);
      expect(first.leftOut).toEqual([
        { path: 'a.txt', reason: 'secret' },
        { path: 'untracked.env', reason: 'secret' },
      ]);
      expect(show(top, first.commit, 'a.txt')).toBe('a');
      // The agent commits it: history cannot be cut file by file, so the commits stay here.
      git(top, 'add', '-A');
      git(top, 'commit', '--quiet', '-m', 'oops');
      put(top, 'good.txt', 'good\n');
      const second = await snap(top, base);
      expect(second.parent).toBe(base);
      expect(tree(top, second.commit)).toEqual(['a.txt', 'dir/b.txt', 'good.txt']);
      for (const { commit } of [first, second])
        expect(git(top, 'log', '-p', commit, '--not', base)).not.toContain(SECRET);
    },
  );

  it('leaves out large untracked files and repositories inside, and says so', async () => {
    const { top, base } = project();
    put(top, 'large.bin', Buffer.alloc(5 * 1024 * 1024 + 1, 'x'));
    mkdirSync(join(top, 'inner'));
    git(join(top, 'inner'), 'init', '--quiet');
    put(top, 'inner/file', 'x');
    const { commit, leftOut } = await snap(top, base);
    expect(leftOut).toEqual([
      { path: 'inner', reason: 'repository' },
      { path: 'large.bin', reason: 'large' },
    ]);
    expect(tree(top, commit)).toEqual(['a.txt', 'dir/b.txt']);
  });

  verifies('F04', 'runs no filter, no hook and no program that the repository names', async () => {
    const { top, remote, base } = project({ 'a.txt': 'a\n', '.gitattributes': '* filter=evil\n' });
    const witness = dir.at('witness');
    git(top, 'config', 'filter.evil.clean', `touch ${witness}; cat`);
    git(top, 'config', 'filter.evil.smudge', `touch ${witness}; cat`);
    git(top, 'config', 'core.fsmonitor', `touch ${witness}; false`);
    git(top, 'config', 'core.sshCommand', `touch ${witness}; false`);
    git(top, 'config', `url.ext::touch ${witness}.insteadOf`, remote);
    const hook = join(top, '.git/hooks/pre-push');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch ${witness}\n`);
    chmodSync(hook, 0o755);
    put(top, 'a.txt', 'changed\n');
    const { commit } = await snap(top, base);
    const repository = {
      ...(await openMirror(tools, dir.at('filtered'), remote)),
      objects: join(top, '.git/objects'),
    };
    await pushCommit(tools, repository, { commit, ref: 'refs/holdfast/r/1', expected: null });
    expect(await findRemoteRef(tools, repository, 'refs/holdfast/r/1')).toBe(commit);
    expect(() => readFileSync(witness)).toThrow();
  });

  verifies(
    'F04',
    'is put back on another machine as it was: files, HEAD, and what was not committed',
    async () => {
      const { top, remote, base } = project();
      put(top, 'a.txt', 'committed\n');
      git(top, 'commit', '--quiet', '-am', 'work of the agent');
      const head = git(top, 'rev-parse', 'HEAD');
      put(top, 'a.txt', 'and changed\n');
      put(top, 'new.txt', 'new\n');
      rmSync(join(top, 'dir/b.txt'));
      const { commit, parent } = await snap(top, base);
      const here = {
        ...(await openMirror(tools, dir.at('here'), remote)),
        objects: join(top, '.git/objects'),
      };
      await pushCommit(tools, here, { commit, ref: 'refs/holdfast/r/1', expected: null });
      const there = await openMirror(tools, dir.at('there'), remote);
      await fetchCommit(tools, there, { commit, ref: 'refs/holdfast/r/1' });
      const path = dir.at('there-tree');
      await registerWorktree(tools, there.mirror, { path, branch: 'holdfast/x', from: parent });
      await placeSnapshot(tools, path, { commit, parent });
      expect(parent).toBe(head);
      expect(git(path, 'rev-parse', 'HEAD')).toBe(head);
      expect(git(path, 'status', '--porcelain').split('\n').sort()).toEqual(
        git(top, 'status', '--porcelain').split('\n').sort(),
      );
      expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('and changed\n');
    },
  );

  it('a writer that was overtaken is refused, and what is there stays', async () => {
    const { top, remote, base } = project();
    const repository = {
      ...(await openMirror(tools, dir.at('lease'), remote)),
      objects: join(top, '.git/objects'),
    };
    const push = (commit: string, expected: string | null) =>
      pushCommit(tools, repository, { commit, ref: 'refs/holdfast/r/1', expected });
    put(top, 'a.txt', '1\n');
    const first = await snap(top, base);
    await push(first.commit, null);
    put(top, 'a.txt', '2\n');
    const second = await snap(top, base);
    await push(second.commit, first.commit);
    await expect(push(first.commit, first.commit)).rejects.toMatchObject({
      code: 'GIT_REMOTE',
      trouble: 'overtaken',
    });
    await expect(push(first.commit, null)).rejects.toMatchObject({ trouble: 'overtaken' });
    expect(await findRemoteRef(tools, repository, 'refs/holdfast/r/1')).toBe(second.commit);
  });

  it('tells a server that is away, one that is slow, one that refuses, and a commit that vanished', async () => {
    const { top, remote, base } = project();
    const at = async (url: string) => ({
      ...(await openMirror(tools, dir.at(`troubles-${count}-${url.length}`), url)),
      objects: join(top, '.git/objects'),
    });
    const ref = 'refs/holdfast/r/1';
    const away = await at(dir.at('nowhere.git'));
    await expect(pushCommit(tools, away, { commit: base, ref, expected: null })).rejects.toMatchObject({
      trouble: 'away',
    });
    const refusing = await at(remote);
    const hook = join(remote, 'hooks/pre-receive');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho only branches; exit 1\n');
    chmodSync(hook, 0o755);
    await expect(pushCommit(tools, refusing, { commit: base, ref, expected: null })).rejects.toMatchObject({
      trouble: 'refused',
      hint: expect.stringContaining('fleet.ref'),
    });
    writeFileSync(hook, '#!/bin/sh\nsleep 60\n');
    await expect(
      pushCommit(tools, refusing, { commit: base, ref, expected: null, timeoutMs: 500 }),
    ).rejects.toMatchObject({ trouble: 'slow' });
    const fresh = await openMirror(tools, dir.at('vanished'), remote);
    await expect(fetchCommit(tools, fresh, { commit: 'ab'.repeat(20) })).rejects.toMatchObject({
      trouble: 'gone',
    });
  });

  it('an address that names a program is refused before git is asked', async () => {
    for (const url of ['ext::sh -c touch% x', '--upload-pack=x', 'fd::3', 'x'])
      await expect(openMirror(tools, dir.at('bad'), url)).rejects.toMatchObject({ code: 'GIT_REMOTE' });
  });

  it('a tree with submodules or LFS is told before anything is made of it', async () => {
    const lfs = project({ 'x/.gitattributes': '*.bin filter=lfs diff=lfs\n' });
    expect(await listTreeTrouble(tools, lfs.top, lfs.base)).toEqual({ is: 'lfs', path: 'x/.gitattributes' });
    const plain = project();
    expect(await listTreeTrouble(tools, plain.top, plain.base)).toBeUndefined();
    git(plain.top, 'update-index', '--add', '--cacheinfo', `160000,${plain.base},module`);
    git(plain.top, 'commit', '--quiet', '-m', 'module');
    expect(await listTreeTrouble(tools, plain.top, git(plain.top, 'rev-parse', 'HEAD'))).toEqual({
      is: 'submodules',
      path: 'module',
    });
  });
});
