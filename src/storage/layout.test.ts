import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from './bytes/file-system.js';
import { assertLoopPlace, deriveLayout, findLoopAbove, findLoopDirectory } from './layout.js';

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
      projects: '/home/ada/.local/state/holdfast/projects',
      runs: '/home/ada/.local/state/holdfast/runs',
      worktrees: '/home/ada/.local/state/holdfast/worktrees',
      newWorktrees: '/home/ada/.local/state/holdfast/worktrees',
      runTrash: '/home/ada/.local/state/holdfast/trash/runs',
      setups: '/home/ada/.local/state/holdfast/setup',
      processTrash: '/home/ada/.local/state/holdfast/trash/processes',
      service: '/home/ada/.local/state/holdfast/service',
      fleet: '/home/ada/.local/state/holdfast/fleet',
      scripted: '/home/ada/.local/state/holdfast/scripted',
      terminals: '/home/ada/.local/state/holdfast/terminals',
      notices: '/home/ada/.local/state/holdfast/notices',
      queue: '/home/ada/.local/state/holdfast/queue',
      web: '/home/ada/.local/state/holdfast/web',
      agents: '/home/ada/.local/state/holdfast/agents',
      accounts: '/home/ada/.local/state/holdfast/accounts',
      permissions: '/home/ada/.local/share/holdfast/permissions',
      permissionTrash: '/home/ada/.local/share/holdfast/trash/permissions',
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

  it('is where a session of ours already is, upwards to the top of the repository', async () => {
    const inRepository = inProject(['shop/src', 'shop/.git/x']);
    expect(await inRepository((at) => mkdirSync(at('shop/src/.prp-session')))).toBe('shop/src/.prp-session');
    expect(await inRepository((at) => mkdirSync(at('shop/.prp-session')))).toBe('shop/.prp-session');
  });

  it('is never above the repository; of nested ones, the nearest counts', async () => {
    const nested = inProject(['shop/src/.git/x', '.git/x']);
    expect(await nested((at) => mkdirSync(at('.prp-session')))).toBe('shop/src/.prp-session');
    const worktree = inProject(['shop/src', '.git/x', '.prp-session']);
    expect(await worktree((at) => writeFileSync(at('shop/.git'), 'gitdir: x\n'))).toBe('shop/.prp-session');
  });

  it('is only in the working directory if there is no repository: an empty .git is none', async () => {
    expect(await inShop(() => {})).toBe('shop/src/.prp-session');
    expect(await inShop((at) => mkdirSync(at('.git')))).toBe('shop/src/.prp-session');
    expect(await inShop((at) => mkdirSync(at('shop/.prp-session')))).toBe('shop/src/.prp-session');
  });
});

describe('findLoopAbove', () => {
  it('knows the loop that release 0.1 would have found', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('shop/src'), { recursive: true });
    const above = () => findLoopAbove(nodeFileSystem, dir.at('shop/src'));
    expect(above()).toBeUndefined();
    mkdirSync(dir.at('.prp-session'));
    expect(above()).toBe(dir.at('.prp-session'));
    mkdirSync(dir.at('.git/x'), { recursive: true });
    expect(above()).toBeUndefined();
  });
});

describe('assertLoopPlace', () => {
  it('refuses a place that everybody may write to, and no place that a group shares', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('open'));
    mkdirSync(dir.at('shared'));
    chmodSync(dir.at('open'), 0o1777);
    chmodSync(dir.at('shared'), 0o775);
    symlinkSync('open', dir.at('link'));
    for (const name of ['open', 'link'])
      expect(() => assertLoopPlace(nodeFileSystem, dir.at(name, '.prp-session'))).toThrow(
        expect.objectContaining({
          code: 'UNSAFE_PATH',
          message: `Refusing to use ${dir.at('open')}: everybody may write to it (mode 1777)`,
          hint: expect.stringContaining('loop.dir'),
        }),
      );
    assertLoopPlace(nodeFileSystem, dir.at('shared', '.prp-session'));
  });

  it.each([
    ['us', process.geteuid?.() ?? 0, false],
    ['root', 0, false],
    ['another user', 4242, true],
  ])('of %s is refused: %j %j', async (_whose, uid, isRefused) => {
    await using dir = await tempDir();
    const fileSystem = {
      ...nodeFileSystem,
      look: (path: string) => withOwner(nodeFileSystem.look(path), uid),
    };
    const check = () => assertLoopPlace(fileSystem, dir.at('.prp-session'));
    if (isRefused) expect(check).toThrow(/belongs to user 4242/);
    else check();
  });
});

function withOwner<Facts>(facts: Facts | undefined, uid: number): Facts | undefined {
  return facts === undefined ? undefined : { ...facts, uid };
}
