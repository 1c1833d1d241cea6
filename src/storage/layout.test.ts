import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from './file-system.js';
import { deriveLayout, findLoopDirectory } from './layout.js';

const roots = {
  home: '/home/ada',
  config: '/home/ada/.config/holdfast',
  data: '/home/ada/.local/share/holdfast',
  state: '/home/ada/.local/state/holdfast',
  temporary: '/tmp',
};

describe('deriveLayout', () => {
  it('puts everything where the specs and the platform say', () => {
    expect(deriveLayout(roots, '/home/ada/project')).toEqual({
      configFile: '/home/ada/.config/holdfast/config.json',
      questions: '/home/ada/.local/share/holdfast/questions',
      questionTrash: '/home/ada/.local/share/holdfast/trash/questions',
      conversations: '/home/ada/.aurora/spawn/sessions',
      loop: '/home/ada/project/.prp-session',
      changes: '/tmp/ralph/sessions',
      processes: '/home/ada/.local/state/holdfast/processes',
      programs: '/home/ada/.local/state/holdfast/programs',
      runs: '/home/ada/.local/state/holdfast/runs',
      setups: '/home/ada/.local/state/holdfast/setup',
      processTrash: '/home/ada/.local/state/holdfast/trash/processes',
      scripted: '/home/ada/.local/state/holdfast/scripted',
      terminals: '/home/ada/.local/state/holdfast/terminals',
    });
  });

  it('follows the user who moved directories, trash beside them', () => {
    expect(
      deriveLayout(roots, '/home/ada/project', {
        question: '/q',
        conversation: '/c',
        loop: '/l',
        changeTemporary: '/t',
      }),
    ).toMatchObject({
      questions: '/q',
      questionTrash: '/q/.holdfast/trash',
      conversations: '/c',
      loop: '/l',
      changes: '/t',
    });
  });
});

describe('findLoopDirectory', () => {
  const inProject = (paths: readonly string[]) => async (prepare: (at: (path: string) => string) => void) => {
    await using dir = await tempDir();
    for (const path of paths) mkdirSync(dir.at(path), { recursive: true });
    prepare(dir.at);
    return findLoopDirectory(nodeFileSystem, dir.at('shop/src')).slice(dir.path.length + 1);
  };
  const inShop = inProject(['shop/src']);

  it('is at the top of the repository, or of a worktree of one', async () => {
    const inRepository = inProject(['shop/src', 'shop/.git']);
    expect(await inRepository((at) => writeFileSync(at('shop/.git/HEAD'), 'ref: x\n'))).toBe(
      'shop/.prp-session',
    );
    expect(await inShop((at) => writeFileSync(at('shop/.git'), 'gitdir: x\n'))).toBe('shop/.prp-session');
  });

  it('is where a session of ours is already', async () => {
    expect(await inShop((at) => mkdirSync(at('.prp-session')))).toBe('.prp-session');
  });

  it('is in the working directory without a repository: an empty .git is none', async () => {
    expect(await inShop(() => {})).toBe('shop/src/.prp-session');
    expect(await inShop((at) => mkdirSync(at('.git')))).toBe('shop/src/.prp-session');
  });
});
