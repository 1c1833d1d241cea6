import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gitWorld } from '../../test/support/git-world.js';
import { verifies } from '../../test/support/verifies.js';
import { takeSnapshot } from './index.js';

const NOTHING = { created: [], modified: [], deleted: [], repositories: [], hasChanges: false, notes: [] };

describe('changes of a repository', () => {
  verifies(
    'P06',
    'created, modified and deleted files are reported, sorted, including untracked ones',
    async () => {
      await using world = await gitWorld();
      world.repository('', { 'b.txt': 'b', 'a.txt': 'a', 'gone.txt': 'x', 'same.txt': 's' });
      const changes = await world.changesOf(() => {
        world.write('z/new.txt', 'new');
        world.write('new.txt', 'new');
        world.write('b.txt', 'B');
        world.write('a.txt', 'A');
        rmSync(world.at('gone.txt'));
      });
      expect(changes).toEqual({
        root: world.project,
        created: ['new.txt', 'z/new.txt'],
        modified: ['a.txt', 'b.txt'],
        deleted: ['gone.txt'],
        repositories: [],
        hasChanges: true,
        notes: [],
      });
    },
  );

  verifies('P06', 'a dirty tree that stays the same is no change', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a', 'b.txt': 'b' });
    world.write('a.txt', 'dirty');
    world.write('untracked.txt', 'u');
    rmSync(world.at('b.txt'));
    expect(await world.changesOf(() => {})).toMatchObject(NOTHING);
  });

  verifies('P06', 'nothing but new files is a change', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const changes = await world.changesOf(() => world.write('new.txt', ''));
    expect(changes).toMatchObject({ created: ['new.txt'], hasChanges: true });
  });

  verifies('P06', 'a file that was changed and changed back is no change, touched or not', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.write('u.txt', 'u');
    const changes = await world.changesOf(() => {
      world.write('a.txt', 'other');
      world.write('a.txt', 'a');
      rmSync(world.at('u.txt'));
      world.write('u.txt', 'u');
    });
    expect(changes).toMatchObject(NOTHING);
  });

  verifies('P06', 'a file that was dirty and changed again is a change, and so is one set back', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a', 'back.txt': 'committed' });
    world.write('a.txt', 'dirty');
    world.write('back.txt', 'dirty');
    world.write('u.txt', 'one');
    const changes = await world.changesOf(() => {
      world.write('a.txt', 'more!');
      world.write('back.txt', 'committed');
      world.write('u.txt', 'two');
    });
    expect(changes).toMatchObject({ created: [], modified: ['a.txt', 'back.txt', 'u.txt'], deleted: [] });
  });

  verifies(
    'P06',
    'commits made in between are reported with their subjects, oldest first, and so are their files',
    async () => {
      await using world = await gitWorld();
      world.repository('', { 'a.txt': 'a', 'b.txt': 'b' });
      const changes = await world.changesOf(() => {
        world.write('a.txt', 'A');
        world.commitAll('change a');
        world.write('new.txt', 'n');
        rmSync(world.at('b.txt'));
        world.commitAll('add new\n\nlong text');
      });
      expect(changes).toMatchObject({
        created: ['new.txt'],
        modified: ['a.txt'],
        deleted: ['b.txt'],
        notes: [],
      });
      const [repository] = changes.repositories;
      expect(repository).toMatchObject({
        path: '',
        change: 'changed',
        branchBefore: 'main',
        branchAfter: 'main',
        headAfter: world.git(['rev-parse', 'HEAD']).trim(),
      });
      expect(repository?.commits.map(({ subject }) => subject)).toEqual(['change a', 'add new']);
      expect(repository?.commits.at(-1)?.id).toBe(repository?.headAfter);
    },
  );

  it('reports a commit of what was dirty before as a commit, not as a changed file', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a', 'gone.txt': 'g' });
    world.write('a.txt', 'dirty');
    world.write('u.txt', 'u');
    rmSync(world.at('gone.txt'));
    const changes = await world.changesOf(() => world.commitAll('as it was'));
    expect(changes).toMatchObject({ created: [], modified: [], deleted: [], hasChanges: true });
    expect(changes.repositories).toMatchObject([{ commits: [{ subject: 'as it was' }] }]);
  });

  it.each(['--soft', '--mixed'])('sees that reset %s changes no file', async (how) => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.write('a.txt', 'A');
    world.write('n.txt', 'n');
    world.commitAll('second');
    const changes = await world.changesOf(() => world.git(['reset', '--quiet', how, 'HEAD~1']));
    expect(changes).toMatchObject({ created: [], modified: [], deleted: [], hasChanges: true });
    expect(changes.repositories).toMatchObject([{ commits: [] }]);
  });

  it('compares bytes on disk with committed ones if git converts line endings', async () => {
    await using world = await gitWorld();
    world.repository('', { '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'a\n', 'b.txt': 'b\n' });
    world.write('b.txt', 'B\r\n');
    world.commitAll('second');
    world.write('a.txt', 'dirty\r\n');
    const committed = await world.changesOf(() => world.commitAll('third'));
    expect(committed).toMatchObject({ created: [], modified: [], deleted: [] });
    const reset = await world.changesOf(() => world.git(['reset', '--quiet', 'HEAD~2']));
    expect(reset).toMatchObject({ created: [], modified: [], deleted: [], hasChanges: true });
    const changed = await world.changesOf(() => world.write('b.txt', 'other\r\n'));
    expect(changed).toMatchObject({ modified: ['b.txt'] });
  });

  it('reports a renamed file as deleted and created, staged or not', async () => {
    await using world = await gitWorld();
    world.repository('', { 'old.txt': 'long enough to be the same file\n', 'x.txt': 'x' });
    const staged = await world.changesOf(() => world.git(['mv', 'old.txt', 'new.txt']));
    expect(staged).toMatchObject({ created: ['new.txt'], modified: [], deleted: ['old.txt'] });
    const plain = await world.changesOf(() => renameSync(world.at('x.txt'), world.at('y.txt')));
    expect(plain).toMatchObject({ created: ['y.txt'], modified: [], deleted: ['x.txt'] });
  });

  it('reports executables, links and files that became directories', async () => {
    await using world = await gitWorld();
    world.repository('', { 'run.sh': 'x', 'link.txt': 'x', 'dir.txt': 'x', plain: 'x' });
    symlinkSync('plain', world.at('kept'));
    const changes = await world.changesOf(() => {
      chmodSync(world.at('run.sh'), 0o755);
      rmSync(world.at('link.txt'));
      symlinkSync('plain', world.at('link.txt'));
      rmSync(world.at('dir.txt'));
      world.write('dir.txt/inside', 'x');
    });
    expect(changes).toMatchObject({
      created: ['dir.txt/inside'],
      modified: ['link.txt', 'run.sh'],
      deleted: ['dir.txt'],
    });
  });

  it('reports a switch of branches; commits of the other branch are not new', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.git(['checkout', '--quiet', '-b', 'other']);
    world.write('a.txt', 'other');
    world.commitAll('on other');
    const changes = await world.changesOf(() => world.git(['checkout', '--quiet', 'main']));
    expect(changes).toMatchObject({
      modified: ['a.txt'],
      repositories: [{ branchBefore: 'other', branchAfter: 'main', commits: [] }],
    });
  });

  it('reports a commit on another branch, even though HEAD has not moved', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const changes = await world.changesOf(() => {
      world.git(['checkout', '--quiet', '-b', 'side']);
      world.commitAll('aside');
      world.git(['checkout', '--quiet', 'main']);
    });
    expect(changes).toMatchObject({
      created: [],
      modified: [],
      repositories: [{ commits: [{ subject: 'aside' }] }],
    });
  });

  it('reports a detached HEAD', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const detached = await world.changesOf(() => world.git(['checkout', '--quiet', '--detach']));
    expect(detached.repositories).toMatchObject([
      { branchBefore: 'main', branchAfter: undefined, commits: [] },
    ]);
    const committed = await world.changesOf(() => world.commitAll('loose'));
    expect(committed.repositories).toMatchObject([{ commits: [{ subject: 'loose' }] }]);
  });

  it('reports the rebased commits after a rebase, and only the files that differ', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.git(['checkout', '--quiet', '-b', 'topic']);
    world.write('t.txt', 't');
    world.commitAll('topic work');
    world.git(['checkout', '--quiet', 'main']);
    world.write('m.txt', 'm');
    world.commitAll('main work');
    world.git(['checkout', '--quiet', 'topic']);
    const changes = await world.changesOf(() => world.git(['rebase', '--quiet', 'main']));
    expect(changes).toMatchObject({ created: ['m.txt'], modified: [], deleted: [] });
    expect(changes.repositories).toMatchObject([
      { branchAfter: 'topic', commits: [{ subject: 'topic work' }] },
    ]);
  });

  it('compares the bytes on disk in the middle of a conflict', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a\n', 'b.txt': 'b' });
    world.git(['checkout', '--quiet', '-b', 'topic']);
    world.write('a.txt', 'topic\n');
    world.commitAll('topic');
    world.git(['checkout', '--quiet', 'main']);
    world.write('a.txt', 'main\n');
    world.commitAll('main');
    const conflict = await world.changesOf(() => expect(() => world.git(['merge', 'topic'])).toThrow());
    expect(conflict).toMatchObject({ modified: ['a.txt'] });
    expect(await world.changesOf(() => {})).toMatchObject(NOTHING);
    expect(await world.changesOf(() => world.git(['merge', '--abort']))).toMatchObject({
      modified: ['a.txt'],
    });
  });

  it('works before the first commit and across it', async () => {
    await using world = await gitWorld();
    world.git(['init', '--quiet', '--initial-branch=main']);
    world.write('a.txt', 'a');
    const created = await world.changesOf(() => world.write('b.txt', 'b'));
    expect(created).toMatchObject({ created: ['b.txt'], repositories: [] });
    const committed = await world.changesOf(() => {
      world.write('a.txt', 'A');
      world.commitAll('first');
    });
    expect(committed).toMatchObject({ created: [], modified: ['a.txt'], deleted: [] });
    expect(committed.repositories).toMatchObject([
      { headBefore: undefined, commits: [{ subject: 'first' }] },
    ]);
  });

  it('works with ids of the other length', async () => {
    await using world = await gitWorld();
    world.git(['init', '--quiet', '--initial-branch=main', '--object-format=sha256']);
    world.write('a.txt', 'a');
    expect(await world.changesOf(() => world.commitAll('first'))).toMatchObject({
      created: [],
      modified: [],
    });
    world.write('a.txt', 'dirty');
    expect(await world.changesOf(() => world.commitAll('second'))).toMatchObject({
      created: [],
      modified: [],
    });
    expect(await world.changesOf(() => world.write('a.txt', 'x'))).toMatchObject({ modified: ['a.txt'] });
  });

  it('does not report a file as deleted that git was only told to ignore or forget', async () => {
    await using world = await gitWorld();
    world.repository('', { 'forgotten.txt': 'f', 'dropped.txt': 'd' });
    world.write('ignored.txt', 'i');
    const changes = await world.changesOf(() => {
      world.git(['rm', '--quiet', '--cached', 'dropped.txt']);
      world.git(['rm', '--quiet', '--cached', 'forgotten.txt']);
      world.write('.gitignore', 'ignored.txt\nforgotten.txt\n');
    });
    expect(changes).toMatchObject({ created: ['.gitignore'], modified: [], deleted: [] });
    expect(await world.changesOf(() => world.commitAll('forget'))).toMatchObject({
      created: [],
      modified: [],
      deleted: [],
    });
  });

  it('reports names with line breaks, spaces and quotes unchanged, and bytes that are not text as \\xff', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const odd = Buffer.concat([Buffer.from(world.at('odd-')), Buffer.from([0xff, 0xc3, 0x28])]);
    const changes = await world.changesOf(() => {
      world.write('line\nbreak "quoted" \\ back', 'x');
      world.write(' spaces ', 'x');
      world.write('ünï', 'x');
      writeFileSync(odd, 'x');
    });
    expect(changes.created).toEqual([' spaces ', 'line\nbreak "quoted" \\ back', 'odd-\\xff\\xc3(', 'ünï']);
    const again = await world.changesOf(() => appendFileSync(odd, 'y'));
    expect(again).toMatchObject({ created: [], modified: ['odd-\\xff\\xc3('] });
    expect(await world.changesOf(() => {})).toMatchObject(NOTHING);
    expect(await world.changesOf(() => world.commitAll('odd'))).toMatchObject({
      created: [],
      modified: [],
      deleted: [],
    });
  });

  it('measures the whole repository around a directory, unless that ignores it', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a', '.gitignore': 'scratch\n', 'packages/one/x.txt': 'x' });
    world.write('scratch/file', 'x');
    expect(await takeSnapshot(world.tools, world.at('packages/one'))).toMatchObject({ root: world.project });
    const scratch = await takeSnapshot(world.tools, world.at('scratch'));
    expect(scratch).toMatchObject({ root: world.at('scratch'), repositories: [] });
    expect([...scratch.files.keys()]).toEqual(['file']);
  });

  it('leaves out our directories: ignored ones by git, others by their path', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    mkdirSync(world.at('.prp-session'));
    world.write('.prp-session/.gitignore', '*\n');
    symlinkSync('project', world.at('../alias'));
    const leaveOut = [world.at('../alias/ours'), world.at('..odd'), '/elsewhere'];
    const changes = await world.changesOf(
      () => {
        world.write('.prp-session/loop-state.json', '{}');
        world.write('ours/state.json', '{}');
        world.write('ours-not/file', 'x');
        world.write('..odd/state.json', '{}');
        world.write('ours/committed.json', '{}');
        world.commitAll('ours too');
      },
      { leaveOut },
    );
    expect(changes.created).toEqual(['ours-not/file']);
  });

  it('is not led astray by variables of a git hook around it', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const environment = { ...world.tools.environment, GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere/index' };
    const snapshot = await takeSnapshot({ ...world.tools, environment }, world.project);
    expect(snapshot).toMatchObject({ repositories: [{ path: '', branch: 'main' }], notes: [] });
  });

  it('leaves the repository alone: no index written, no hook and no monitor started', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const program = `#!/bin/sh\ntouch '${world.at('ran')}'\n`;
    for (const path of ['.git/hooks/post-index-change', '.git/monitor']) {
      world.write(path, program);
      chmodSync(world.at(path), 0o755);
    }
    world.git(['config', 'core.fsmonitor', world.at('.git/monitor')]);
    const index = readFileSync(world.at('.git/index'));
    utimesSync(world.at('a.txt'), 1, 1); // this makes `git status` rewrite the index
    const changes = await world.changesOf(() => {});
    expect(changes).toMatchObject(NOTHING);
    expect(readFileSync(world.at('.git/index')).equals(index)).toBe(true);
    expect(existsSync(world.at('ran'))).toBe(false);
  });

  it('compares big files by size and time, and still sees them change', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    world.write('big.bin', 'x'.repeat(100));
    world.write('small.bin', 'x');
    const options = { readLimits: { maxFileBytes: 10 } };
    expect(await world.changesOf(() => {}, options)).toMatchObject(NOTHING);
    const changes = await world.changesOf(() => appendFileSync(world.at('big.bin'), 'y'), options);
    expect(changes).toMatchObject({ created: [], modified: ['big.bin'] });
  });

  it('says so when there are more branches than are remembered', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const head = world.git(['rev-parse', 'HEAD']).trim();
    const branches = Array.from({ length: 5_001 }, (_, at) => `${head} refs/heads/b${at}\n`);
    world.write('.git/packed-refs', branches.join(''));
    const snapshot = await world.snapshot();
    expect(snapshot).toMatchObject({ notes: [{ code: 'too-many-branches' }] });
    expect(snapshot.repositories).toMatchObject([{ tips: [head] }]);
  });

  it('says so when there are more commits than are reported one by one', async () => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'a' });
    const commit = (at: number) =>
      `commit refs/heads/many\ncommitter A <a@example.com> ${1_700_000_000 + at} +0000\ndata <<E\nnumber ${at}\nE\n\n`;
    const history = Array.from({ length: 1_002 }, (_, at) => commit(at)).join('');
    const changes = await world.changesOf(() => world.git(['fast-import', '--quiet'], '.', history));
    expect(changes.notes).toMatchObject([
      { code: 'too-many-commits', message: expect.stringMatching(/1000/) },
    ]);
    expect(changes.repositories[0]?.commits).toHaveLength(1_000);
    expect(changes.repositories[0]?.commits.at(-1)?.subject).toBe('number 1001');
  });
});
