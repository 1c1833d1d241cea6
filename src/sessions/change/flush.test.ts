import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ChangeWorld, changeWorld } from '../../../test/support/change-world.js';
import { treeOf } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';

async function started(world: ChangeWorld, ...learnings: string[]): Promise<void> {
  await world.sessions.create('add-login', { sessionId: 's1' });
  for (const text of learnings) await world.sessions.learn(text);
}

const DESIGN = '# Design\n\n## Learnings\n\n- old\n\n## Risks\n\nnone\n';

describe('flush', () => {
  verifies('S06', 'writes what was learned, gives up the change, removes the state file', async () => {
    await using world = await changeWorld();
    world.write('design.md', DESIGN);
    await started(world, 'one', 'two');
    expect(await world.sessions.flush()).toEqual({ learningsWritten: 2 });
    expect(world.read('design.md')).toBe(
      DESIGN.replace('- old\n', '- old\n\n### 2026-03-01 - Story General\n- one\n- two\n'),
    );
    expect([world.claim(), world.copy('s1')]).toEqual([undefined, undefined]);
    await world.sessions.create('add-login', { sessionId: 's2' });
  });

  verifies('S06', 'keeps the finished session', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    world.clock.advance(1_000);
    await world.sessions.flush();
    expect(world.ended()).toEqual([
      expect.objectContaining({
        session_id: 's1',
        status: 'finished',
        ended_at: '2026-03-01T12:00:01.000Z',
        flushed_learnings: 1,
        accumulated_learnings: [expect.objectContaining({ description: 'one' })],
      }),
    ]);
  });

  verifies('S06', 'again gets the same reply and writes nothing', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    const first = await world.sessions.flush({ sessionId: 's1' });
    const before = treeOf(world.dir.path);
    expect(await world.other().flush({ sessionId: 's1' })).toEqual(first);
    expect(treeOf(world.dir.path)).toEqual(before);
  });

  verifies('S06', 'of one session leaves the claim of another alone', async () => {
    await using world = await changeWorld();
    await started(world);
    await world.sessions.flush();
    await world.sessions.create('add-login', { sessionId: 's2' });
    await world.sessions.flush({ sessionId: 's1' });
    expect(world.claim().session_id).toBe('s2');
  });

  verifies('S07', 'with nothing learned leaves design.md unchanged, or absent', async () => {
    await using world = await changeWorld();
    world.write('design.md', DESIGN);
    await started(world);
    expect(await world.sessions.flush()).toEqual({ learningsWritten: 0 });
    expect(world.read('design.md')).toBe(DESIGN);
    expect([world.claim(), world.copy('s1')]).toEqual([undefined, undefined]);
    rmSync(world.file('design.md'));
    await world.sessions.create('add-login', { sessionId: 's2' });
    await world.sessions.flush();
    expect(existsSync(world.file('design.md'))).toBe(false);
  });

  it('creates design.md if there is none', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    await world.sessions.flush();
    expect(world.read('design.md')).toBe('## Learnings\n\n### 2026-03-01 - Story General\n- one\n');
  });

  it('of a reused id answers for the last session', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    await world.sessions.flush();
    world.clock.advance(1_000);
    await started(world, 'two', 'three');
    expect(await world.sessions.flush({ sessionId: 's1' })).toEqual({ learningsWritten: 2 });
    expect(await world.sessions.flush({ sessionId: 's1' })).toEqual({ learningsWritten: 2 });
    expect(world.ended()).toHaveLength(2);
  });

  it('of a change whose directory is gone fails, and keeps everything', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    rmSync(world.file('.'), { recursive: true });
    const scope = { sessionId: 's1' };
    await world.sessions.learn('two', scope);
    await expect(world.sessions.flush(scope)).rejects.toMatchObject({
      code: 'CHANGE_NOT_FOUND',
      hint: 'End the session with: holdfast change release add-login. What it learned (2) is kept: holdfast sessions show s1.',
    });
    expect(world.claim().accumulated_learnings).toHaveLength(2);
    expect(world.sessions.listChanges()).toMatchObject([{ name: 'add-login', status: 'missing' }]);
  });
});

describe('a change that was archived while a session held it', () => {
  const ARCHIVE = 'archive/2026-03-02-add-login';

  async function archived(world: ChangeWorld, ...learnings: string[]): Promise<void> {
    await started(world, ...learnings);
    mkdirSync(world.file('.', 'archive'), { recursive: true });
    renameSync(world.file('.'), world.file('.', ARCHIVE));
  }

  verifies('S06', 'gets what was learned into the design.md of the archive by the flush', async () => {
    await using world = await changeWorld();
    world.write('design.md', DESIGN);
    await archived(world, 'one');
    await world.sessions.learn('two');
    expect(await world.sessions.flush()).toEqual({ learningsWritten: 2 });
    expect(world.read('design.md', ARCHIVE)).toContain('### 2026-03-01 - Story General\n- one\n- two\n');
    expect([world.claim(), existsSync(world.file('.'))]).toEqual([undefined, false]);
  });

  it('gets it there through recover, too, once it has been released', async () => {
    await using world = await changeWorld();
    await archived(world, 'one');
    await world.sessions.release('add-login');
    const report = { outcome: 'learnings-written', learningsWritten: 1 };
    expect(await world.sessions.recover('s1')).toMatchObject(report);
    expect(await world.sessions.recover('s1')).toMatchObject({ outcome: 'whole', learningsWritten: 0 });
    expect(world.read('design.md', ARCHIVE).match(/- one/g)).toHaveLength(1);
  });

  it('is still read, ticked and shown as the change of its session, and held again by it alone', async () => {
    await using world = await changeWorld();
    await archived(world, 'one');
    const story = await world.sessions.nextStory();
    expect(story?.id).toBe('1');
    await world.sessions.completeTask('1.1');
    expect(world.read('tasks.md', ARCHIVE)).toContain('[x] 1.1');
    expect(world.sessions.listChanges()).toMatchObject([
      { name: 'add-login', status: 'archived', tasksDone: 2 },
    ]);
    expect(world.sessions.showChange('add-login')).toMatchObject({
      status: 'archived',
      session: { sessionId: 's1' },
    });
    expect((await world.sessions.create('add-login', { sessionId: 's1' })).stories).toHaveLength(3);
    await expect(world.other().create('add-login', { sessionId: 's2' })).rejects.toMatchObject({
      code: 'CHANGE_NOT_FOUND',
    });
  });

  it('does not get in the way of the session working on another change', async () => {
    await using world = await changeWorld();
    await archived(world, 'one');
    world.write('tasks.md', '## 1. A\n- [ ] 1.1 a\n', 'add-logout');
    await world.sessions.create('add-logout', { sessionId: 's2' });
    expect((await world.sessions.nextStory())?.title).toBe('A');
    expect(world.claim('add-logout').current_story_id).toBe('1');
  });

  it('and whose archive is gone is left out of the choice, and told with the way out', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    rmSync(world.file('.'), { recursive: true });
    await expect(world.sessions.progress()).rejects.toMatchObject({
      code: 'SESSION_REQUIRED',
      message: expect.stringContaining('gone: add-login of session s1'),
      hint: expect.stringContaining('holdfast change release add-login'),
    });
    await world.sessions.release('add-login');
    await expect(world.sessions.recover('s1')).rejects.toMatchObject({
      code: 'CHANGE_NOT_FOUND',
      hint: expect.stringContaining('Bring the directory back'),
    });
  });
});

describe('an interrupted flush', () => {
  /** The claim as left by a flush that dies right after design.md was written (or right before). */
  async function cutOff(world: ChangeWorld, isWritten: boolean): Promise<void> {
    await started(world, 'one');
    const claim = world.claim();
    await world.sessions.flush();
    const [ended] = world.ended();
    const block = '### 2026-03-01 - Story General\n- one';
    writeFileSync(
      world.claimPath(),
      JSON.stringify({ ...claim, flush: { block, count_before: 0, up_to: 1 } }),
      { mode: 0o600 },
    );
    expect(ended.flushed_learnings).toBe(1);
    if (!isWritten) rmSync(world.file('design.md'));
  }

  verifies('S06', 'after design.md was written does not write it again', async () => {
    await using world = await changeWorld();
    await cutOff(world, true);
    world.write('design.md', `# Edited meanwhile\n\n${world.read('design.md')}`);
    const before = world.read('design.md');
    expect(await world.sessions.flush()).toEqual({ learningsWritten: 1 });
    expect(world.read('design.md')).toBe(before);
    expect(world.claim()).toBeUndefined();
  });

  verifies('S06', 'before design.md was written writes it', async () => {
    await using world = await changeWorld();
    await cutOff(world, false);
    await world.sessions.flush();
    expect(world.read('design.md').match(/- one/g)).toHaveLength(1);
  });

  it('lets the session continue: only new learnings are written then', async () => {
    await using world = await changeWorld();
    await cutOff(world, true);
    await world.sessions.learn('two');
    expect(world.claim()).toMatchObject({ flushed_learnings: 1 });
    expect(world.claim().flush).toBeUndefined();
    expect(await world.sessions.flush()).toEqual({ learningsWritten: 2 });
    const design = world.read('design.md');
    expect([design.match(/- one/g), design.match(/- two/g)]).toMatchObject([{ length: 1 }, { length: 1 }]);
    expect(world.ended()).toHaveLength(1);
  });

  it('still holds the change', async () => {
    await using world = await changeWorld();
    await cutOff(world, true);
    await expect(world.sessions.create('add-login', { sessionId: 's2' })).rejects.toMatchObject({
      code: 'CHANGE_LOCKED',
    });
  });

  it('counts an identical earlier block separately', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    await world.sessions.flush();
    world.clock.advance(1);
    await started(world, 'one');
    await world.sessions.flush();
    expect(world.read('design.md').match(/- one/g)).toHaveLength(2);
  });
});

describe('release', () => {
  it('takes the change away with a reason, keeps the session, and reports it', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    expect(await world.sessions.release('add-login', 'laptop gone')).toMatchObject({ status: 'released' });
    expect([world.claim(), world.copy('s1')]).toEqual([undefined, undefined]);
    expect(world.ended()).toMatchObject([{ status: 'released', release_reason: 'laptop gone' }]);
    const over = { code: 'SESSION_ENDED', message: expect.stringContaining('laptop gone') };
    await expect(world.sessions.learn('x', { sessionId: 's1' })).rejects.toMatchObject(over);
    await expect(world.sessions.flush({ sessionId: 's1' })).rejects.toMatchObject(over);
    expect(existsSync(world.file('design.md'))).toBe(false);
  });

  it('refuses an empty reason, a change that nobody holds, and a missing one', async () => {
    await using world = await changeWorld();
    await started(world);
    await expect(world.sessions.release('add-login', ' ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(world.claim().session_id).toBe('s1');
    await world.sessions.flush();
    await expect(world.sessions.release('add-login', 'x')).rejects.toMatchObject({ code: 'CHANGE_NOT_HELD' });
    await expect(world.sessions.release('nope', 'x')).rejects.toMatchObject({ code: 'CHANGE_NOT_FOUND' });
    await expect(world.sessions.release('../x', 'x')).rejects.toMatchObject({ code: 'INVALID_CHANGE_NAME' });
  });
});

describe('recover', () => {
  it('restores a damaged claim from its copy, and keeps the damaged file', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    writeFileSync(world.claimPath(), '{"session_id": "s1", tor');
    await expect(world.sessions.create('add-login', { sessionId: 's2' })).rejects.toMatchObject({
      code: 'DOCUMENT_DAMAGED',
      hint: expect.stringContaining('holdfast change recover add-login'),
    });
    expect(world.sessions.listChanges()).toMatchObject([
      { session: null, fault: expect.stringContaining('not JSON') },
    ]);
    const report = await world.sessions.recover('add-login');
    expect(report).toMatchObject({ outcome: 'restored', sessionId: 's1' });
    expect(readdirSync(world.claimPath().replace('/session.json', ''))).toEqual(
      expect.arrayContaining([report.keptAt?.split('/').at(-1)]),
    );
    await world.sessions.flush();
    expect(world.read('design.md')).toContain('- one');
  });

  it('frees a change whose damaged claim has no copy', async () => {
    await using world = await changeWorld();
    await started(world);
    rmSync(world.copyPath('s1'));
    writeFileSync(world.claimPath(), '');
    expect(await world.sessions.recover('add-login')).toMatchObject({ outcome: 'freed', sessionId: null });
    await world.sessions.create('add-login', { sessionId: 's2' });
  });

  it('writes the learnings of a released session into design.md, once', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    await world.sessions.release('add-login', 'gone');
    await world.sessions.create('add-login', { sessionId: 's2' });
    expect(await world.sessions.recover('s1')).toMatchObject({
      outcome: 'learnings-written',
      learningsWritten: 1,
    });
    expect(await world.sessions.recover('s1')).toMatchObject({ outcome: 'whole', learningsWritten: 0 });
    expect(world.read('design.md').match(/- one/g)).toHaveLength(1);
    expect(world.claim().session_id).toBe('s2');
  });

  it('leaves an intact session unchanged, by change and by id prefix', async () => {
    await using world = await changeWorld();
    await world.sessions.create('add-login', { sessionId: 'nightly' });
    rmSync(world.copyPath('nightly'));
    expect(await world.sessions.recover('nigh')).toMatchObject({ outcome: 'whole', sessionId: 'nightly' });
    expect(world.copy('nightly')).toEqual(world.claim());
    await expect(world.sessions.recover('nobody')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('overviews', () => {
  it('lists the changes with their progress and who holds them; archived ones on demand', async () => {
    await using world = await changeWorld();
    world.write('tasks.md', '- [x] a\n', 'done');
    world.write('proposal.md', '', 'empty');
    world.write('tasks.md', '- [ ] b\n', 'archive/2026-01-01-old');
    await started(world);
    const rows = world.sessions.listChanges({ isAll: true });
    expect(
      rows.map(({ name, status, tasksDone, tasksTotal, session }) => [
        name,
        status,
        tasksDone,
        tasksTotal,
        session?.sessionId,
      ]),
    ).toEqual([
      ['add-login', 'in-progress', 1, 6, 's1'],
      ['done', 'complete', 1, 1, undefined],
      ['empty', 'no-tasks', 0, 0, undefined],
      ['2026-01-01-old', 'archived', 0, 1, undefined],
    ]);
    expect(world.sessions.listChanges()).toHaveLength(3);
  });

  it('shows one change with its stories and its earlier sessions', async () => {
    await using world = await changeWorld();
    await started(world, 'one');
    await world.sessions.release('add-login', 'gone');
    await world.sessions.create('add-login', { sessionId: 's2' });
    expect(world.sessions.showChange('add-login')).toMatchObject({
      session: { sessionId: 's2' },
      stories: [{ id: '1' }, { id: '2' }, { id: 'unnumbered' }],
      ended: [{ sessionId: 's1', status: 'released' }],
    });
  });

  it('summarizes every session for lists of all kinds', async () => {
    await using world = await changeWorld();
    await started(world);
    await world.sessions.flush();
    await world.sessions.create('add-login', { sessionId: 's2' });
    world.write('tasks.md', '', 'broken');
    await world.sessions.create('broken', { sessionId: 's3' });
    writeFileSync(world.claimPath('broken'), 'x');
    const elsewhere = world.other({ workingDirectory: world.dir.path });
    for (const sessions of [world.sessions, elsewhere])
      expect(sessions.list()).toMatchObject([
        { id: 's2', kind: 'change', state: 'active', title: 'add-login', project: world.project, faults: [] },
        { id: 'broken', state: 'active', faults: [expect.stringContaining('not JSON')] },
        { id: 's1', state: 'finished', faults: [] },
      ]);
  });
});
