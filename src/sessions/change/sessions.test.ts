import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ChangeWorld, changeWorld, TASKS } from '../../../test/support/change-world.js';
import { treeOf } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function started(world: ChangeWorld, sessionId = 's1'): Promise<void> {
  await world.sessions.create('add-login', { sessionId });
}

describe('starting a session', () => {
  verifies('S01', 'creates the state file and the claim, and returns the stories', async () => {
    await using world = await changeWorld();
    const { state, stories } = await world.sessions.create('add-login');
    expect(state.sessionId).toMatch(UUID);
    expect(stories.map(({ id, tasks }) => [id, tasks.length])).toEqual([
      ['1', 4],
      ['2', 1],
      ['unnumbered', 1],
    ]);
    expect(world.claim()).toEqual(world.copy(state.sessionId));
  });

  verifies('S09', 'the state file has the published keys, and no other user may read it', async () => {
    await using world = await changeWorld();
    await started(world);
    expect(world.copy('s1')).toEqual({
      session_id: 's1',
      change_name: 'add-login',
      current_story_id: null,
      created_at: '2026-03-01T12:00:00.000Z',
      accumulated_learnings: [],
      completed_tasks: [],
      version: 1,
      updated_at: '2026-03-01T12:00:00.000Z',
      project: world.project,
      status: 'active',
      flushed_learnings: 0,
    });
    expect(statSync(world.copyPath('s1')).mode & 0o777).toBe(0o600);
    expect(statSync(world.dir.at('tmp', 'ralph')).mode & 0o777).toBe(0o700);
  });

  it('keeps its own files out of git', async () => {
    await using world = await changeWorld();
    await started(world);
    expect(readFileSync(join(world.project, 'openspec/.holdfast/.gitignore'), 'utf8')).toBe('*\n');
  });

  verifies(
    'S02',
    'is refused while another session holds the change, saying which and how to proceed',
    async () => {
      await using world = await changeWorld();
      await started(world);
      const before = treeOf(world.file('.'));
      world.clock.advance(60_000);
      await expect(world.other().create('add-login', { sessionId: 's2' })).rejects.toMatchObject({
        code: 'CHANGE_LOCKED',
        message: "Change 'add-login' is locked by session s1 since 2026-03-01T12:00:00.000Z",
        hint: expect.stringContaining('holdfast change release add-login'),
      });
      expect([world.claim().session_id, world.copy('s2'), treeOf(world.file('.'))]).toEqual([
        's1',
        undefined,
        before,
      ]);
    },
  );

  verifies('S02', 'again as the same session gets the same reply', async () => {
    await using world = await changeWorld();
    const first = await world.sessions.create('add-login', { sessionId: 's1' });
    await world.sessions.learn('kept');
    world.clock.advance(60_000);
    const again = await world.other().create('add-login', { sessionId: 's1' });
    expect(again.state.createdAt).toBe(first.state.createdAt);
    expect(again.state.learnings).toHaveLength(1);
  });

  verifies('S03', 'is refused for a missing change', async () => {
    await using world = await changeWorld();
    await expect(world.sessions.create('nope')).rejects.toMatchObject({
      code: 'CHANGE_NOT_FOUND',
      available: ['add-login'],
    });
  });

  it('is refused for an id that works on another change, here or in another project', async () => {
    await using world = await changeWorld();
    world.write('tasks.md', TASKS, 'other');
    await started(world);
    await expect(world.sessions.create('other', { sessionId: 's1' })).rejects.toMatchObject({
      code: 'SESSION_ID_TAKEN',
    });
    const elsewhere = world.dir.at('elsewhere');
    mkdirSync(join(elsewhere, 'openspec/changes/x'), { recursive: true });
    await expect(
      world.other({ workingDirectory: elsewhere }).create('x', { sessionId: 's1' }),
    ).rejects.toMatchObject({ code: 'SESSION_ID_TAKEN', message: expect.stringContaining(world.project) });
    await world.sessions.flush({ sessionId: 's1' });
    await world.other({ workingDirectory: elsewhere }).create('x', { sessionId: 's1' });
  });

  const HOSTILE = [
    '../x',
    '',
    '.',
    '..',
    'a/b',
    '/etc/passwd',
    'a\0b',
    'x'.repeat(4096),
    '-a',
    'a b',
    'nul',
    'COM1.txt',
    'ü',
  ];
  it.each(HOSTILE)('and every command refuse the id %j before any path is built', async (sessionId) => {
    await using world = await changeWorld();
    const before = treeOf(world.dir.path);
    const scope = { sessionId };
    const calls = [
      () => world.sessions.create('add-login', scope),
      () => world.sessions.nextStory(scope),
      () => world.sessions.flush(scope),
      () => world.sessions.context(scope),
      () => world.sessions.progress(scope),
      () => world.sessions.completeTask('1.1', scope),
      () => world.sessions.learn('x', scope),
      async () => world.sessions.resolve(sessionId),
      () => world.sessions.recover(sessionId),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'INVALID_SESSION_ID' });
    expect(treeOf(world.dir.path)).toEqual(before);
  });
});

describe('which session', () => {
  verifies('S08', 'without one every command explains what to do, and changes nothing', async () => {
    await using world = await changeWorld();
    const before = treeOf(world.dir.path);
    const { sessions } = world;
    const calls = [
      () => sessions.nextStory(),
      () => sessions.flush(),
      () => sessions.context(),
      () => sessions.progress(),
      () => sessions.completeTask('1.1'),
      () => sessions.learn('x'),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({
        code: 'SESSION_REQUIRED',
        message: expect.stringContaining('RALPH_SESSION'),
        hint: expect.stringContaining('orchestrator'),
      });
    expect(treeOf(world.dir.path)).toEqual(before);
  });

  verifies(
    'S08',
    'the only active one is found automatically, from any directory of the project',
    async () => {
      await using world = await changeWorld();
      mkdirSync(join(world.project, 'src/deep'), { recursive: true });
      await started(world);
      for (const workingDirectory of [world.project, join(world.project, 'src/deep'), world.file('specs')]) {
        await world.other({ workingDirectory }).learn('found');
      }
      expect(world.claim().accumulated_learnings).toHaveLength(3);
    },
  );

  verifies(
    'S08',
    'of several, the one of the change around the working directory; otherwise they are listed',
    async () => {
      await using world = await changeWorld();
      world.write('tasks.md', TASKS, 'other');
      world.write('tasks.md', TASKS, 'third');
      await started(world);
      await world.sessions.create('other', { sessionId: 's2' });
      await world.other({ workingDirectory: world.file('.', 'other') }).learn('x');
      expect(world.claim('other').accumulated_learnings).toHaveLength(1);
      await expect(world.sessions.learn('x')).rejects.toMatchObject({
        code: 'SESSION_REQUIRED',
        candidates: ['s1 (add-login)', 's2 (other)'],
      });
      await expect(
        world.other({ workingDirectory: world.file('.', 'third') }).learn('x'),
      ).rejects.toMatchObject({
        code: 'SESSION_REQUIRED',
      });
    },
  );

  it('a named one is found from outside the project, too', async () => {
    await using world = await changeWorld();
    await started(world);
    await world.other({ workingDirectory: world.dir.path }).learn('x', { sessionId: 's1' });
    expect(world.claim().accumulated_learnings).toHaveLength(1);
  });

  it('an unknown one is not found, nor mistaken for another', async () => {
    await using world = await changeWorld();
    await started(world, 'nightly-2');
    await expect(world.sessions.learn('x', { sessionId: 'nightly' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  it('an id prefix is enough where people type it', async () => {
    await using world = await changeWorld();
    world.write('tasks.md', TASKS, 'other');
    await started(world, 'nightly-1');
    await world.sessions.create('other', { sessionId: 'nightly-2' });
    expect(world.sessions.resolve('nightly-1')).toBe('nightly-1');
    expect(() => world.sessions.resolve('night')).toThrow(expect.objectContaining({ code: 'AMBIGUOUS_ID' }));
    await world.sessions.flush({ sessionId: 'nightly-2' });
    await world.sessions.create('other', { sessionId: 'weekly' });
    expect(world.sessions.resolve('week')).toBe('weekly');
    expect(world.sessions.resolve('wee')).toBe('wee');
  });
});

describe('stories and tasks', () => {
  verifies('S04', 'the next story is the first with work left, and later commands apply to it', async () => {
    await using world = await changeWorld();
    await started(world);
    expect((await world.sessions.nextStory())?.id).toBe('1');
    expect(world.copy('s1').current_story_id).toBe('1');
    expect((await world.other().context()).story.id).toBe('1');
    for (const task of ['1.1', '1.2.1', '1.10']) await world.sessions.completeTask(task);
    expect((await world.sessions.nextStory())?.id).toBe('2');
    expect((await world.sessions.progress()).story).toEqual({ id: '2', tasksDone: 0, tasksTotal: 1 });
  });

  verifies('S05', 'after the last story there is none, loose tasks included', async () => {
    await using world = await changeWorld({ tasks: '## 1. A\n- [x] 1.1 a\n## Notes\n- [ ] loose\n' });
    await started(world);
    const story = await world.sessions.nextStory();
    expect(story?.id).toBe('unnumbered');
    await world.sessions.completeTask(story?.tasks[0]?.id ?? '');
    expect(await world.sessions.nextStory()).toBeNull();
    expect(world.copy('s1').current_story_id).toBeNull();
    expect((await world.sessions.progress()).isChangeComplete).toBe(true);
  });

  it('a change without tasks is not complete', async () => {
    await using world = await changeWorld({ tasks: '# Tasks\n## 1. Empty\n' });
    await started(world);
    await expect(world.sessions.nextStory()).rejects.toMatchObject({ code: 'NO_TASKS' });
    expect((await world.sessions.progress()).isChangeComplete).toBe(false);
  });

  verifies('S10', 'the context has tasks, documents, scenarios, learnings and checks', async () => {
    await using world = await changeWorld();
    world.write('proposal.md', '# Why');
    world.write('design.md', '# How');
    writeFileSync(join(world.project, 'package.json'), '{"scripts":{"test":"x"}}');
    await started(world);
    await world.sessions.nextStory();
    await world.sessions.learn('fast', { taskId: '1.1' });
    expect(await world.sessions.context()).toMatchObject({
      story: { id: '1', title: 'Setup' },
      proposal: '# Why',
      design: '# How',
      scenarios: [{ name: 'Right password', steps: { length: 5 } }],
      learnings: [{ description: 'fast', taskId: '1.1', storyId: '1' }],
      verify: { checks: [], tests: 'npm test' },
    });
  });

  verifies('S10', 'a task is ticked once, in its story only', async () => {
    await using world = await changeWorld();
    await started(world);
    await expect(world.sessions.completeTask('1.1')).rejects.toMatchObject({ code: 'STORY_REQUIRED' });
    await world.sessions.nextStory();
    expect(await world.sessions.completeTask('1.1')).toMatchObject({
      taskId: '1.1',
      remaining: ['1.2.1', '1.10'],
      isStoryComplete: false,
    });
    await world.sessions.completeTask('1.1');
    expect(world.copy('s1').completed_tasks).toEqual(['1.1']);
    expect(world.read('tasks.md')).toBe(TASKS.replace('[ ] 1.1 ', '[x] 1.1 '));
    const before = world.claim();
    await expect(world.sessions.completeTask('2.1')).rejects.toMatchObject({ code: 'SCOPE_ERROR' });
    await expect(world.sessions.completeTask('1.9')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await expect(world.sessions.completeTask('../1.1')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    expect(world.claim()).toEqual(before);
  });

  it('a story can be named instead', async () => {
    await using world = await changeWorld();
    await started(world);
    expect(await world.sessions.completeTask('2.1', { storyId: '2' })).toMatchObject({
      isStoryComplete: true,
    });
    await expect(world.sessions.context({ storyId: '9' })).rejects.toMatchObject({ code: 'STORY_NOT_FOUND' });
    await expect(world.sessions.context()).rejects.toMatchObject({ code: 'STORY_REQUIRED' });
    expect(await world.sessions.progress()).toMatchObject({ story: null, storiesDone: 1, storiesTotal: 3 });
  });
});

describe('learning', () => {
  verifies('S10', 'is kept with its task, its story and its time', async () => {
    await using world = await changeWorld();
    await started(world);
    expect(await world.sessions.learn('general')).toMatchObject({ total: 1 });
    await world.sessions.nextStory();
    await world.sessions.learn('of a task', { taskId: '2.1' });
    await world.sessions.learn('of a story', { storyId: '2' });
    expect(world.copy('s1').accumulated_learnings).toEqual([
      { description: 'general', task_id: null, story_id: null, timestamp: '2026-03-01T12:00:00.000Z' },
      { description: 'of a task', task_id: '2.1', story_id: '1', timestamp: '2026-03-01T12:00:00.000Z' },
      { description: 'of a story', task_id: null, story_id: '2', timestamp: '2026-03-01T12:00:00.000Z' },
    ]);
  });

  it('refuses a text that is empty, too long, or names a missing task or story', async () => {
    await using world = await changeWorld();
    await started(world);
    const before = world.claim();
    await expect(world.sessions.learn(' \n')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(world.sessions.learn('x'.repeat(70_000))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(world.sessions.learn('x', { taskId: '7.7' })).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
    await expect(world.sessions.learn('x', { storyId: '7' })).rejects.toMatchObject({
      code: 'STORY_NOT_FOUND',
    });
    expect(world.claim()).toEqual(before);
  });

  verifies('S09', 'survives a wiped temporary directory, and the state file comes back', async () => {
    await using world = await changeWorld();
    await started(world);
    await world.sessions.learn('first');
    rmSync(world.dir.at('tmp'), { recursive: true });
    await world.other().learn('second');
    expect(
      world.copy('s1').accumulated_learnings.map((one: { description: string }) => one.description),
    ).toEqual(['first', 'second']);
    await world.sessions.flush();
    expect(world.read('design.md')).toContain('- first\n- second\n');
  });

  it('keeps keys that a newer or foreign program wrote, and refuses to write a newer format', async () => {
    await using world = await changeWorld();
    await started(world);
    const claim = { ...world.claim(), mood: 'good', __proto: 1 };
    writeFileSync(world.claimPath(), JSON.stringify(claim));
    await world.sessions.learn('x');
    expect(world.claim()).toMatchObject({ mood: 'good' });
    const newer = JSON.stringify({ ...world.claim(), version: 2 });
    writeFileSync(world.claimPath(), newer);
    await expect(world.sessions.learn('y')).rejects.toMatchObject({ code: 'NEWER_VERSION' });
    expect(readFileSync(world.claimPath(), 'utf8')).toBe(newer);
  });
});

describe('the published copy', () => {
  it('is skipped with a warning if its directory is not ours', async () => {
    await using world = await changeWorld();
    mkdirSync(world.dir.at('mine'));
    symlinkSync(world.dir.at('mine'), world.dir.at('tmp', 'ralph'));
    await started(world);
    await world.sessions.learn('kept all the same');
    expect(world.claim().accumulated_learnings).toHaveLength(1);
    expect(world.log.named('change.projection-not-written')).toHaveLength(2);
    await world.sessions.flush();
    expect(world.claim()).toBeUndefined();
  });

  it('is skipped where others may write', async () => {
    await using world = await changeWorld();
    mkdirSync(world.dir.at('tmp', 'ralph'));
    chmodSync(world.dir.at('tmp', 'ralph'), 0o777);
    await started(world);
    expect(world.copy('s1')).toBeUndefined();
    expect(world.claim().session_id).toBe('s1');
  });

  it('never decides: an edited or foreign copy changes nothing', async () => {
    await using world = await changeWorld();
    await started(world);
    writeFileSync(world.copyPath('s1'), JSON.stringify({ ...world.copy('s1'), session_id: 's2' }));
    writeFileSync(world.copyPath('s9'), JSON.stringify({ ...world.claim(), session_id: 's9' }));
    await expect(world.sessions.learn('x', { sessionId: 's9' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await world.sessions.learn('x');
    expect(world.copy('s1').session_id).toBe('s1');
  });
});

describe('the directory of a project', () => {
  it.each(['.holdfast', '.holdfast/changes', '.holdfast/changes/add-login'])(
    'is refused where %s is a link, before anything is written through it',
    async (path) => {
      await using world = await changeWorld();
      await started(world);
      const outside = world.dir.at('outside');
      renameSync(join(world.project, 'openspec', path), outside);
      symlinkSync(outside, join(world.project, 'openspec', path));
      const before = treeOf(outside);
      for (const call of [
        () => world.sessions.create('add-login', { sessionId: 's1' }),
        () => world.sessions.learn('x', { sessionId: 's1' }),
        () => world.sessions.flush({ sessionId: 's1' }),
      ])
        await expect(call()).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
      expect(treeOf(outside)).toEqual(before);
    },
  );
});

describe('a task', () => {
  it('that was ticked by mistake can be reopened: only its box differs', async () => {
    await using world = await changeWorld();
    await started(world);
    await world.sessions.nextStory();
    const before = world.read('tasks.md');
    await world.sessions.completeTask('1.1');
    expect(world.claim().completed_tasks).toEqual(['1.1']);
    expect(await world.sessions.undoTask('1.1')).toEqual({
      taskId: '1.1',
      remaining: ['1.1', '1.2.1', '1.10'],
      isStoryComplete: false,
    });
    expect([world.read('tasks.md'), world.claim().completed_tasks]).toEqual([before, []]);
    await world.sessions.undoTask('1.1');
    expect(world.read('tasks.md')).toBe(before);
    await expect(world.sessions.undoTask('2.1')).rejects.toMatchObject({ code: 'SCOPE_ERROR' });
  });

  it('is listed with those of all stories, or of one', async () => {
    await using world = await changeWorld();
    await started(world);
    await world.sessions.nextStory();
    const { stories, currentStoryId } = await world.sessions.tasks();
    expect([currentStoryId, stories.map(({ id, tasks }) => [id, tasks.length])]).toEqual([
      '1',
      [
        ['1', 4],
        ['2', 1],
        ['unnumbered', 1],
      ],
    ]);
    const one = await world.sessions.tasks({ storyId: '2' });
    expect(one.stories.map(({ id }) => id)).toEqual(['2']);
  });
});

describe('a session of another project', () => {
  it('is refused by name, with both projects; outside of any project it is found', async () => {
    await using world = await changeWorld();
    await started(world);
    const other = world.dir.at('other');
    mkdirSync(`${other}/openspec/changes`, { recursive: true });
    const inOther = world.other({ workingDirectory: other });
    const scope = { sessionId: 's1' };
    const refusal = {
      code: 'SESSION_ELSEWHERE',
      message: `Session s1 works on change 'add-login' in ${world.project}, but this is ${other}`,
      hint: expect.stringContaining('unset RALPH_SESSION'),
    };
    await expect(inOther.learn('x', scope)).rejects.toMatchObject(refusal);
    await expect(inOther.progress(scope)).rejects.toMatchObject(refusal);
    await expect(inOther.flush(scope)).rejects.toMatchObject(refusal);
    const outside = world.other({ workingDirectory: world.dir.path });
    expect((await outside.learn('y', scope)).total).toBe(1);
  });

  it('that would be called like a device is refused with that reason', async () => {
    await using world = await changeWorld();
    await expect(world.sessions.create('add-login', { sessionId: 'con' })).rejects.toMatchObject({
      code: 'INVALID_SESSION_ID',
      hint: expect.stringContaining('device'),
    });
    await expect(world.sessions.create('add-login', { sessionId: 'a b' })).rejects.toMatchObject({
      hint: expect.stringContaining('1 to 64 letters'),
    });
  });
});
