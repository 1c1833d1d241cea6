import { lstatSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contentsOf, conversationWorld, said } from '../../../test/support/conversation-world.js';
import { verifies } from '../../../test/support/verifies.js';

describe('create', () => {
  it('writes the published first line, 0600, and owns the session', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({
      id: 'mine',
      agent: 'qa-test',
      workingDirectory: '/work',
    });
    expect(world.records('mine')).toEqual([
      {
        type: 'metadata',
        session_id: 'mine',
        agent: 'qa-test',
        created_at: '2026-03-01T12:00:00.000Z',
        status: 'active',
        version: 1,
        working_directory: '/work',
        seq: 0,
        crc: expect.stringMatching(/^[0-9a-f]{8}$/),
      },
    ]);
    expect(lstatSync(world.path('mine')).mode & 0o777).toBe(0o600);
    expect(world.store.ownerOf('mine').hold).toBe('held');
    expect(conversation.metadata).toMatchObject({ id: 'mine', agent: 'qa-test', workingDirectory: '/work' });
  });

  it('makes an id of time and chance, and a hidden one for a run', async () => {
    await using world = await conversationWorld();
    using first = await world.sessions.create({ agent: 'a' });
    using hidden = await world.sessions.create({ agent: 'a', isHidden: true });
    expect(first.id).toMatch(/^session-20260301120000-[0-9a-f]{8}$/);
    expect(hidden.id).toMatch(/^run-20260301120000-[0-9a-f]{8}$/);
    expect(world.sessions.list().map(({ id }) => id)).toEqual([first.id]);
    expect(world.sessions.list({ withHidden: true })).toHaveLength(2);
  });

  it('refuses a name that is taken and leaves that session as it is', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['hello']);
    const before = readFileSync(world.path('mine'));
    await expect(world.sessions.create({ id: 'mine', agent: 'other' })).rejects.toMatchObject({
      code: 'CONVERSATION_EXISTS',
    });
    expect(readFileSync(world.path('mine'))).toEqual(before);
  });

  it.each([
    '',
    '.',
    '..',
    '../x',
    'a/b',
    '-x',
    '.hidden',
    'a b',
    'a\n',
    'ä',
    'x'.repeat(65),
    'last',
    'LAST',
    'nul',
    'com1.txt',
    'a.jsonl',
    'run-mine',
  ])('refuses the id %j before any path is built', async (id) => {
    await using world = await conversationWorld();
    await expect(world.sessions.create({ id, agent: 'a' })).rejects.toMatchObject({
      code: 'INVALID_CONVERSATION_ID',
    });
    expect(() => lstatSync(world.base)).toThrow('ENOENT');
  });

  it.each(['', '  ', 'x'.repeat(201)])('refuses the agent %j', async (agent) => {
    await using world = await conversationWorld();
    await expect(world.sessions.create({ agent })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      place: 'agent',
    });
  });
});

describe('turns', () => {
  verifies('C02', 'each turn is one published line, on disk when the call returns', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    expect(conversation.addUserTurn('Hello, agent')).toEqual({ turn: 1, seq: 1 });
    expect(world.records('mine').at(-1)).toEqual({
      type: 'turn',
      role: 'user',
      content: 'Hello, agent',
      timestamp: '2026-03-01T12:00:00.000Z',
      tokens: 3,
      turn: 1,
      seq: 1,
      crc: expect.any(String),
    });
    const usage = { input: 10, output: 3 };
    conversation.addAssistantTurn('Hi', { tokens: 7, usage, reason: 'end_turn', model: 'm1' });
    expect(world.records('mine').at(-1)).toMatchObject({
      role: 'assistant',
      tokens: 7,
      usage,
      reason: 'end_turn',
      model: 'm1',
      turn: 2,
    });
    expect(Object.keys(world.records('mine').at(-1) ?? {}).slice(0, 5)).toEqual([
      'type',
      'role',
      'content',
      'timestamp',
      'tokens',
    ]);
  });

  verifies('C02', 'tokens are as reported, otherwise a quarter of the characters', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    conversation.addUserTurn('x'.repeat(401));
    conversation.addAssistantTurn('x'.repeat(401), { tokens: 0 });
    expect(conversation.view.turns.map(({ tokens }) => tokens)).toEqual([101, 0]);
    conversation.addUserTurn('x'.repeat(8), { tokens: 1.5 });
    expect(conversation.view.turns.at(-1)).toMatchObject({ tokens: 2 });
  });

  it('keep every character of their text', async () => {
    await using world = await conversationWorld();
    const texts = [
      '',
      ' \n\r\n',
      'a\u2028b\u0000\u001b[31m',
      '🎉 Grüße',
      '"},{"crc":"00000000"}',
      '\ud800 half',
    ];
    await said(world, 'mine', texts);
    expect(contentsOf(world.sessions.read('mine'))).toEqual(texts);
  });

  it('lose their secrets before they reach the disk, and keep them where the project wants it', async () => {
    await using world = await conversationWorld();
    const secret = `sk-ant-${'a1B2'.repeat(10)}`;
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    const turn = conversation.addUserTurn(`my key is ${secret}`);
    conversation.markFailed(turn, `refused: ${secret}`);
    conversation.addAssistantTurn(secret, { reason: secret, model: secret, usage: { note: secret } });
    conversation.noteAgent({ driver: 'd', resumeId: secret, processId: secret });
    conversation.setStatus('completed', secret);
    expect(readFileSync(world.path('mine'), 'utf8')).not.toContain(secret);
    expect(conversation.view.turns[0]?.content).toBe('my key is [redacted:anthropic-key]');
    using raw = await world.other({ redact: (text) => text }).create({ id: 'raw', agent: 'a' });
    raw.addUserTurn(secret);
    expect(readFileSync(world.path('raw'), 'utf8')).toContain(secret);
  });

  it('that are too long are refused and change nothing', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    expect(() => conversation.addUserTurn('x'.repeat(33 * 1024 * 1024))).toThrow('too long');
    expect(conversation.addUserTurn('short')).toEqual({ turn: 1, seq: 1 });
  });

  verifies(
    'C13',
    'a failed turn is kept, marked by a record of its own, and left out of the context',
    async () => {
      await using world = await conversationWorld();
      using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
      conversation.addUserTurn('one');
      conversation.addAssistantTurn('answer');
      const before = readFileSync(world.path('mine'));
      const failed = conversation.addUserTurn('two');
      expect(contentsOf(world.sessions.read('mine'))).toEqual(['one', 'answer', 'two']);
      conversation.markFailed(failed, 'the agent crashed');
      conversation.addUserTurn('three');
      expect(readFileSync(world.path('mine')).subarray(0, before.length)).toEqual(before);
      for (const view of [conversation.view, world.sessions.read('mine'), world.sessions.readLast('mine', 4)])
        expect(view.turns.map(({ failure }) => failure)).toEqual([null, null, 'the agent crashed', null]);
      expect(conversation.context.map(({ content }) => content)).toEqual(['one', 'answer', 'three']);
      expect(() => conversation.markFailed({ turn: 9 }, 'x')).toThrow('no turn 9');
    },
  );

  it('are left out of the context once it is cleared, and stay in the file', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['one', 'two']);
    using conversation = await world.sessions.open('mine');
    conversation.clearContext();
    conversation.addUserTurn('three');
    expect(contentsOf({ turns: conversation.context })).toEqual(['three']);
    expect(world.sessions.read('mine')).toMatchObject({ turnCount: 3, clearedAfter: 2 });
  });

  it('can be taken over from elsewhere, all at once', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    conversation.importTurns([
      { role: 'user', content: 'a', timestamp: '2025-01-01T00:00:00.000Z', tokens: 9 },
      { role: 'assistant', content: 'b' },
    ]);
    expect(world.sessions.read('mine').turns).toMatchObject([
      { number: 1, timestamp: '2025-01-01T00:00:00.000Z', tokens: 9 },
      { number: 2, timestamp: '2026-03-01T12:00:00.000Z', tokens: 1 },
    ]);
  });
});

describe('the handle of the agent', () => {
  it('is the last one that was noted', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    conversation.noteAgent({ driver: 'claude', resumeId: 'one' });
    conversation.noteAgent({ driver: 'claude', resumeId: 'two', processId: 'ses_x' });
    conversation.noteAgent({ driver: 'claude', resumeId: 'two', processId: 'ses_x' });
    expect(world.records('mine')).toHaveLength(3);
    expect(world.sessions.read('mine').agentHandle).toEqual({
      driver: 'claude',
      resumeId: 'two',
      processId: 'ses_x',
    });
  });
});
