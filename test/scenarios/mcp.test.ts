import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { PATIENT } from '../support/deadlines.js';
import { HOLDFAST, type Json, type Machine, machine } from '../support/holdfast-binary.js';
import { type Agent, type AgentOptions, connectAgent, ERAS } from '../support/mcp-agent.js';
import { question } from '../support/question-world.js';
import { verifies } from '../support/verifies.js';

const SET = [question()];
const SQLITE = ['--option', 'SQLite'];

/** The id of the only pending set, once it is there. */
function pendingId(world: Machine): Promise<string> {
  return vi.waitFor(() => {
    const ids = world.ids().filter((id) => world.readFile(id, 'status.json').status === 'pending');
    const [only] = ids;
    if (only === undefined || ids.length > 1) throw new Error(`${ids.length} sets are pending`);
    return only;
  }, PATIENT);
}

/** Long enough for a busy machine; what is waited for comes at once or not at all. */

/** An agent that has asked and waits. */
async function asking(world: Machine, options: AgentOptions = {}, parameters: Record<string, unknown> = {}) {
  const agent = await connectAgent(world, options);
  const before = new Set(safeIds(world));
  const controller = new AbortController();
  const reply = agent.ask({ questions: SET, ...parameters }, { signal: controller.signal });
  const failed = reply.then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  const id = await vi.waitFor(() => {
    const [added] = safeIds(world).filter((one) => !before.has(one));
    if (added === undefined) throw new Error('not asked yet');
    return added;
  }, PATIENT);
  return { agent, reply, failed, id, abort: () => controller.abort() };
}

function safeIds(world: Machine): string[] {
  try {
    return world.ids();
  } catch {
    return []; // nothing was ever asked
  }
}

function isAlive(pid: number): boolean {
  try {
    // A zombie still has a pid; its state says that it has ended.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function untilEnded(agent: Agent): Promise<void> {
  await vi.waitFor(() => expect(isAlive(agent.pid)).toBe(false), PATIENT);
}

describe.each(ERAS)('an agent of the %s protocol', (era) => {
  verifies(
    'Q18',
    `asks, is answered by another process, and gets the answer once as new (${era})`,
    async () => {
      await using world = await machine();
      const { agent, reply, id } = await asking(world, { era });
      await using _agent = agent;
      expect((await world.aside(['answer', id, ...SQLITE])).code).toBe(0);
      const answered = await reply;
      expect(answered).toEqual({
        isError: false,
        text: `[Session: ${id.slice(0, 8)} | Questions: 1]\n\nHere are the user's answers:\n\n1. Which database?\n→ SQLite`,
        session: answered.session,
        sessions: [answered.session],
      });
      expect(answered.session).toEqual({
        sessionId: id,
        status: 'completed',
        answers: [{ questionIndex: 0, selectedOption: 'SQLite', timestamp: expect.any(String) }],
        rejectionReason: null,
        abandonedReason: null,
        late: false,
        isNew: true,
      });
      const again = await agent.fetch({ session_id: id });
      expect(again).toEqual({
        ...answered,
        session: { ...answered.session, isNew: false },
        sessions: [{ ...answered.session, isNew: false }],
      });
      expect((await agent.fetch()).text).toBe('No new answers.');
      expect(world.readFile(id, 'request.json')).toMatchObject({
        asker: { agent: 'claude-code', version: '2.0.0' },
        workingDirectory: world.project,
        callId: expect.any(String),
      });
    },
  );

  verifies('Q18', `may ask without blocking and fetch later, by prefix or blocking (${era})`, async () => {
    await using world = await machine();
    await using agent = await connectAgent(world, { era });
    const asked = await agent.ask({ questions: SET, nonBlocking: true });
    const id: string = asked.session.sessionId;
    expect(asked.session).toMatchObject({ status: 'pending', isNew: false, answers: null });
    expect(asked.text).toContain(`[Session: ${id.slice(0, 8)} | Questions: 1 | Status: pending]`);
    expect(asked.text).toContain(`get_answered_questions(session_id="${id.slice(0, 8)}")`);
    expect((await agent.fetch({ session_id: id.slice(0, 4) })).session).toMatchObject({ status: 'pending' });
    expect((await agent.fetch()).sessions).toEqual([]);
    const blocked = agent.fetch({ session_id: id, blocking: true });
    await vi.waitFor(
      () => expect(world.readFile(id, 'status.json').askerProcess.pid).toBe(agent.pid),
      PATIENT,
    );
    await world.aside(['answer', id, ...SQLITE]);
    expect((await blocked).session).toMatchObject({ status: 'completed', isNew: true });
    expect((await agent.fetch()).sessions).toEqual([]);
  });

  verifies('Q18', `is told of a rejection, with its reason quoted (${era})`, async () => {
    await using world = await machine();
    const { agent, reply, id } = await asking(world, { era });
    await using _agent = agent;
    await world.aside(['answer', id, '--reject', '--reason', 'not "now"\nplease']);
    const rejected = await reply;
    expect(rejected).toMatchObject({
      isError: false,
      text: `[Session: ${id.slice(0, 8)} | Status: rejected]\n\nUser rejected this question set.\n\nRejection reason: "not \\"now\\"\\nplease"`,
      session: { status: 'rejected', rejectionReason: 'not "now"\nplease', isNew: true, answers: null },
    });
    expect((await agent.fetch({ session_id: id })).session).toMatchObject({
      status: 'rejected',
      isNew: false,
    });
  });

  verifies(
    'Q18',
    `gets a pending handle before its limit, and the late answer afterwards (${era})`,
    async () => {
      await using world = await machine();
      world.configure({ mcp: { handBackSeconds: { codex: 0.2 } } });
      await using agent = await connectAgent(world, { era, name: 'codex-mcp-client' });
      const handed = await agent.ask({ questions: SET });
      const id: string = handed.session.sessionId;
      expect(handed.session).toMatchObject({ status: 'pending', isNew: false });
      expect(handed.isError).toBe(false);
      expect(world.readFile(id, 'status.json').status).toBe('pending');
      await world.aside(['answer', id, ...SQLITE]);
      const news = await agent.fetch();
      expect(news.sessions).toMatchObject([{ sessionId: id, status: 'completed', isNew: true }]);
      expect((await agent.fetch()).sessions).toEqual([]);
    },
  );

  verifies('Q18', `that cancels leaves the question answerable and is marked as gone (${era})`, async () => {
    await using world = await machine();
    const { agent, failed, id, abort } = await asking(world, { era });
    await using _agent = agent;
    abort();
    expect(await failed).toBeInstanceOf(Error);
    await vi.waitFor(() => expect(world.readFile(id, 'status.json')).toHaveProperty('askerGoneAt'), PATIENT);
    expect(world.readFile(id, 'status.json').status).toBe('pending');
    await world.aside(['answer', id, ...SQLITE]);
    expect((await agent.fetch()).sessions).toMatchObject([
      { sessionId: id, status: 'completed', isNew: true },
    ]);
  });

  verifies(
    'Q18',
    `that disconnects leaves the question answerable, is marked as gone, and its server ends (${era})`,
    async () => {
      await using world = await machine();
      const { agent, failed, id } = await asking(world, { era });
      await agent.client.close();
      expect(await failed).toBeInstanceOf(Error);
      await untilEnded(agent);
      expect(world.readFile(id, 'status.json')).toMatchObject({
        status: 'pending',
        askerGoneAt: expect.any(String),
      });
      expect((await world.aside(['answer', id, ...SQLITE])).code).toBe(0);
      await using later = await connectAgent(world, { era });
      expect((await later.fetch()).sessions).toMatchObject([{ sessionId: id, isNew: true }]);
    },
  );

  verifies(
    'Q18',
    `whose server gets SIGTERM leaves the question answerable and is marked as gone (${era})`,
    async () => {
      await using world = await machine();
      const { agent, id } = await asking(world, { era });
      agent.kill('SIGTERM');
      await agent.closed;
      await untilEnded(agent);
      expect(world.readFile(id, 'status.json')).toMatchObject({
        status: 'pending',
        askerGoneAt: expect.any(String),
      });
    },
  );

  verifies('Q18', `whose server is killed finds question and answer at a new server (${era})`, async () => {
    await using world = await machine();
    const first = await asking(world, { era }, { requestId: 'deploy-1' });
    first.agent.kill('SIGKILL');
    await first.agent.closed;
    // Killed before the answer: the same request is the same question, and the asker is known to be gone.
    expect((await world.asideJson(['questions', 'list'])).data).toMatchObject([
      { sessionId: first.id, isAskerGone: true },
    ]);
    const second = await connectAgent(world, { era });
    const retried = second.ask({ questions: SET, requestId: 'deploy-1' });
    await vi.waitFor(
      () => expect(world.readFile(first.id, 'status.json').askerProcess.pid).toBe(second.pid),
      PATIENT,
    );
    expect(world.ids()).toEqual([first.id]);
    second.kill('SIGKILL');
    await second.closed;
    await retried.catch(() => {});
    // Killed while waiting, answered while nobody runs, collected by a third server.
    await world.aside(['answer', first.id, ...SQLITE]);
    await using third = await connectAgent(world, { era });
    const answered = await third.ask({ questions: SET, requestId: 'deploy-1' });
    expect(answered.session).toMatchObject({ sessionId: first.id, status: 'completed', isNew: true });
    const again = await third.ask({ questions: SET, requestId: 'deploy-1' });
    expect(again.text).toBe(answered.text);
    expect(again.session).toEqual({ ...answered.session, isNew: false });
  });

  verifies('Q18', `gets errors as isError with a code, and hostile ids touch nothing (${era})`, async () => {
    await using world = await machine();
    world.configure({ question: { maxSessions: 1 } });
    await using agent = await connectAgent(world, { era });
    const { session } = await agent.ask({ questions: SET, nonBlocking: true, requestId: 'r' });
    const cases: [string, Record<string, unknown>, string][] = [
      ['ask_user_questions', { questions: [] }, 'INVALID_INPUT'],
      ['ask_user_questions', { questions: [question({ options: [{ label: 'one' }] })] }, 'INVALID_INPUT'],
      ['ask_user_questions', { questions: Array.from({ length: 6 }, () => question()) }, 'INVALID_INPUT'],
      ['ask_user_questions', { questions: 'Go?' }, 'INVALID_INPUT'],
      ['ask_user_questions', {}, 'INVALID_INPUT'],
      ['ask_user_questions', { questions: [{ ...question(), '\u001b[2J': 1 }] }, 'INVALID_INPUT'],
      ['ask_user_questions', { questions: SET, nonBlocking: 'yes' }, 'INVALID_INPUT'],
      ['ask_user_questions', { questions: SET, nonBlocking: true, requestId: '' }, 'INVALID_INPUT'],
      [
        'ask_user_questions',
        { questions: SET, nonBlocking: true, requestId: 'x'.repeat(5_000) },
        'INVALID_INPUT',
      ],
      ['ask_user_questions', { questions: SET, nonBlocking: true }, 'TOO_MANY_SESSIONS'],
      [
        'ask_user_questions',
        { questions: [question({ title: 'Other' })], requestId: 'r' },
        'REQUEST_ID_REUSED',
      ],
      ['get_answered_questions', { session_id: '' }, 'INVALID_SESSION_ID'],
      ['get_answered_questions', { session_id: 'abc' }, 'INVALID_SESSION_ID'],
      ['get_answered_questions', { session_id: '../../../etc/passwd' }, 'INVALID_SESSION_ID'],
      ['get_answered_questions', { session_id: 'a\u0000b\u001b[2J\u202e' }, 'INVALID_SESSION_ID'],
      ['get_answered_questions', { session_id: 'f'.repeat(4_096) }, 'INVALID_SESSION_ID'],
      ['get_answered_questions', { session_id: '__proto__' }, 'INVALID_SESSION_ID'],
      ['get_answered_questions', { session_id: ['a'] }, 'INVALID_INPUT'],
      ['get_answered_questions', { session_id: 5 }, 'INVALID_INPUT'],
      ['get_answered_questions', { session_id: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' }, 'SESSION_NOT_FOUND'],
    ];
    const found: [string, boolean, string][] = [];
    for (const [tool, parameters] of cases) {
      const reply = await agent.call(tool, parameters);
      found.push([tool, reply.isError, /^Error \((\w+)\): /.exec(reply.text)?.[1] ?? reply.text]);
      expect(reply.text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    }
    expect(found).toEqual(cases.map(([tool, , code]) => [tool, true, code]));
    expect(world.ids()).toEqual([session.sessionId]);
  });

  verifies(
    'Q18',
    `is told of a set that timed out or was withdrawn, and of the late answer as new (${era})`,
    async () => {
      await using world = await machine();
      world.configure({ question: { timeoutSeconds: 0.3 } });
      const timed = await asking(world, { era });
      await using agent = timed.agent;
      const first = await timed.reply;
      expect(first.session).toMatchObject({ status: 'timed_out', isNew: true });
      expect(first.text).toContain('Nobody answered in time. A late answer is still accepted');
      expect(world.readFile(timed.id, 'status.json').status).toBe('timed_out');
      await world.aside(['answer', timed.id, ...SQLITE]);
      const late = await agent.fetch();
      expect(late.sessions).toMatchObject([
        { sessionId: timed.id, status: 'completed', late: true, isNew: true },
      ]);
      expect(late.text).toContain(`[Session: ${timed.id.slice(0, 8)} | Questions: 1 | Late]`);
      world.configure({});
      const other = await asking(world, { era });
      await using _other = other.agent;
      await world.run(['questions', 'cancel', other.id, '--reason', 'not needed']);
      expect(await other.reply).toMatchObject({
        text: `[Session: ${other.id.slice(0, 8)} | Status: abandoned]\n\nThis question set was withdrawn: not needed`,
        session: { status: 'abandoned', abandonedReason: 'not needed' },
      });
    },
  );

  verifies('Q18', `that passes a progress token gets notices while it waits (${era})`, async () => {
    await using world = await machine();
    await using agent = await connectAgent(world, { era });
    const notices: Json[] = [];
    const reply = agent.ask({ questions: SET }, { onprogress: (notice) => notices.push(notice) });
    const id = await pendingId(world);
    await vi.waitFor(() => expect(notices).toHaveLength(1), PATIENT);
    await world.aside(['answer', id, ...SQLITE]);
    await reply;
    expect(notices).toEqual([{ progress: 1, message: `Waiting for the person (session ${id.slice(0, 8)})` }]);
  });

  verifies('Q18', `sees two tools with their schemas and hints (${era})`, async () => {
    await using world = await machine();
    world.configure({ question: { maxQuestions: 7, maxOptions: 3 } });
    await using agent = await connectAgent(world, { era });
    const { tools } = await agent.client.listTools();
    expect(tools.map((tool) => [tool.name, tool.annotations])).toEqual([
      [
        'ask_user_questions',
        { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
      ],
      [
        'get_answered_questions',
        { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      ],
    ]);
    const [ask, fetch] = tools;
    expect(ask?.description).toContain('1 to 7 questions with 2 to 3 options');
    expect(Object.keys(ask?.inputSchema.properties ?? {})).toEqual(['questions', 'nonBlocking', 'requestId']);
    expect(ask?.inputSchema.required).toEqual(['questions']);
    expect(Object.keys(fetch?.inputSchema.properties ?? {})).toEqual(['session_id', 'blocking']);
    expect(ask?.outputSchema).toEqual(fetch?.outputSchema);
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'holdfast' });
    expect(agent.client.getInstructions()).toContain('ask_user_questions');
  });
});

describe('a client that negotiates', () => {
  it('gets the newer protocol', async () => {
    await using world = await machine();
    await using agent = await connectAgent(world, { era: 'auto' });
    expect(agent.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect((await agent.ask({ questions: SET, nonBlocking: true })).isError).toBe(false);
  });
});

describe('a delivery that does not arrive', () => {
  it('is announced again: another outcome of the same reply could not be told', async () => {
    await using world = await machine();
    await using agent = await connectAgent(world);
    const { session: good } = await agent.ask({ questions: SET, nonBlocking: true });
    const { session: bad } = await agent.ask({ questions: SET, nonBlocking: true });
    await world.aside(['answer', good.sessionId, ...SQLITE]);
    const timestamp = new Date().toISOString();
    // As AUQ would write it: unchecked.
    writeFileSync(
      join(world.questions, bad.sessionId, 'answers.json'),
      JSON.stringify({
        sessionId: bad.sessionId,
        answers: [{ questionIndex: 0, selectedOption: 'MySQL', timestamp }],
        timestamp,
      }),
    );
    const news = await agent.fetch();
    expect(news.sessions).toMatchObject([{ sessionId: good.sessionId, isNew: true }]);
    expect((await agent.fetch({ session_id: bad.sessionId })).session).toMatchObject({ status: 'pending' });
  });
});

describe('the server on its streams', () => {
  verifies('Q18', 'writes nothing but JSON-RPC to stdout, and ends after stdin was closed', async () => {
    await using world = await machine();
    const server = world.start(['mcp'], { env: { HOLDFAST_DEBUG: '1' } });
    const send = (message: object) =>
      server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    await server.printed('stdout', /"id":1/);
    send({ method: 'notifications/initialized' });
    send({
      id: 2,
      method: 'tools/call',
      params: { name: 'ask_user_questions', arguments: { questions: SET, nonBlocking: true } },
    });
    send({ id: 3, method: 'tools/call', params: { name: 'get_answered_questions', arguments: {} } });
    send({ id: 4, method: 'no/such/method' });
    server.child.stdin.write('this is not JSON\n');
    send({ id: 5, method: 'ping' });
    for (const id of [2, 3, 4, 5]) await server.printed('stdout', new RegExp(`"id":${id}\\b`));
    server.child.stdin.end();
    const ended = await server.ended;
    expect(ended.code).toBe(0);
    const messages = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const message of messages) expect(message.jsonrpc).toBe('2.0');
    expect(messages.map((message) => message.id).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  verifies('Q18', 'ends at once when stdin is closed before anything was said', async () => {
    await using world = await machine();
    expect(await world.run(['mcp'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    verifies('Q18', `ends cleanly on ${signal}`, async () => {
      await using world = await machine();
      const server = world.start(['mcp']);
      server.child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } })}\n`,
      );
      await server.printed('stdout', /"id":1/);
      server.child.kill(signal);
      expect(await server.ended).toMatchObject({ code, signal: null, stderr: '' });
    });
  }

  it('lives on when nobody reads its stderr any more', async () => {
    await using world = await machine();
    world.configure({ question: { retentionDays: 0.000001 } });
    for (let count = 0; count < 2; count++) {
      const { data } = await world.json(['ask', '--no-wait', JSON.stringify({ questions: SET })]);
      await world.aside(['answer', data.sessionId, '--reject']);
    }
    const server = world.start(['mcp'], { env: { HOLDFAST_DEBUG: '1' } });
    server.child.stderr.destroy();
    server.child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } })}\n`,
    );
    await server.printed('stdout', /"id":1/);
    server.child.stdin.write('this is not JSON, and that is worth a line on stderr\n');
    server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
    await server.printed('stdout', /"id":2/);
    server.child.stdin.end();
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  it('an answer that was written into a closed pipe is announced again', async () => {
    await using world = await machine();
    const { data } = await world.json(['ask', '--no-wait', JSON.stringify({ questions: SET })]);
    const id: string = data.sessionId;
    const server = world.start(['mcp']);
    const send = (message: object) =>
      server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'claude', version: '1' },
      },
    });
    await server.printed('stdout', /"id":1/);
    send({ method: 'notifications/initialized' });
    send({
      id: 2,
      method: 'tools/call',
      params: { name: 'get_answered_questions', arguments: { session_id: id, blocking: true } },
    });
    await vi.waitFor(() => expect(world.readFile(id, 'status.json')).toHaveProperty('askerProcess'), PATIENT);
    server.child.stdout.destroy();
    await world.aside(['answer', id, ...SQLITE]);
    await server.ended;
    expect((await world.asideJson(['questions', 'collect', id])).data).toMatchObject({
      isNew: true,
      status: 'completed',
    });
  });
});

describe('the program that agents start', () => {
  it('is the built one', () => {
    expect(readFileSync(HOLDFAST, 'utf8')).toContain('#!/usr/bin/env node');
  });
});
