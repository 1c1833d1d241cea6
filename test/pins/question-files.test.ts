import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appWorld, speakTo } from '../support/app-world.js';
import { question, questionWorld } from '../support/question-world.js';
import { verifies } from '../support/verifies.js';

const SQLITE = [{ questionIndex: 0, selectedOption: 'SQLite', customText: 'x' }];
const FULL = {
  callId: 'c',
  workingDirectory: '/p',
  requestId: 'r',
  asker: { agent: 'a', version: '1', session: 's' },
  timeoutMs: 60_000,
  isWaiting: true,
};

/** The keys of a file in the order in which they stand there. */
function keysOf(path: string): string[] {
  return Object.keys(JSON.parse(readFileSync(path, 'utf8')));
}

describe('the files of a question set', () => {
  verifies('Q01', 'request.json has these keys, in this order', async () => {
    await using world = await questionWorld();
    const { id: bare } = await world.sessions.create([question()]);
    expect(keysOf(world.path(bare, 'request.json'))).toEqual([
      'sessionId',
      'questions',
      'status',
      'timestamp',
      'version',
    ]);
    const { id: full } = await world.sessions.create([question()], FULL);
    expect(keysOf(world.path(full, 'request.json'))).toEqual([
      'sessionId',
      'questions',
      'status',
      'timestamp',
      'callId',
      'workingDirectory',
      'version',
      'expiresAt',
      'requestId',
      'asker',
    ]);
  });

  verifies('Q01', 'status.json has these keys, in this order', async () => {
    await using world = await questionWorld();
    const { id: bare } = await world.sessions.create([question()]);
    expect(keysOf(world.path(bare, 'status.json'))).toEqual([
      'sessionId',
      'status',
      'createdAt',
      'lastModified',
      'totalQuestions',
      'rejectionReason',
      'version',
    ]);
    const { id: full } = await world.sessions.create([question()], FULL);
    expect(keysOf(world.path(full, 'status.json'))).toEqual([
      'sessionId',
      'status',
      'createdAt',
      'lastModified',
      'totalQuestions',
      'callId',
      'rejectionReason',
      'version',
      'askerProcess',
    ]);
    expect(Object.keys(world.read(full, 'status.json').askerProcess as object)).toEqual([
      'pid',
      'startTime',
      'bootId',
      'pidNamespace',
      'timeNamespace',
      'host',
    ]);
    await world.sessions.noteAsker(full, 'gone');
    await world.sessions.cancel(full, 'x');
    {
      using delivery = await world.sessions.collect(full);
      delivery.confirm();
    }
    expect(keysOf(world.path(full, 'status.json')).sort()).toEqual([
      'abandonedReason',
      'actor',
      'askerGoneAt',
      'callId',
      'collectedAt',
      'createdAt',
      'lastModified',
      'rejectionReason',
      'sessionId',
      'status',
      'totalQuestions',
      'version',
    ]);
    await world.sessions.reject(full, 'late');
    expect(world.read(full, 'status.json')).toMatchObject({
      status: 'rejected',
      late: true,
      rejectionReason: 'late',
    });
  });

  verifies('Q05', 'answers.json has these keys, in this order', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()], { callId: 'c' });
    await world.sessions.expire(id);
    await world.sessions.answer(id, SQLITE);
    expect(keysOf(world.path(id, 'answers.json'))).toEqual([
      'sessionId',
      'answers',
      'timestamp',
      'callId',
      'version',
      'late',
    ]);
    expect(Object.keys((world.read(id, 'answers.json').answers as object[])[0] ?? {})).toEqual([
      'questionIndex',
      'selectedOption',
      'customText',
      'timestamp',
    ]);
  });

  it('the directories have these names', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    await world.sessions.answer(id, SQLITE);
    expect(readdirSync(world.base).sort()).toEqual(['.holdfast', id].sort());
    expect(readdirSync(join(world.base, '.holdfast'))).toEqual([
      expect.stringMatching(/^create\.lock\.\d+$/),
    ]);
    expect(readdirSync(world.path(id)).sort()).toEqual([
      'answers.json',
      'request.json',
      expect.stringMatching(/^session\.lock\.\d+$/),
      'status.json',
    ]);
    world.clock.advance(8 * 24 * 60 * 60 * 1_000);
    await world.clean({ takesUncollected: true });
    expect(readdirSync(world.dir.at('data', 'trash', 'questions'))).toEqual([`20260309T120000000Z-${id}`]);
  });

  it('a request id gives this very session id', async () => {
    await using world = await questionWorld();
    const view = await world.sessions.create([question()], {
      requestId: 'r1',
      asker: { agent: 'claude' },
      workingDirectory: '/p',
    });
    expect(view.id).toBe('06cc9bf0-e5a7-4eaa-a063-f10ca8276f27');
  });
});

describe('what programs read', () => {
  const REPORT = [
    'sessionId',
    'status',
    'questions',
    'answers',
    'rejectionReason',
    'abandonedReason',
    'late',
    'createdAt',
    'lastActivityAt',
    'expiresAt',
    'collectedAt',
    'actor',
    'workingDirectory',
    'asker',
    'isAskerGone',
    'faults',
  ];

  verifies('Q20', '--json of each command', async () => {
    await using world = await appWorld();
    const keys = async (...args: string[]) => {
      const { data } = await world.json(args);
      return Object.keys(Array.isArray(data) ? data[0] : data);
    };
    const set = JSON.stringify({ questions: [question()] });
    expect(await keys('ask', '--no-wait', set)).toEqual(REPORT);
    const [id = ''] = world.services().questions.ids();
    expect(await keys('questions', 'list')).toEqual(REPORT);
    expect(await keys('questions', 'show', id)).toEqual(REPORT);
    expect(await keys('questions', 'verify', id)).toEqual(['sessionId', 'faults']);
    expect(await keys('unlock', id)).toEqual(['sessionId', 'state', 'epoch', 'owner', 'taken']);
    expect(await keys('answer', id, '--option', '1')).toEqual(['success', ...REPORT]);
    expect(await keys('questions', 'collect', id)).toEqual(['isNew', ...REPORT]);
    expect(await keys('questions', 'clean')).toEqual(['retired', 'purged', 'uncollected', 'skipped']);
    expect(await keys('questions', 'cancel', id)).toEqual(['success', 'error', 'code', 'hint']);
    expect(await keys('setup', 'claude')).toEqual(['client', 'files', 'note', 'isInPlace', 'changed']);
    expect(await keys('config', 'show')).toEqual(['file', 'settings']);
  });

  verifies('Q18', 'the tools, their input and their structured content', async () => {
    await using world = await appWorld();
    await using server = await speakTo(world.services());
    const { result } = await server.call('tools/list');
    const shapes = result.tools.map(
      (tool: {
        name: string;
        inputSchema: { properties: object; required?: string[] };
        outputSchema: { properties: { sessions: { items: { properties: object } } } };
      }) => ({
        name: tool.name,
        input: Object.keys(tool.inputSchema.properties),
        required: tool.inputSchema.required ?? [],
        output: Object.keys(tool.outputSchema.properties.sessions.items.properties),
      }),
    );
    const output = ['sessionId', 'status', 'answers', 'rejectionReason', 'abandonedReason', 'late', 'isNew'];
    expect(shapes).toEqual([
      {
        name: 'ask_user_questions',
        input: ['questions', 'nonBlocking', 'requestId'],
        required: ['questions'],
        output,
      },
      { name: 'get_answered_questions', input: ['session_id', 'blocking'], required: [], output },
    ]);
  });
});
