import { existsSync, mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoopWorld, loopWorld, outcome, PLAN } from '../../../test/support/loop-world.js';
import { treeOf } from '../../../test/support/question-world.js';
import { type FileSystem, nodeFileSystem } from '../../storage/index.js';

/** Leaves a loop that has done one iteration and has no owner; returns its id. */
async function leftLoop(world: LoopWorld): Promise<string> {
  using loop = await world.loops.create(PLAN);
  loop.commitIteration(outcome());
  return loop.state.sessionId;
}

/** The files of the session, without the locks and whatever stays in place. */
function sessionTree(world: LoopWorld): Record<string, string> {
  const tree = Object.entries(treeOf(world.directory));
  return Object.fromEntries(tree.filter(([name]) => !/\.lock\.\d+$|(^|\/)(archive|trash)($|\/)/.test(name)));
}

describe('a loop that is removed', () => {
  it('comes back from the trash byte for byte', async () => {
    await using world = await loopWorld();
    const id = await leftLoop(world);
    const before = sessionTree(world);
    await world.loops.remove();
    expect(world.loops.isFound()).toBe(false);
    const [trashed, ...more] = world.loops.trashed();
    expect([trashed?.id, more]).toEqual([id, []]);
    if (trashed === undefined) throw new Error('unreachable');
    expect(await world.other().restore(trashed)).toBe(true);
    expect(sessionTree(world)).toEqual(before);
    expect(world.loops.trashed()).toEqual([]);
    await expect(world.loops.remove()).resolves.toBeUndefined();
    await expect(world.loops.remove()).rejects.toMatchObject({ code: 'LOOP_NOT_FOUND' });
  });

  it('stays while it is running, and when a newer Holdfast wrote it', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PLAN);
    await expect(world.other().remove()).rejects.toMatchObject({ code: 'LOCKED' });
    loop[Symbol.dispose]();
    world.write('loop-state.json', { ...world.read('loop-state.json'), version: 99 });
    const before = sessionTree(world);
    await expect(world.loops.remove()).rejects.toMatchObject({ code: 'NEWER_VERSION' });
    expect(sessionTree(world)).toEqual(before);
  });

  it('a restore cut off at any file continues where it stopped, and there is no session until it is done', async () => {
    await using world = await loopWorld();
    const id = await leftLoop(world);
    const before = sessionTree(world);
    await world.loops.remove();
    for (let step = 1; ; step++) {
      let renames = 0;
      const fileSystem: FileSystem = {
        ...nodeFileSystem,
        rename(from, to) {
          if (from.includes('/trash/') && ++renames > 1)
            throw Object.assign(new Error('EIO'), { code: 'EIO' });
          nodeFileSystem.rename(from, to);
        },
      };
      const [trashed] = world.loops.trashed();
      if (trashed === undefined) throw new Error('unreachable');
      const isDone = await world
        .other({ fileSystem })
        .restore(trashed)
        .catch(() => undefined);
      if (isDone === true) {
        expect(step).toBeGreaterThan(3);
        break;
      }
      expect([isDone, world.loops.isFound()]).toEqual([undefined, false]);
    }
    expect(world.loops.get()?.sessionId).toBe(id);
    expect(sessionTree(world)).toEqual(before);
  });

  it('is not restored over existing files, nor through a link', async () => {
    await using world = await loopWorld();
    await leftLoop(world);
    await world.loops.remove();
    const [trashed] = world.loops.trashed();
    if (trashed === undefined) throw new Error('unreachable');
    writeFileSync(world.path('metrics.json'), 'mine');
    expect(await world.loops.restore(trashed)).toBe(false);
    expect(world.text('metrics.json')).toBe('mine');
    symlinkSync('/etc/passwd', join(trashed.entry.path, 'link.json'));
    unlinkSync(world.path('metrics.json'));
    await expect(world.loops.restore(trashed)).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
    expect(world.loops.isFound()).toBe(false);
    expect(existsSync(world.path('link.json'))).toBe(false);
  });
});

describe('the archive', () => {
  it('lists its sessions by name, and ignores anything else in it', async () => {
    await using world = await loopWorld();
    const first = await leftLoop(world);
    await leftLoop(world);
    for (const name of ['notes', '..x', 'unreadable', '.hidden.staged'])
      mkdirSync(world.path('archive', name));
    symlinkSync('/', world.path('archive', '11111111-1111-4111-8111-111111111111'));
    const [archived, ...more] = world.loops.archived();
    expect([archived?.name, more]).toEqual([first, []]);
    expect(archived?.loop.get()).toMatchObject({ sessionId: first, state: { currentIteration: 1 } });
    for (const name of ['notes', '../..', 'nothing'])
      expect(() => world.loops.removeArchived(name)).toThrow(
        expect.objectContaining({ code: 'LOOP_NOT_FOUND' }),
      );
    world.loops.removeArchived(first);
    expect(readdirSync(world.path('archive'))).not.toContain(first);
    expect(world.loops.purgeTrash(Number.NEGATIVE_INFINITY)).toEqual([first]);
  });
});
