import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type TempDir, tempDir } from '../../../test/support/temp-dir.js';
import { verifies } from '../../../test/support/verifies.js';
import { nodeFileSystem } from '../../storage/index.js';
import {
  changeAround,
  fileOfChange,
  findChange,
  findProject,
  isChangeName,
  listArchivedChanges,
  listChanges,
  placeOfChange,
} from './project.js';

function makeProject(dir: TempDir, ...paths: string[]): string {
  const root = dir.at('project');
  for (const path of ['openspec/changes', ...paths]) mkdirSync(`${root}/${path}`, { recursive: true });
  return root;
}

describe('finding a project', () => {
  verifies('S11', 'the nearest one above any subdirectory', async () => {
    await using dir = await tempDir();
    const root = makeProject(dir, 'src/deep/er', 'openspec/changes/a/specs');
    const project = { root, directory: `${root}/openspec` };
    for (const from of ['', '/src/deep/er', '/openspec', '/openspec/changes/a/specs'])
      expect(findProject(nodeFileSystem, root + from)).toEqual(project);
  });

  it('skips a directory that only has the name', async () => {
    await using dir = await tempDir();
    const root = makeProject(dir, 'src/openspec/parser');
    expect(findProject(nodeFileSystem, `${root}/src`).root).toBe(root);
  });

  it('fails if there is none', async () => {
    await using dir = await tempDir();
    expect(() => findProject(nodeFileSystem, dir.path)).toThrow(
      expect.objectContaining({ code: 'PROJECT_NOT_FOUND' }),
    );
  });
});

describe('the changes of a project', () => {
  it('are the directories; archived ones are listed separately, links and hidden ones do not count', async () => {
    await using dir = await tempDir();
    const changes = 'openspec/changes';
    const root = makeProject(
      dir,
      `${changes}/b`,
      `${changes}/a`,
      `${changes}/.git`,
      `${changes}/archive/2026-01-02-c`,
    );
    symlinkSync('a', `${root}/${changes}/link`);
    writeFileSync(`${root}/${changes}/README.md`, '');
    const project = findProject(nodeFileSystem, root);
    expect(listChanges(nodeFileSystem, project).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(listArchivedChanges(nodeFileSystem, project).map(({ name }) => name)).toEqual(['2026-01-02-c']);
  });

  verifies('S03', 'a missing one is refused with a list of the existing ones', async () => {
    await using dir = await tempDir();
    const project = findProject(nodeFileSystem, makeProject(dir, 'openspec/changes/a', 'openspec/changes/b'));
    expect(() => findChange(nodeFileSystem, project, 'c')).toThrow(
      expect.objectContaining({ code: 'CHANGE_NOT_FOUND', message: "Change 'c' not found. Available: a, b" }),
    );
  });

  it('one that was archived is refused as such', async () => {
    await using dir = await tempDir();
    const root = makeProject(dir, 'openspec/changes/archive/2026-01-02-c');
    expect(() => findChange(nodeFileSystem, findProject(nodeFileSystem, root), 'c')).toThrow(
      /has been archived; there are none/,
    );
  });

  const HOSTILE = [
    '../x',
    '..',
    '.',
    '',
    'a/b',
    'a\\b',
    '/etc',
    'a\0b',
    'x'.repeat(4096),
    '.hidden',
    'archive',
    '-x',
    'a\nb',
    '\u202ea',
    ' a',
  ];
  it.each(HOSTILE)('cannot be called %j: no path is built from it', async (name) => {
    expect(isChangeName(name)).toBe(false);
    await using dir = await tempDir();
    const project = findProject(nodeFileSystem, makeProject(dir));
    const looked: unknown[] = [];
    const fileSystem = new Proxy(nodeFileSystem, {
      get: (target, key) => {
        looked.push(key);
        return target[key as keyof typeof target];
      },
    });
    expect(() => findChange(fileSystem, project, name)).toThrow(
      expect.objectContaining({ code: 'INVALID_CHANGE_NAME' }),
    );
    expect(looked).toEqual([]);
  });

  it.each(['add-login', 'änderung 2', 'v1.2_final', '添加'])('may be called %j', (name) => {
    expect(isChangeName(name)).toBe(true);
  });

  it('are recognised from inside their directory', async () => {
    await using dir = await tempDir();
    const root = makeProject(
      dir,
      'openspec/changes/a/specs/x',
      'openspec/specs',
      'openspec/changes/archive/b',
    );
    const project = findProject(nodeFileSystem, root);
    const around = (path: string) => changeAround(nodeFileSystem, project, `${root}/${path}`);
    expect(around('openspec/changes/a/specs/x')).toBe('a');
    expect(around('openspec/changes/archive/b')).toBeUndefined();
    expect(['', 'openspec', 'openspec/specs', 'openspec/changes'].map(around)).toEqual(
      Array(4).fill(undefined),
    );
  });
});

describe('where the change of a session is', () => {
  const find = async (since: string, ...directories: string[]) => {
    await using dir = await tempDir();
    const root = makeProject(dir, ...directories.map((name) => `openspec/changes/${name}`));
    const place = placeOfChange(nodeFileSystem, findProject(nodeFileSystem, root), 'a', since);
    return place && `${place.directory.slice(`${root}/openspec/changes/`.length)} ${place.isArchived}`;
  };
  const SINCE = '2026-03-02T12:00:00.000Z';

  it('is its place, otherwise the first archive since the session began, otherwise nowhere', async () => {
    expect(await find(SINCE, 'a', 'archive/2026-03-02-a')).toBe('a false');
    expect(await find(SINCE, 'archive/2026-02-01-a', 'archive/2026-03-03-a', 'archive/2026-04-03-a')).toBe(
      'archive/2026-03-03-a true',
    );
    // The person who archives may go by the date in their own time zone.
    expect(await find(SINCE, 'archive/2026-03-01-a')).toBe('archive/2026-03-01-a true');
    expect(await find(SINCE, 'archive/2026-03-01-a', 'archive/2026-03-02-a')).toBe(
      'archive/2026-03-02-a true',
    );
    expect(await find(SINCE, 'archive/2026-02-28-a', 'archive/2026-03-02-b-a', 'archive/a')).toBeUndefined();
  });
});

describe('the files of a change', () => {
  const linked = async (target: string, link = 'design.md') => {
    await using dir = await tempDir();
    const root = makeProject(dir, 'openspec/changes/a', 'docs', '.git/hooks', '.claude/skills', 'sub/.git');
    for (const name of ['docs/design.md', 'docs/run.sh', '.git/hooks/pre-commit', '.git/x.md'])
      writeFileSync(`${root}/${name}`, '');
    for (const name of ['.claude/skills/x.md', 'sub/.git/x.md', '../secret.md', '.hidden.md'])
      writeFileSync(`${root}/${name}`, '');
    const project = findProject(nodeFileSystem, root);
    const change = findChange(nodeFileSystem, project, 'a');
    symlinkSync(`../../../${target}`, `${change.directory}/${link}`);
    return fileOfChange(nodeFileSystem, project, change, 'design.md').slice(root.length + 1);
  };

  it('may be links to Markdown of the project, which is then written by its real path', async () => {
    expect(await linked('docs/design.md')).toBe('docs/design.md');
    expect(await linked('nowhere', 'other.md')).toBe('openspec/changes/a/design.md');
  });

  it.each([
    ['out of the project', '../secret.md', /out of the project/],
    ['to nowhere', 'docs/none.md', /leads nowhere/],
    ['to a directory', 'docs', /not an ordinary file/],
    ['to a hook of git', '.git/hooks/pre-commit', /hidden: \.git\/hooks\/pre-commit/],
    ['into a repository inside', 'sub/.git/x.md', /hidden: sub\/\.git/],
    ['to what agents read as their settings', '.claude/skills/x.md', /hidden: \.claude/],
    ['to a hidden file', '.hidden.md', /hidden/],
    ['to a program', 'docs/run.sh', /not Markdown: docs\/run\.sh/],
  ])('must not be links %s', async (_where, target, message) => {
    await expect(linked(target)).rejects.toMatchObject({
      code: 'UNSAFE_PATH',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('ordinary file'),
    });
  });

  it('must not be in an archive that is a link out of the project', async () => {
    await using dir = await tempDir();
    const root = makeProject(dir, '../elsewhere/2026-03-02-a');
    symlinkSync(dir.at('elsewhere'), `${root}/openspec/changes/archive`);
    const project = findProject(nodeFileSystem, root);
    const place = placeOfChange(nodeFileSystem, project, 'a', '2026-03-02T12:00:00.000Z');
    if (place === undefined) throw new Error('unreachable');
    expect(() => fileOfChange(nodeFileSystem, project, place, 'design.md')).toThrow(/out of the project/);
  });
});
