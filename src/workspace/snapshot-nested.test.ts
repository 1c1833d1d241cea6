import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gitWorld } from '../../test/support/git-world.js';
import { verifies } from '../../test/support/verifies.js';

describe('several repositories', () => {
  verifies(
    'P06',
    'several repositories below a directory without git are each reported, files and commits',
    async () => {
      await using world = await gitWorld();
      world.repository('one', { 'a.txt': 'a' });
      world.repository('deep/two', { 'b.txt': 'b' });
      world.write('notes.txt', 'plain');
      const changes = await world.changesOf(() => {
        world.write('one/a.txt', 'A');
        world.write('deep/two/c.txt', 'c');
        world.commitAll('in two', 'deep/two');
        world.write('more.txt', 'plain');
      });
      expect(changes).toMatchObject({
        created: ['deep/two/c.txt', 'more.txt'],
        modified: ['one/a.txt'],
        deleted: [],
        notes: [],
      });
      expect(changes.repositories).toMatchObject([{ path: 'deep/two', commits: [{ subject: 'in two' }] }]);
    },
  );

  verifies('P06', 'a submodule is reported as a repository of its own', async () => {
    await using world = await gitWorld();
    world.repository('library', { 'l.txt': 'l' });
    world.repository('app', { 'a.txt': 'a' });
    world.git(['submodule', '--quiet', 'add', '../library', 'vendor/lib'], 'app');
    world.commitAll('with library', 'app');
    const changes = await world.changesOf(() => {
      world.write('app/vendor/lib/new.txt', 'n');
      world.commitAll('in the submodule', 'app/vendor/lib');
      world.write('app/vendor/lib/l.txt', 'dirty');
    });
    expect(changes).toMatchObject({
      created: ['app/vendor/lib/new.txt'],
      modified: ['app/vendor/lib/l.txt'],
      deleted: [],
      notes: [],
    });
    expect(changes.repositories).toMatchObject([
      { path: 'app/vendor/lib', commits: [{ subject: 'in the submodule' }] },
    ]);
  });

  it('finds an untracked repository inside another, and one inside that', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.repository('inner', { 'i.txt': 'i' });
    world.repository('inner/most', { 'm.txt': 'm' });
    const changes = await world.changesOf(() => {
      world.write('inner/i.txt', 'I');
      world.write('inner/most/m.txt', 'M');
    });
    expect(changes).toMatchObject({
      created: [],
      modified: ['inner/i.txt', 'inner/most/m.txt'],
      repositories: [],
    });
  });

  it('finds a worktree in an ignored directory and reports its commit once', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a', '.gitignore': '.trees\n' });
    world.git(['worktree', 'add', '--quiet', '-b', 'side', '.trees/side']);
    const changes = await world.changesOf(() => {
      world.write('.trees/side/a.txt', 'A');
      world.commitAll('in the worktree', '.trees/side');
      world.write('.trees/side/u.txt', 'u');
    });
    expect(changes).toMatchObject({ created: ['.trees/side/u.txt'], modified: ['.trees/side/a.txt'] });
    expect(changes.repositories).toMatchObject([
      { path: '.trees/side', branchAfter: 'side', commits: [{ subject: 'in the worktree' }] },
    ]);
  });

  it('measures from within a worktree', async () => {
    await using world = await gitWorld();
    world.repository('main', { 'a.txt': 'a' });
    world.git(['worktree', 'add', '--quiet', '-b', 'side', '../side'], 'main');
    const changes = await world.changesOf(() => world.write('side/a.txt', 'A'));
    expect(changes).toMatchObject({ modified: ['side/a.txt'], notes: [] });
  });

  it('reports a repository that appeared with its files; what was there before is not new', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.write('sub/old.txt', 'old');
    const changes = await world.changesOf(() => {
      world.git(['init', '--quiet', '--initial-branch=main'], 'sub');
      world.write('sub/new.txt', 'new');
      world.commitAll('sub begins', 'sub');
      world.write('sub/loose.txt', 'loose');
    });
    expect(changes).toMatchObject({ created: ['sub/loose.txt', 'sub/new.txt'], modified: [], deleted: [] });
    expect(changes.repositories).toMatchObject([
      { path: 'sub', change: 'appeared', commits: [{ subject: 'sub begins' }] },
    ]);
  });

  it('does not report the history of a clone as new commits', async () => {
    await using world = await gitWorld();
    world.repository('origin', { 'a.txt': 'a' });
    const changes = await world.changesOf(() => world.git(['clone', '--quiet', 'origin', 'copy']));
    expect(changes).toMatchObject({ created: ['copy/a.txt'] });
    expect(changes.repositories).toMatchObject([{ path: 'copy', change: 'appeared', commits: [] }]);
  });

  it('says that a repository is gone and that its committed files are not compared', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.repository('inner', { 'i.txt': 'i' });
    const changes = await world.changesOf(() => {
      rmSync(world.at('inner'), { recursive: true });
      world.write('inner', 'a file now');
    });
    expect(changes).toMatchObject({
      deleted: [],
      repositories: [{ path: 'inner', change: 'gone' }],
      notes: [{ code: 'not-comparable', path: 'inner' }],
    });
  });

  it('does not follow a submodule path out of the repository', async () => {
    await using world = await gitWorld();
    world.repository('outside', { 'o.txt': 'o' });
    world.repository('app', { 'a.txt': 'a' });
    symlinkSync('../outside', world.at('app/link'));
    const paths = ['../outside', world.at('outside'), 'link', 'a/../../outside', '.'];
    const sections = paths.map((path, at) => `[submodule "s${at}"]\n\tpath = ${path}\n\turl = x\n`);
    writeFileSync(world.at('app/.gitmodules'), sections.join(''));
    mkdirSync(world.at('app/a'));
    writeFileSync(world.at('app/.git/worktrees'), 'no directory');
    const { takeSnapshot } = await import('./index.js');
    const snapshot = await takeSnapshot(world.tools, world.at('app'));
    expect(snapshot.repositories.map(({ path }) => path)).toEqual(['']);
  });
});
