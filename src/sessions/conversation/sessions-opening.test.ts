import { readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  contentsOf,
  conversationWorld,
  deadProcess,
  publishedFile,
  said,
} from '../../../test/support/conversation-world.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { verifies } from '../../../test/support/verifies.js';
import { forceUnlock } from '../../storage/index.js';

describe('open', () => {
  verifies('C03', 'restores all turns in order into the context and goes on numbering', async () => {
    await using world = await conversationWorld();
    const texts = Array.from({ length: 30 }, (_, index) => `text ${index}`);
    await said(world, 'mine', texts);
    using conversation = await world.other().open('mine');
    expect(contentsOf({ turns: conversation.context })).toEqual(texts);
    expect(conversation.addUserTurn('next').turn).toBe(31);
    expect(world.sessions.verify('mine')).toMatchObject({ isOk: true });
  });

  verifies('C03', 'an unknown id is told as such', async () => {
    await using world = await conversationWorld();
    const unknown = { code: 'SESSION_NOT_FOUND', message: 'Session not found: nobody' };
    await expect(world.sessions.open('nobody')).rejects.toMatchObject(unknown);
    expect(() => world.sessions.read('nobody')).toThrow('Session not found: nobody');
    expect(() => world.sessions.readLast('nobody', 1)).toThrow('Session not found: nobody');
    expect(() => world.sessions.verify('nobody')).toThrow('Session not found: nobody');
    await expect(world.sessions.remove('nobody')).rejects.toMatchObject(unknown);
    await expect(world.sessions.recover('nobody')).rejects.toMatchObject(unknown);
    await expect(world.sessions.open('../x')).rejects.toMatchObject({ code: 'INVALID_CONVERSATION_ID' });
  });

  verifies(
    'C03',
    'a file written by hand in the published format loads, lists, resumes and is appended to',
    async () => {
      await using world = await conversationWorld();
      const content = publishedFile('session-123', [
        ['user', 'Hello'],
        ['assistant', 'Hi there'],
      ]);
      world.plant('session-123', content);
      const shown = { agent: 'qa-test', turnCount: 2, status: 'completed', isDamaged: false };
      expect(world.sessions.list()).toMatchObject([
        { id: 'session-123', ...shown, createdAt: '2026-01-14T10:00:00.000000' },
      ]);
      expect(world.sessions.read('session-123')).toMatchObject({
        turnCount: 2,
        damage: [],
        turns: [{ content: 'Hello', tokens: 5 }, { number: 2 }],
      });
      expect(contentsOf(world.sessions.readLast('session-123', 1))).toEqual(['Hi there']);
      using conversation = await world.sessions.open('session-123');
      expect(conversation.addUserTurn('And now?')).toEqual({ turn: 3, seq: 4 });
      expect(readFileSync(world.path('session-123'), 'utf8').startsWith(content)).toBe(true);
      expect(world.sessions.verify('session-123')).toMatchObject({ isOk: true, records: 5 });
      expect(world.sessions.list()).toMatchObject([{ turnCount: 3, status: 'active', isDamaged: false }]);
      expect(contentsOf(world.sessions.readLast('session-123', 2))).toEqual(['Hi there', 'And now?']);
    },
  );

  it('reads the last line of a file by hand whose line break is missing, and goes on behind it', async () => {
    await using world = await conversationWorld();
    world.plant(
      'mine',
      publishedFile('mine', [
        ['user', 'a'],
        ['assistant', 'b'],
      ]).slice(0, -1),
    );
    expect(world.sessions.read('mine')).toMatchObject({ turnCount: 2, damage: [] });
    expect(contentsOf(world.sessions.readLast('mine', 1))).toEqual(['b']);
    expect(world.sessions.list()).toMatchObject([{ turnCount: 2, isDamaged: false }]);
    using conversation = await world.sessions.open('mine');
    conversation.addUserTurn('c');
    expect(contentsOf(world.sessions.read('mine'))).toEqual(['a', 'b', 'c']);
  });

  it('finds the numbers going on where somebody else appended to our file', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['a', 'b']);
    const theirs =
      '{"type": "turn", "role": "user", "content": "c", "timestamp": "2026-03-02T00:00:00Z", "tokens": 1}\n';
    world.plant('mine', readFileSync(world.path('mine'), 'utf8') + theirs);
    expect(world.sessions.list()).toMatchObject([
      { turnCount: 3, status: 'completed', lastActivity: '2026-03-02T00:00:00Z' },
    ]);
    using conversation = await world.sessions.open('mine');
    expect(conversation.addAssistantTurn('d').turn).toBe(4);
    expect(world.sessions.verify('mine')).toMatchObject({ isOk: true });
  });

  it('refuses to write to a file of a newer format, and reads it', async () => {
    await using world = await conversationWorld();
    world.plant(
      'mine',
      '{"type":"metadata","session_id":"mine","agent":"a","created_at":"2026-01-01T00:00:00Z","version":2}\n',
    );
    const before = readFileSync(world.path('mine'));
    await expect(world.sessions.open('mine')).rejects.toMatchObject({ code: 'NEWER_VERSION' });
    await expect(world.sessions.recover('mine')).rejects.toMatchObject({ code: 'NEWER_VERSION' });
    expect(readFileSync(world.path('mine'))).toEqual(before);
    expect(world.sessions.read('mine').metadata.agent).toBe('a');
  });

  it('refuses a link', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['secret']);
    symlinkSync(world.path('mine'), world.path('link'));
    await expect(world.sessions.open('link')).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
    expect(world.sessions.list().map(({ id }) => id)).toEqual(['mine']);
    expect(world.log.named('conversation.unreadable')).toHaveLength(1);
  });

  verifies('C11', 'a second writer fails at once with the owner named', async () => {
    await using world = await conversationWorld();
    using _owner = await world.sessions.create({ id: 'mine', agent: 'a' });
    await expect(world.other().open('mine')).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`process ${process.pid} on `),
    });
    await expect(world.sessions.remove('mine')).rejects.toMatchObject({ code: 'LOCKED' });
    await expect(world.sessions.recover('mine')).rejects.toMatchObject({ code: 'LOCKED' });
  });

  verifies('C11', 'a second writer that waits gets the session when the first lets go', async () => {
    await using world = await conversationWorld();
    const owner = await world.sessions.create({ id: 'mine', agent: 'a' });
    const waiting = world.other().open('mine', { waitMs: 1_000_000_000 });
    owner.addUserTurn('from the first');
    owner[Symbol.dispose]();
    using second = await waiting;
    expect(contentsOf(second.view)).toEqual(['from the first']);
  });

  it('an owner whose lock was taken away writes nothing more', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    forceUnlock(storageTools(), world.store.lockPath('mine'));
    expect(() => conversation.addUserTurn('late')).toThrow('was taken away');
    expect(conversation.view.turns).toEqual([]);
    expect(world.records('mine')).toHaveLength(1);
  });
});

describe('status', () => {
  it('is active from the start, as set, and active again with the next turn', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['a']);
    expect(world.records('mine').at(-1)).toMatchObject({ type: 'status', status: 'completed', turns: 1 });
    using conversation = await world.sessions.open('mine');
    expect(conversation.status).toBe('completed');
    conversation.setStatus('completed');
    expect(world.records('mine')).toHaveLength(3);
    conversation.addUserTurn('b');
    expect(world.records('mine').slice(3)).toMatchObject([
      { type: 'status', status: 'active' },
      { type: 'turn' },
    ]);
    conversation.setStatus('interrupted', 'stopped by a signal');
    expect(world.sessions.read('mine')).toMatchObject({
      status: 'interrupted',
      statusReason: 'stopped by a signal',
    });
    expect(world.records('mine')[0]).toMatchObject({ status: 'active' });
  });

  it('is completed where a file by hand says none, and can be set from there', async () => {
    await using world = await conversationWorld();
    world.plant('theirs', publishedFile('theirs', [['user', 'a']]));
    using conversation = await world.sessions.open('theirs');
    conversation.setStatus('completed');
    expect(world.records('theirs')).toHaveLength(2);
    conversation.setStatus('interrupted', 'left');
    conversation.setStatus('active');
    expect(world.sessions.read('theirs')).toMatchObject({
      status: 'active',
      statusReason: null,
      turnCount: 1,
    });
  });

  it('is interrupted when the owner is proven dead, and the next owner writes that down', async () => {
    await using world = await conversationWorld();
    const dead = await deadProcess(world);
    const conversation = await dead.create({ id: 'mine', agent: 'a' });
    conversation.addUserTurn('said before the crash');
    for (const { status } of [world.sessions.read('mine'), ...world.sessions.list()])
      expect(status).toBe('interrupted');
    using next = await world.sessions.open('mine');
    expect(next.status).toBe('interrupted');
    expect(world.records('mine').at(-1)).toMatchObject({
      type: 'status',
      status: 'interrupted',
      reason: expect.stringContaining('without a word'),
    });
    expect(contentsOf(next.view)).toEqual(['said before the crash']);
  });

  it('stands as stored where a dead owner had finished, and where nobody ever owned it', async () => {
    await using world = await conversationWorld();
    const dead = await deadProcess(world);
    const conversation = await dead.create({ id: 'mine', agent: 'a' });
    conversation.setStatus('completed');
    expect(world.sessions.list()).toMatchObject([{ status: 'completed' }]);
    world.plant(
      'theirs',
      '{"type":"metadata","session_id":"theirs","agent":"a","created_at":"2026-01-01T00:00:00Z","status":"active"}\n',
    );
    expect(world.sessions.read('theirs').status).toBe('active');
  });
});

describe('readers', () => {
  verifies('C12', 'see every saved turn of a session that is being written, and no torn one', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    for (let turn = 1; turn <= 5; turn++) {
      conversation.addUserTurn(`turn ${turn}`);
      expect(world.other().read('mine').turns.at(-1)).toMatchObject({ content: `turn ${turn}` });
      expect(world.sessions.list()).toMatchObject([{ turnCount: turn }]);
    }
    const whole = readFileSync(world.path('mine'), 'utf8');
    world.plant('mine', `${whole}{"type":"turn","role":"user","content":"on its w`);
    expect(world.other().read('mine')).toMatchObject({ turnCount: 5, damage: [] });
    expect(world.sessions.list()).toMatchObject([{ turnCount: 5, isDamaged: false }]);
  });

  it('of the last turns get them with their numbers, whatever stands behind them', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'qa' });
    for (let turn = 1; turn <= 100; turn++) conversation.addUserTurn(`turn ${turn} ${'x'.repeat(10_000)}`);
    conversation.noteAgent({ driver: 'd', resumeId: 'r' });
    conversation.setStatus('completed');
    const view = world.sessions.readLast('mine', 3);
    expect(view).toMatchObject({
      metadata: { agent: 'qa' },
      status: 'completed',
      turnCount: 100,
      damage: [],
    });
    expect(view.turns.map(({ number }) => number)).toEqual([98, 99, 100]);
    expect(world.sessions.readLast('mine', 0)).toMatchObject({ turns: [], turnCount: 100 });
    expect(world.sessions.readLast('mine', 1_000).turns).toEqual(world.sessions.read('mine').turns);
    expect(() => world.sessions.readLast('mine', -1)).toThrow('no number of turns');
  });
});

describe('how the agent is started', () => {
  it('is noted once, and where it belongs is told by the ends of the file', async () => {
    await using world = await conversationWorld();
    const launch = { agent: 'a', model: null, permissions: 'ask', workingDirectory: '/there' };
    {
      using held = await world.sessions.create({ id: 'talk', agent: 'a', workingDirectory: '/here' });
      held.noteLaunch({ ...launch, workingDirectory: '/here' });
      held.noteLaunch({ ...launch, workingDirectory: '/here' });
      held.addUserTurn('first');
      expect(world.sessions.list()).toMatchObject([{ workingDirectory: '/here' }]);
      held.noteLaunch(launch);
      held.addAssistantTurn('one');
      held.setStatus('completed');
    }
    expect(world.sessions.list()).toMatchObject([{ workingDirectory: '/there' }]);
    const view = world.sessions.read('talk');
    expect(view).toMatchObject({ launch, workingDirectory: '/there', damage: [] });
    expect(view.metadata.workingDirectory).toBe('/here');
    expect(view.turns.every((turn) => !('workingDirectory' in turn))).toBe(true);
    expect(world.sessions.resolve('last', ({ workingDirectory }) => workingDirectory === '/there')).toBe(
      'talk',
    );
    expect(() => world.sessions.resolve('last', () => false)).toThrow('not found');
    expect(world.sessions.verify('talk').isOk).toBe(true);
  });
});
