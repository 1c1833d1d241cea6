import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ConversationWorld,
  conversationWorld,
  publishedFile,
} from '../../../test/support/conversation-world.js';
import { deadIdentity } from '../../../test/support/processes.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { verifies } from '../../../test/support/verifies.js';
import { forceUnlock } from '../../storage/index.js';
import type { ConversationSessions } from './sessions.js';

const HOUR_MS = 60 * 60 * 1_000;

/** Creates a conversation with these turns and releases it. */
async function said(world: ConversationWorld, id: string, contents: readonly string[], agent = 'qa-test') {
  using conversation = await world.sessions.create({ id, agent });
  for (const [index, content] of contents.entries()) {
    if (index % 2 === 0) conversation.addUserTurn(content);
    else conversation.addAssistantTurn(content);
  }
  conversation.setStatus('completed');
}

/** The sessions of a dead process: whatever it owned has a dead owner. */
async function deadProcess(world: ConversationWorld) {
  return world.other({ identity: await deadIdentity() });
}

const contentsOf = (view: { turns: readonly { content: string }[] }) =>
  view.turns.map(({ content }) => content);

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

  it('makes an id from the time and chance, and a hidden one for a run', async () => {
    await using world = await conversationWorld();
    using first = await world.sessions.create({ agent: 'a' });
    using hidden = await world.sessions.create({ agent: 'a', isHidden: true });
    expect(first.id).toMatch(/^session-20260301120000-[0-9a-f]{8}$/);
    expect(hidden.id).toMatch(/^run-20260301120000-[0-9a-f]{8}$/);
    expect(world.sessions.list().map(({ id }) => id)).toEqual([first.id]);
    expect(world.sessions.list({ withHidden: true })).toHaveLength(2);
  });

  it('refuses a name that is taken and leaves that session unchanged', async () => {
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
    expect(contentsOf(world.sessions.get('mine'))).toEqual(texts);
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
    'a failed turn is kept, marked by its own record, and left out of the context',
    async () => {
      await using world = await conversationWorld();
      using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
      conversation.addUserTurn('one');
      conversation.addAssistantTurn('answer');
      const before = readFileSync(world.path('mine'));
      const failed = conversation.addUserTurn('two');
      expect(contentsOf(world.sessions.get('mine'))).toEqual(['one', 'answer', 'two']);
      conversation.markFailed(failed, 'the agent crashed');
      conversation.addUserTurn('three');
      expect(readFileSync(world.path('mine')).subarray(0, before.length)).toEqual(before);
      for (const view of [conversation.view, world.sessions.get('mine'), world.sessions.readLast('mine', 4)])
        expect(view.turns.map(({ failure }) => failure)).toEqual([null, null, 'the agent crashed', null]);
      expect(conversation.context.map(({ content }) => content)).toEqual(['one', 'answer', 'three']);
      expect(() => conversation.markFailed({ turn: 9 }, 'x')).toThrow('no turn 9');
    },
  );

  it('are left out of the context once it is cleared, and stay in the file', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['one', 'two']);
    using conversation = await world.sessions.hold('mine');
    conversation.clearContext();
    conversation.addUserTurn('three');
    expect(contentsOf({ turns: conversation.context })).toEqual(['three']);
    expect(world.sessions.get('mine')).toMatchObject({ turnCount: 3, clearedAfter: 2 });
  });

  it('can be copied from elsewhere, all at once', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    conversation.importTurns([
      { role: 'user', content: 'a', timestamp: '2025-01-01T00:00:00.000Z', tokens: 9 },
      { role: 'assistant', content: 'b' },
    ]);
    expect(world.sessions.get('mine').turns).toMatchObject([
      { number: 1, timestamp: '2025-01-01T00:00:00.000Z', tokens: 9 },
      { number: 2, timestamp: '2026-03-01T12:00:00.000Z', tokens: 1 },
    ]);
  });
});

describe('open', () => {
  verifies('C03', 'restores all turns in order into the context and continues the numbering', async () => {
    await using world = await conversationWorld();
    const texts = Array.from({ length: 30 }, (_, index) => `text ${index}`);
    await said(world, 'mine', texts);
    using conversation = await world.other().hold('mine');
    expect(contentsOf({ turns: conversation.context })).toEqual(texts);
    expect(conversation.addUserTurn('next').turn).toBe(31);
    expect(world.sessions.verify('mine')).toMatchObject({ isOk: true });
  });

  verifies('C03', 'an unknown id is reported as such', async () => {
    await using world = await conversationWorld();
    const unknown = { code: 'SESSION_NOT_FOUND', message: 'Session not found: nobody' };
    await expect(world.sessions.hold('nobody')).rejects.toMatchObject(unknown);
    expect(() => world.sessions.get('nobody')).toThrow('Session not found: nobody');
    expect(() => world.sessions.readLast('nobody', 1)).toThrow('Session not found: nobody');
    expect(() => world.sessions.verify('nobody')).toThrow('Session not found: nobody');
    await expect(world.sessions.remove('nobody')).rejects.toMatchObject(unknown);
    await expect(world.sessions.recover('nobody')).rejects.toMatchObject(unknown);
    await expect(world.sessions.hold('../x')).rejects.toMatchObject({ code: 'INVALID_CONVERSATION_ID' });
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
      expect(world.sessions.get('session-123')).toMatchObject({
        turnCount: 2,
        damage: [],
        turns: [{ content: 'Hello', tokens: 5 }, { number: 2 }],
      });
      expect(contentsOf(world.sessions.readLast('session-123', 1))).toEqual(['Hi there']);
      using conversation = await world.sessions.hold('session-123');
      expect(conversation.addUserTurn('And now?')).toEqual({ turn: 3, seq: 4 });
      expect(readFileSync(world.path('session-123'), 'utf8').startsWith(content)).toBe(true);
      expect(world.sessions.verify('session-123')).toMatchObject({ isOk: true, records: 5 });
      expect(world.sessions.list()).toMatchObject([{ turnCount: 3, status: 'active', isDamaged: false }]);
      expect(contentsOf(world.sessions.readLast('session-123', 2))).toEqual(['Hi there', 'And now?']);
    },
  );

  it('reads the last line of a handwritten file without its line break, and continues after it', async () => {
    await using world = await conversationWorld();
    world.plant(
      'mine',
      publishedFile('mine', [
        ['user', 'a'],
        ['assistant', 'b'],
      ]).slice(0, -1),
    );
    expect(world.sessions.get('mine')).toMatchObject({ turnCount: 2, damage: [] });
    expect(contentsOf(world.sessions.readLast('mine', 1))).toEqual(['b']);
    expect(world.sessions.list()).toMatchObject([{ turnCount: 2, isDamaged: false }]);
    using conversation = await world.sessions.hold('mine');
    conversation.addUserTurn('c');
    expect(contentsOf(world.sessions.get('mine'))).toEqual(['a', 'b', 'c']);
  });

  it('continues the numbering if another program appended to our file', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['a', 'b']);
    const theirs =
      '{"type": "turn", "role": "user", "content": "c", "timestamp": "2026-03-02T00:00:00Z", "tokens": 1}\n';
    world.plant('mine', readFileSync(world.path('mine'), 'utf8') + theirs);
    expect(world.sessions.list()).toMatchObject([
      { turnCount: 3, status: 'completed', lastActivity: '2026-03-02T00:00:00Z' },
    ]);
    using conversation = await world.sessions.hold('mine');
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
    await expect(world.sessions.hold('mine')).rejects.toMatchObject({ code: 'NEWER_VERSION' });
    await expect(world.sessions.recover('mine')).rejects.toMatchObject({ code: 'NEWER_VERSION' });
    expect(readFileSync(world.path('mine'))).toEqual(before);
    expect(world.sessions.get('mine').metadata.agent).toBe('a');
  });

  it('refuses a link', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['secret']);
    symlinkSync(world.path('mine'), world.path('link'));
    await expect(world.sessions.hold('link')).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
    expect(world.sessions.list().map(({ id }) => id)).toEqual(['mine']);
    expect(world.log.named('conversation.unreadable')).toHaveLength(1);
  });

  verifies('C11', 'a second writer fails at once with the owner named', async () => {
    await using world = await conversationWorld();
    using _owner = await world.sessions.create({ id: 'mine', agent: 'a' });
    await expect(world.other().hold('mine')).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`process ${process.pid} on `),
    });
    await expect(world.sessions.remove('mine')).rejects.toMatchObject({ code: 'LOCKED' });
    await expect(world.sessions.recover('mine')).rejects.toMatchObject({ code: 'LOCKED' });
  });

  verifies('C11', 'a second writer that waits gets the session when the first releases it', async () => {
    await using world = await conversationWorld();
    const owner = await world.sessions.create({ id: 'mine', agent: 'a' });
    const waiting = world.other().hold('mine', { waitMs: 1_000_000_000 });
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
    using conversation = await world.sessions.hold('mine');
    expect(conversation.status).toBe('completed');
    conversation.setStatus('completed');
    expect(world.records('mine')).toHaveLength(3);
    conversation.addUserTurn('b');
    expect(world.records('mine').slice(3)).toMatchObject([
      { type: 'status', status: 'active' },
      { type: 'turn' },
    ]);
    conversation.setStatus('interrupted', 'stopped by a signal');
    expect(world.sessions.get('mine')).toMatchObject({
      status: 'interrupted',
      statusReason: 'stopped by a signal',
    });
    expect(world.records('mine')[0]).toMatchObject({ status: 'active' });
  });

  it('is completed if a handwritten file has none, and can be set from there', async () => {
    await using world = await conversationWorld();
    world.plant('theirs', publishedFile('theirs', [['user', 'a']]));
    using conversation = await world.sessions.hold('theirs');
    conversation.setStatus('completed');
    expect(world.records('theirs')).toHaveLength(2);
    conversation.setStatus('interrupted', 'left');
    conversation.setStatus('active');
    expect(world.sessions.get('theirs')).toMatchObject({
      status: 'active',
      statusReason: null,
      turnCount: 1,
    });
  });

  it('is interrupted when the owner is proven dead, and the next owner records that', async () => {
    await using world = await conversationWorld();
    const dead = await deadProcess(world);
    const conversation = await dead.create({ id: 'mine', agent: 'a' });
    conversation.addUserTurn('said before the crash');
    for (const { status } of [world.sessions.get('mine'), ...world.sessions.list()])
      expect(status).toBe('interrupted');
    using next = await world.sessions.hold('mine');
    expect(next.status).toBe('interrupted');
    expect(world.records('mine').at(-1)).toMatchObject({
      type: 'status',
      status: 'interrupted',
      reason: expect.stringContaining('without a word'),
    });
    expect(contentsOf(next.view)).toEqual(['said before the crash']);
  });

  it('stays as stored if a dead owner had finished, and if it never had an owner', async () => {
    await using world = await conversationWorld();
    const dead = await deadProcess(world);
    const conversation = await dead.create({ id: 'mine', agent: 'a' });
    conversation.setStatus('completed');
    expect(world.sessions.list()).toMatchObject([{ status: 'completed' }]);
    world.plant(
      'theirs',
      '{"type":"metadata","session_id":"theirs","agent":"a","created_at":"2026-01-01T00:00:00Z","status":"active"}\n',
    );
    expect(world.sessions.get('theirs').status).toBe('active');
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
    expect(world.sessions.get('mine').agentHandle).toEqual({
      driver: 'claude',
      resumeId: 'two',
      processId: 'ses_x',
    });
  });
});

describe('readers', () => {
  verifies('C12', 'see every saved turn of a session that is being written, and no torn one', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    for (let turn = 1; turn <= 5; turn++) {
      conversation.addUserTurn(`turn ${turn}`);
      expect(world.other().get('mine').turns.at(-1)).toMatchObject({ content: `turn ${turn}` });
      expect(world.sessions.list()).toMatchObject([{ turnCount: turn }]);
    }
    const whole = readFileSync(world.path('mine'), 'utf8');
    world.plant('mine', `${whole}{"type":"turn","role":"user","content":"on its w`);
    expect(world.other().get('mine')).toMatchObject({ turnCount: 5, damage: [] });
    expect(world.sessions.list()).toMatchObject([{ turnCount: 5, isDamaged: false }]);
  });

  it.each([
    ['the whole of it', (sessions: ConversationSessions) => sessions.get('mine')],
    ['its last turns', (sessions: ConversationSessions) => sessions.readLast('mine', 2)],
  ])('of %s, whose writer leaves as soon as they asked for it, call nothing torn', async (_what, read) => {
    await using world = await conversationWorld();
    const conversation = await world.other().create({ id: 'mine', agent: 'a' });
    for (const text of ['one', 'two', 'three']) conversation.addUserTurn(text);
    const whole = readFileSync(world.path('mine'));
    world.plant('mine', whole.subarray(0, -10));
    const ask = world.store.ownerOf.bind(world.store);
    world.store.ownerOf = (id) => {
      const owner = ask(id);
      world.plant('mine', whole);
      conversation[Symbol.dispose]();
      return owner;
    };
    expect(read(world.sessions).damage).toEqual([]);
    expect(read(world.sessions)).toMatchObject({ turnCount: 3, damage: [] });
  });

  it('of the last turns get them with their numbers, whatever comes after them', async () => {
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
    expect(world.sessions.readLast('mine', 1_000).turns).toEqual(world.sessions.get('mine').turns);
    expect(() => world.sessions.readLast('mine', -1)).toThrow('not a valid number of turns');
  });
});

describe('how the agent is started', () => {
  it('is noted once, and the ends of the file show where it belongs', async () => {
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
    const view = world.sessions.get('talk');
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

describe('list', () => {
  verifies('C04', 'shows id, agent, turns, creation and status, most recently active first', async () => {
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

  it('is empty if there is no directory, and skips what is not a session', async () => {
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
    using conversation = await world.sessions.hold('mine');
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
  it('takes an id, the beginning of one, or the most recently active one', async () => {
    await using world = await conversationWorld();
    for (const id of ['alpha-one', 'alpha-two', 'b']) await said(world, id, ['x']);
    world.clock.advance(HOUR_MS);
    using conversation = await world.sessions.hold('alpha-one');
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

  it('finds nothing if there is nothing', async () => {
    await using world = await conversationWorld();
    expect(() => world.sessions.resolve('last')).toThrow('Session not found: last');
  });
});

describe('remove', () => {
  it('moves the file to the trash, from where it can be restored', async () => {
    await using world = await conversationWorld();
    await said(world, 'mine', ['a', 'b']);
    const before = readFileSync(world.path('mine'));
    const entry = await world.sessions.remove('mine');
    expect([world.files(), world.sessions.list()]).toEqual([[], []]);
    expect(world.store.trash.entries()).toEqual([entry]);
    expect(world.store.trash.restore(entry, world.path('mine'))).toBe(true);
    expect(readFileSync(world.path('mine'))).toEqual(before);
    using conversation = await world.sessions.hold('mine');
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
    'older ones go to the trash, newer ones stay, live ones are skipped, and all of it is reported',
    async () => {
      await using world = await conversationWorld();
      await said(world, 'old', ['a']);
      await said(world, 'resumed', ['a']);
      using _live = await world.sessions.create({ id: 'live', agent: 'a' });
      world.clock.advance(31 * DAY_MS);
      await said(world, 'fresh', ['a']);
      (await world.sessions.hold('resumed')).addUserTurn('again');
      world.clock.advance(HOUR_MS);
      const dry = await world.clean({ olderThanMs: 30 * DAY_MS, isDryRun: true });
      expect([dry.retired, world.files().length]).toEqual([['old'], 4]);
      expect(await world.clean({ olderThanMs: 30 * DAY_MS })).toEqual({
        retired: ['old'],
        purged: [],
        skipped: [{ id: 'live', reason: 'somebody has it open' }],
        isComplete: true,
        reached: 'resumed',
      });
      expect(world.files()).toEqual(['fresh.jsonl', 'live.jsonl', 'resumed.jsonl']);
      world.clock.advance(8 * DAY_MS);
      expect(await world.clean({ olderThanMs: 300 * DAY_MS })).toMatchObject({
        retired: [],
        purged: ['old'],
      });
    },
  );

  it('judges a damaged one by the time of its file, and stops when the time is up', async () => {
    await using world = await conversationWorld();
    world.plant('damaged', 'garbage\n');
    world.clock.jumpTo('2099-01-01T00:00:00.000Z');
    expect(await world.clean({ olderThanMs: DAY_MS, limitMs: -1 })).toEqual({
      retired: [],
      purged: [],
      skipped: [],
      isComplete: false,
      reached: null,
    });
    expect(await world.clean({ olderThanMs: DAY_MS })).toMatchObject({ retired: ['damaged'] });
  });

  it('continues where it stopped, and leaves alone what it must', async () => {
    await using world = await conversationWorld();
    for (const id of ['a1', 'b2', 'c3']) await said(world, id, ['x']);
    world.clock.advance(31 * DAY_MS);
    const report = await world.clean({ olderThanMs: 30 * DAY_MS, after: 'a1', except: ['c3'] });
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
    await world.clean({ olderThanMs: 300 * DAY_MS });
    expect(world.files()).toEqual(['keep.jsonl', 'mine.jsonl']);
    expect(readdirSync(`${world.base}/.holdfast/locks`)).toEqual(['mine']);
  });
});
