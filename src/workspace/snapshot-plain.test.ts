import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemError } from '../../test/support/failing-file-system.js';
import { gitWorld } from '../../test/support/git-world.js';
import { itNeeds } from '../../test/support/it-needs.js';
import { verifies } from '../../test/support/verifies.js';
import { nodeFileSystem } from '../storage/index.js';
import { compareSnapshots, takeSnapshot } from './index.js';

describe('a directory without git', () => {
  verifies(
    'P06',
    'files of a plain directory are compared by size, time and inode, without following links',
    async () => {
      await using world = await gitWorld();
      world.write('a.txt', 'a');
      world.write('deep/b.txt', 'b');
      world.write('gone.txt', 'g');
      world.write('same.txt', 's');
      symlinkSync('/', world.at('link'));
      const changes = await world.changesOf(() => {
        appendFileSync(world.at('a.txt'), 'more');
        world.write('deep/er/new.txt', 'n');
        rmSync(world.at('gone.txt'));
        renameSync(world.at('deep/b.txt'), world.at('deep/c.txt'));
        symlinkSync('..', world.at('deep/up'));
      });
      expect(changes).toEqual({
        root: world.project,
        created: ['deep/c.txt', 'deep/er/new.txt', 'deep/up'],
        modified: ['a.txt'],
        deleted: ['deep/b.txt', 'gone.txt'],
        repositories: [],
        hasChanges: true,
        notes: [],
      });
      expect(await world.changesOf(() => {})).toMatchObject({ hasChanges: false });
    },
  );

  it.each(['..', '.', 'deep'])('is not a repository because of an empty .git in %s', async (place) => {
    await using world = await gitWorld();
    world.write('deep/a.txt', 'a');
    const changes = await world.changesOf(() => {
      mkdirSync(world.at(place, '.git'));
      world.write('deep/new.txt', 'n');
    });
    expect(changes).toMatchObject({
      root: world.project,
      created: ['deep/new.txt'],
      repositories: [],
      notes: [],
    });
  });

  it('sees a change of the same size within one tick of the disk’s clock', async () => {
    await using world = await gitWorld();
    for (let round = 0; round < 20; round++) {
      world.write('a.txt', `${round % 10}`);
      const stamp = statSync(world.at('a.txt')).mtime;
      const changes = await world.changesOf(() => {
        world.write('a.txt', `${(round + 1) % 10}`);
        utimesSync(world.at('a.txt'), stamp, stamp);
      });
      expect(changes).toMatchObject({ modified: ['a.txt'] });
    }
  });

  it('leaves out directories that keep themselves out of git, as ours do, and those named', async () => {
    await using world = await gitWorld();
    world.write('.prp-session/.gitignore', '# ours\n*\n');
    world.write('build/.gitignore', '*.o\n');
    const changes = await world.changesOf(
      () => {
        world.write('.prp-session/state.json', '{}');
        world.write('ours/state.json', '{}');
        world.write('build/out.txt', 'x');
      },
      { leaveOut: [world.at('ours')] },
    );
    expect(changes.created).toEqual(['build/out.txt']);
  });

  it('stops at a number of files, says so, and reports nothing about what it did not see', async () => {
    await using world = await gitWorld();
    for (const name of ['a', 'b', 'c']) world.write(name, name);
    world.write('deep/d', 'd');
    const changes = await world.changesOf(
      () => {
        world.write('deep/e', 'e');
        rmSync(world.at('deep/d'));
        world.write('b', 'changed');
      },
      { maxFiles: 3 },
    );
    expect(changes).toMatchObject({ created: [], modified: ['b'], deleted: [] });
    expect(changes.notes).toMatchObject([{ code: 'too-many-files', path: '' }]);
  });

  it('says which directory it may not read, and reports nothing about it', async () => {
    await using world = await gitWorld();
    world.write('locked/a', 'a');
    world.write('b', 'b');
    const list = (path: string) => {
      if (path === world.at('locked')) throw systemError('EACCES', 'scandir', path);
      return nodeFileSystem.list(path);
    };
    const before = await world.snapshot();
    const blind = { ...world.tools, fileSystem: { ...nodeFileSystem, list } };
    const changes = await compareSnapshots(world.tools, before, await takeSnapshot(blind, world.project));
    expect(changes).toMatchObject({ deleted: [], hasChanges: false });
    expect(changes.notes).toMatchObject([{ code: 'not-readable', path: 'locked' }]);
  });

  it('shows a name that is not text with the sign for unreadable', async () => {
    await using world = await gitWorld();
    const name = Buffer.concat([Buffer.from(`${world.project}/odd-`), Buffer.from([0xff])]);
    const changes = await world.changesOf(() => writeFileSync(name, 'x'));
    expect(changes).toMatchObject({ created: ['odd-\ufffd'] });
  });

  it('refuses a missing directory, and snapshots of different roots', async () => {
    await using world = await gitWorld();
    await expect(takeSnapshot(world.tools, world.at('missing'))).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    });
    mkdirSync(world.at('one'));
    const one = await takeSnapshot(world.tools, world.at('one'));
    const all = await world.snapshot();
    await expect(compareSnapshots(world.tools, one, all)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('without an answer from git', () => {
  it('looks at the files instead when there is no git program, and says so', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a', 'b.txt': 'b' });
    const changes = await world.changesOf(() => world.write('a.txt', 'changed'), {
      gitCommand: '/nowhere/git',
    });
    expect(changes).toMatchObject({ created: [], modified: ['a.txt'], deleted: [], repositories: [] });
    expect(changes.notes).toMatchObject([{ code: 'git-missing', path: '' }]);
    expect(changes.notes[0]?.message).toMatch(/no such program.*one by one/);
  });

  it('looks at the files instead when the repository is broken', async () => {
    await using world = await gitWorld();
    world.write('.git/config', '');
    world.write('a.txt', 'a');
    const changes = await world.changesOf(() => world.write('b.txt', 'b'));
    expect(changes).toMatchObject({ created: ['b.txt'], modified: [] });
    expect(changes.notes).toMatchObject([
      { code: 'git-failed', message: expect.stringMatching(/not a git repository/) },
    ]);
  });

  it('does not let the repository around answer for a broken one', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a', 'inner/b.txt': 'b' });
    world.write('inner/.git/config', '');
    const snapshot = await takeSnapshot(world.tools, world.at('inner'));
    expect(snapshot).toMatchObject({
      root: world.at('inner'),
      repositories: [],
      notes: [{ code: 'git-failed' }],
    });
    expect([...snapshot.files.keys()]).toEqual(['b.txt']);
  });

  it('looks at the files instead when git does not answer in time', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.write('slow-git', '#!/bin/sh\nexec sleep 600\n');
    chmodSync(world.at('slow-git'), 0o755);
    const snapshot = await world.snapshot({ gitCommand: world.at('slow-git'), timeoutMs: 50 });
    expect(snapshot.notes).toMatchObject([
      { code: 'git-failed', message: expect.stringMatching(/no answer within 50 ms/) },
    ]);
    expect([...snapshot.files.keys()]).toEqual(['a.txt', 'slow-git']);
  });

  it('reports nothing untrue when git worked only once', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a', 'clean.txt': 'c' });
    world.write('dirty.txt', 'd');
    const before = await world.snapshot();
    world.write('dirty.txt', 'changed');
    const after = await world.snapshot({ gitCommand: '/nowhere/git' });
    const changes = await compareSnapshots(world.tools, before, after);
    expect(changes).toMatchObject({ created: [], modified: ['dirty.txt'], deleted: [], repositories: [] });
    expect(changes.notes.map(({ code }) => code)).toEqual(['git-missing', 'not-comparable']);
  });

  it('says which committed files are not compared when git is gone for the comparison', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const before = await world.snapshot();
    world.write('a.txt', 'A');
    world.commitAll('second');
    const changes = await compareSnapshots(world.tools, before, await world.snapshot(), {
      gitCommand: '/nowhere/git',
    });
    expect(changes).toMatchObject({ modified: [], hasChanges: true, notes: [{ code: 'not-comparable' }] });
  });

  itNeeds({ root: true }, 'says when git refuses a repository of another user', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    chownSync(world.at('.git'), 12_345, 12_345);
    chownSync(world.project, 12_345, 12_345);
    const snapshot = await world.snapshot();
    expect(snapshot.notes).toMatchObject([
      {
        code: 'git-failed',
        message: expect.stringMatching(/dubious ownership/),
        hint: expect.stringMatching(/safe\.directory/),
      },
    ]);
    expect([...snapshot.files.keys()]).toEqual(['a.txt']);
  });
});
