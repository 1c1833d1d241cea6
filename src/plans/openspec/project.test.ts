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

  it('passes by a directory that only has the name', async () => {
    await using dir = await tempDir();
    const root = makeProject(dir, 'src/openspec/parser');
    expect(findProject(nodeFileSystem, `${root}/src`).root).toBe(root);
  });

  it('is refused where there is none', async () => {
    await using dir = await tempDir();
    expect(() => findProject(nodeFileSystem, dir.path)).toThrow(
      expect.objectContaining({ code: 'PROJECT_NOT_FOUND' }),
    );
  });
});

describe('the changes of a project', () => {
  it('are the directories; archived ones are told apart, links and hidden ones are none', async () => {
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

  verifies('S03', 'one that is not there is refused with those that are', async () => {
    await using dir = await tempDir();
    const project = findProject(nodeFileSystem, makeProject(dir, 'openspec/changes/a', 'openspec/changes/b'));
    expect(() => findChange(nodeFileSystem, project, 'c')).toThrow(
      expect.objectContaining({ code: 'CHANGE_NOT_FOUND', message: "Change 'c' not found. There are: a, b" }),
    );
  });

  it('one that was archived is refused as such', async () => {
    await using dir = await tempDir();
    const root = makeProject(dir, 'openspec/changes/archive/2026-01-02-c');
    expect(() => findChange(nodeFileSystem, findProject(nodeFileSystem, root), 'c')).toThrow(
      /has been archived; there is none/,
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
  it.each(HOSTILE)('cannot be called %j: no path is built from that', async (name) => {
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

  it('are known from inside their directory', async () => {
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

describe('the files of a change', () => {
  it('may be links within the project, but neither out of it nor to nowhere', async () => {
    await using dir = await tempDir();
    const root = makeProject(dir, 'openspec/changes/a', 'docs');
    const project = findProject(nodeFileSystem, root);
    const change = findChange(nodeFileSystem, project, 'a');
    writeFileSync(dir.at('secret'), '');
    writeFileSync(`${root}/docs/design.md`, '');
    symlinkSync('../../../docs/design.md', `${change.directory}/design.md`);
    symlinkSync('../../../../secret', `${change.directory}/proposal.md`);
    symlinkSync('nowhere', `${change.directory}/tasks.md`);
    expect(fileOfChange(nodeFileSystem, project, change, 'design.md')).toBe(`${change.directory}/design.md`);
    for (const name of ['proposal.md', 'tasks.md'])
      expect(() => fileOfChange(nodeFileSystem, project, change, name)).toThrow(
        expect.objectContaining({ code: 'UNSAFE_PATH' }),
      );
  });
});
