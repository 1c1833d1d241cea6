import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  conversationWorld,
  deadProcess,
  publishedFile,
  said,
} from '../../../test/support/conversation-world.js';
import { verifies } from '../../../test/support/verifies.js';

const HOUR_MS = 60 * 60 * 1_000;

describe('list', () => {
  verifies('C04', 'tells id, agent, turns, creation and status, the last active first', async () => {
    await using world = await conversationWorld();
    await said(world, 'first', ['a', 'b', 'c']);
    world.clock.advance(HOUR_MS);
    await said(world, 'second', []);
    expect(world.sessions.list()).toEqual([
      {
        id: 'second',
        agent: 'qa-test',
        turnCount: 0,
        createdAt: '2026-03-01T13:00:00.000Z',
        lastActivity: '2026-03-01T13:00:00.000Z',
        status: 'completed',
        isHidden: false,
        workingDirectory: null,
        isDamaged: false,
        isChecked: true,
      },
      {
        id: 'first',
        agent: 'qa-test',
        turnCount: 3,
        createdAt: '2026-03-01T12:00:00.000Z',
        lastActivity: '2026-03-01T12:00:00.000Z',
        status: 'completed',
        isHidden: false,
        workingDirectory: null,
        isDamaged: false,
        isChecked: true,
      },
    ]);
  });

  it('is empty where there is no directory, and passes over what is no session', async () => {
    await using world = await conversationWorld();
    expect(world.sessions.list()).toEqual([]);
    world.plant('.hidden', 'x');
    world.plant('a.jsonl.damaged-20260101', 'x');
    expect(world.sessions.list()).toEqual([]);
  });

  it.each([100, 5_000, 70_000])('counts turns of %i characters from the end', async (length) => {
    await using world = await conversationWorld();
    await said(
      world,
      'mine',
      Array.from({ length: 7 }, () => 'x'.repeat(length)),
    );
    using conversation = await world.sessions.open('mine');
    conversation.addUserTurn('y'.repeat(length));
    expect(world.sessions.list()).toMatchObject([{ turnCount: 8, status: 'active', isDamaged: false }]);
  });

  verifies('C05', 'filters by agent and by status', async () => {
    await using world = await conversationWorld();
    await said(world, 'one', ['a'], 'qa-test');
    await said(world, 'two', ['a'], 'architect');
    using _active = await world.sessions.create({ id: 'three', agent: 'qa-test' });
    const ids = (filter: Parameters<typeof world.sessions.list>[0]) =>
      world.sessions
        .list(filter)
        .map(({ id }) => id)
        .sort();
    expect(ids({ agent: 'qa-test' })).toEqual(['one', 'three']);
    expect(ids({ status: 'active' })).toEqual(['three']);
    expect(ids({ status: 'completed' })).toEqual(['one', 'two']);
    expect(ids({ agent: 'qa-test', status: 'completed' })).toEqual(['one']);
    const dead = await deadProcess(world);
    await dead.create({ id: 'four', agent: 'qa-test' });
    expect(ids({ status: 'interrupted' })).toEqual(['four']);
  });
});

describe('resolve', () => {
  it('takes an id, the beginning of one, or the one that was active last', async () => {
    await using world = await conversationWorld();
    for (const id of ['alpha-one', 'alpha-two', 'b']) await said(world, id, ['x']);
    world.clock.advance(HOUR_MS);
    using conversation = await world.sessions.open('alpha-one');
    conversation.addUserTurn('again');
    const { sessions } = world;
    expect(['b', 'alpha-o', 'alpha-two', 'last'].map((typed) => sessions.resolve(typed))).toEqual([
      'b',
      'alpha-one',
      'alpha-two',
      'alpha-one',
    ]);
    expect(() => sessions.resolve('alpha')).toThrow(expect.objectContaining({ code: 'AMBIGUOUS_ID' }));
    for (const typed of ['alp', 'x', '../b'])
      expect(() => sessions.resolve(typed)).toThrow('Session not found');
  });

  it('finds nothing where there is nothing', async () => {
    await using world = await conversationWorld();
    expect(() => world.sessions.resolve('last')).toThrow('Session not found: last');
  });
});

describe('remove', () => {
  it('moves the file to the trash, from where it can come back', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['a', 'b']);
    const before = readFileSync(world.path('mine'));
    const entry = await world.sessions.remove('mine');
    expect([world.files(), world.sessions.list()]).toEqual([[], []]);
    expect(world.store.trash.entries()).toEqual([entry]);
    expect(world.store.trash.restore(entry, world.path('mine'))).toBe(true);
    expect(readFileSync(world.path('mine'))).toEqual(before);
    using conversation = await world.sessions.open('mine');
    expect(conversation.addUserTurn('c').turn).toBe(3);
  });

  it('leaves the name free for a new session', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['a']);
    await world.sessions.remove('mine');
    using conversation = await world.sessions.create({ id: 'mine', agent: 'b' });
    expect(conversation.addUserTurn('x').turn).toBe(1);
  });
});

describe('clean', () => {
  const DAY_MS = 24 * HOUR_MS;

  verifies(
    'C07',
    'older ones go to the trash, newer ones stay, live ones are skipped, all of it told',
    async () => {
      await using world = await conversationWorld();
      await said(world, 'old', ['a']);
      await said(world, 'resumed', ['a']);
      using _live = await world.sessions.create({ id: 'live', agent: 'a' });
      world.clock.advance(31 * DAY_MS);
      await said(world, 'fresh', ['a']);
      (await world.sessions.open('resumed')).addUserTurn('again');
      world.clock.advance(HOUR_MS);
      const dry = await world.sessions.clean({ olderThanMs: 30 * DAY_MS, isDryRun: true });
      expect([dry.retired, world.files().length]).toEqual([['old'], 4]);
      expect(await world.sessions.clean({ olderThanMs: 30 * DAY_MS })).toEqual({
        retired: ['old'],
        purged: [],
        skipped: [{ id: 'live', reason: 'somebody has it open' }],
        isComplete: true,
        reached: 'resumed',
      });
      expect(world.files()).toEqual(['fresh.jsonl', 'live.jsonl', 'resumed.jsonl']);
      world.clock.advance(8 * DAY_MS);
      expect(await world.sessions.clean({ olderThanMs: 300 * DAY_MS })).toMatchObject({
        retired: [],
        purged: ['old'],
      });
    },
  );

  it('takes a damaged one by the time of its file, and stops when the time is up', async () => {
    await using world = await conversationWorld();
    world.plant('damaged', 'garbage\n');
    world.clock.jumpTo('2099-01-01T00:00:00.000Z');
    expect(await world.sessions.clean({ olderThanMs: DAY_MS, limitMs: -1 })).toEqual({
      retired: [],
      purged: [],
      skipped: [],
      isComplete: false,
      reached: null,
    });
    expect(await world.sessions.clean({ olderThanMs: DAY_MS })).toMatchObject({ retired: ['damaged'] });
  });

  it('goes on behind where it was, and leaves alone what it is told to', async () => {
    await using world = await conversationWorld();
    for (const id of ['a1', 'b2', 'c3']) await said(world, id, ['x']);
    world.clock.advance(31 * DAY_MS);
    const report = await world.sessions.clean({ olderThanMs: 30 * DAY_MS, after: 'a1', except: ['c3'] });
    expect(report).toMatchObject({ retired: ['b2'], isComplete: true, reached: 'b2' });
    expect(world.files()).toEqual(['a1.jsonl', 'c3.jsonl']);
  });

  it('removes what killed processes left behind', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['a']);
    const dead = await deadProcess(world);
    await dead.create({ id: 'gone', agent: 'a' });
    await world.sessions.remove('gone');
    const temporary = `.gone.jsonl.${'0'.repeat(32)}.tmp`;
    world.plant('keep', publishedFile('keep', []));
    writeFileSync(`${world.base}/${temporary}`, 'half');
    await world.sessions.clean({ olderThanMs: 300 * DAY_MS });
    expect(world.files()).toEqual(['keep.jsonl', 'mine.jsonl']);
    expect(readdirSync(`${world.base}/.holdfast/locks`)).toEqual(['mine']);
  });
});
