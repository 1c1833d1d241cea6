import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../test/support/failing-file-system.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { type TempDir, tempDir } from '../../test/support/temp-dir.js';
import { type FileSystem, nodeFileSystem } from '../storage/index.js';
import { listProjects } from './all-projects.js';
import { type ProjectTools, projectFile, rememberProject } from './projects.js';

const toolsOf = (dir: TempDir, overrides: Partial<ProjectTools> = {}): ProjectTools => ({
  ...storageTools(),
  projects: dir.at('state', 'projects'),
  ...overrides,
});

async function world(...directories: string[]) {
  const dir = await tempDir();
  for (const name of ['state', ...directories]) mkdirSync(dir.at(name), { recursive: true, mode: 0o700 });
  return dir;
}

const paths = (tools: ProjectTools) => listProjects(tools).map(({ path }) => path);

describe('a project where a session is started', () => {
  it('is remembered once, with its git common directory, whichever worktree it is', async () => {
    await using dir = await world('shop/.git/worktrees/fix', 'fix');
    writeFileSync(dir.at('shop/.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(dir.at('shop/.git/worktrees/fix/commondir'), '../..\n');
    writeFileSync(dir.at('fix/.git'), `gitdir: ${dir.at('shop/.git/worktrees/fix')}\n`);
    const tools = toolsOf(dir);
    for (const name of ['shop', 'fix', 'shop']) rememberProject(tools, dir.at(name));
    expect(listProjects(tools)).toMatchObject([
      { path: dir.at('fix'), gitCommonDirectory: dir.at('shop/.git'), isGone: false },
      { path: dir.at('shop'), gitCommonDirectory: dir.at('shop/.git'), isGone: false },
    ]);
    expect(readdirSync(tools.projects)).toHaveLength(2);
  });

  it('costs one look once it is known, and nothing is written', async () => {
    await using dir = await world('shop');
    rememberProject(toolsOf(dir), dir.at('shop'));
    const calls: string[] = [];
    const fileSystem = new Proxy<FileSystem>(nodeFileSystem, {
      get(target, name: keyof FileSystem) {
        calls.push(name);
        return target[name];
      },
    });
    rememberProject(toolsOf(dir, { fileSystem }), dir.at('shop'));
    expect(calls).toEqual(['look']);
  });

  it('is known by its real path, even if a link now points to another one', async () => {
    await using dir = await world('old', 'new');
    const tools = toolsOf(dir);
    symlinkSync(dir.at('old'), dir.at('current'));
    rememberProject(tools, dir.at('current'));
    rmSync(dir.at('current'));
    symlinkSync(dir.at('new'), dir.at('current'));
    rememberProject(tools, dir.at('current'));
    expect(paths(tools)).toEqual([dir.at('new'), dir.at('old')]);
  });

  it('is not lost when two processes remember at once', async () => {
    await using dir = await world('a', 'b');
    const [mine, theirs] = [toolsOf(dir), toolsOf(dir)];
    // The other process writes right before ours does.
    const fileSystem = {
      ...nodeFileSystem,
      rename: (from: string, to: string) => {
        rememberProject(theirs, dir.at('a'));
        rememberProject(theirs, dir.at('b'));
        nodeFileSystem.rename(from, to);
      },
    };
    rememberProject({ ...mine, fileSystem }, dir.at('a'));
    expect(paths(mine)).toEqual([dir.at('a'), dir.at('b')]);
  });

  it('that cannot be remembered is logged, and does not stop any work', async () => {
    await using dir = await world('shop');
    const [log, fileSystem] = [new RecordingLog(), new FailingFileSystem()];
    fileSystem.arm({ fault: 'ENOSPC', at: 1, isLasting: true, only: ['open', 'write'] });
    rememberProject(toolsOf(dir, { log, fileSystem }), dir.at('shop'));
    expect(log.named('project.not-remembered')).toMatchObject([{ fields: { path: dir.at('shop') } }]);
  });
});

describe('the list of projects', () => {
  it('shows which are gone', async () => {
    await using dir = await world('here', 'gone');
    const tools = toolsOf(dir);
    for (const name of ['here', 'gone']) rememberProject(tools, dir.at(name));
    rmSync(dir.at('gone'), { recursive: true });
    expect(listProjects(tools)).toMatchObject([
      { path: dir.at('gone'), isGone: true, file: projectFile(tools.projects, dir.at('gone')) },
      { path: dir.at('here'), isGone: false },
    ]);
  });

  it.each([
    ['cut short', '{"version": 1, "pa'],
    ['not a path', '{"version":1,"path":"shop","git_common_dir":null,"remembered_at":""}'],
  ])(
    'sets a file aside that is %s, tells it, and the next session brings the project back',
    async (_, text) => {
      await using dir = await world('a', 'b');
      const log = new RecordingLog();
      const tools = toolsOf(dir, { log });
      for (const name of ['a', 'b']) rememberProject(tools, dir.at(name));
      writeFileSync(projectFile(tools.projects, dir.at('a')), text);
      expect(paths(tools)).toEqual([dir.at('b')]);
      const [told] = log.named('project.damaged');
      expect(readFileSync(String(told?.fields.keptAt), 'utf8')).toBe(text);
      rememberProject(tools, dir.at('a'));
      expect(paths(tools)).toEqual([dir.at('a'), dir.at('b')]);
    },
  );

  it('is empty where nothing was started', async () => {
    await using dir = await world();
    expect(listProjects(toolsOf(dir))).toEqual([]);
    expect(readdirSync(join(dir.at('state')))).toEqual([]);
  });
});
