import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collect, fakeAgent } from '../../../test/support/fake-agent.js';
import { CANCEL_GRACE_MS, STOP_GRACE } from '../driver.js';
import type { AgentEvent } from '../events.js';
import type { PermissionRequest } from '../permission.js';
import { codexDriver } from './driver.js';

/** Notes every request, opens the thread, and runs the body for each turn; `on` hears the answers to its own requests. */
function program(turn: string, more = ''): string {
  return `
    note({ argv: process.argv.slice(2) });
    const tell = (method, params = {}) => say({ method, params: { threadId: 'thread-1', turnId: 'turn-1', ...params } });
    const ask = (id, method, params) => say({ id, method, params: { threadId: 'thread-1', turnId: 'turn-1', ...params } });
    const speak = (text) => tell('item/completed', { item: { type: 'agentMessage', id: 'm-' + text, text } });
    const end = (status = 'completed', error = null) => tell('turn/completed', { turn: { id: 'turn-1', status, error } });
    let on = () => {};
    const ANSWERS = {
      initialize: () => ({ userAgent: 'holdfast/0.166.0 (Debian)' }),
      'config/read': () => ({ config: { sandbox_workspace_write: { network_access: true, exclude_slash_tmp: true } } }),
      'thread/start': () => ({ thread: { id: 'thread-1', model: 'gpt' } }),
      'thread/resume': ({ threadId }) => ({ thread: { id: threadId } }),
      'turn/start': () => ({ turn: { id: 'turn-1' } }),
      'turn/interrupt': () => ({}),
      'turn/steer': () => ({}),
    };
    ${more}
    hear((message) => {
      note(message);
      const { id, method, params } = message;
      if (method === undefined) return on(message);
      if (id === undefined) return;
      const result = ANSWERS[method](params);
      if (result !== undefined) say({ id, result });
      if (method === 'turn/interrupt') end('interrupted');
      if (method === 'turn/start') {
        tell('turn/started', { turn: { id: 'turn-1', status: 'inProgress' } });
        const [{ text }] = params.input;
        ${turn}
      }
    });
  `;
}

const ECHO = program('speak(text); end();');
const COMPLETED = { type: 'turn-end', reason: 'completed', message: null };
const said = (text: string) => ({ type: 'text', messageId: `m-${text}`, text });
const sent = (notes: unknown[], method: string) =>
  (notes as { method?: string; params?: Record<string, unknown> }[]).flatMap((message) =>
    message.method === method ? [message.params] : [],
  );

describe('a conversation', () => {
  it('is one process for all prompts, and none of them is on its command line', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const connection = await agent.start({ model: 'gpt-5.5', systemPrompt: 'Be brief.' });
    expect(connection).toMatchObject({
      facts: { version: '0.166.0', model: 'gpt-5.5' },
      resumeHandle: { driver: 'codex', id: 'thread-1' },
      pid: expect.any(Number),
    });
    expect(await collect(connection.prompt('--one'))).toEqual([said('--one'), COMPLETED]);
    expect(await collect(connection.prompt('two'))).toEqual([said('two'), COMPLETED]);
    expect(await connection.end()).toEqual({ code: 0, signal: null });
    expect((agent.notes() as { argv?: string[] }[])[0]?.argv).toEqual(['app-server']);
    expect(sent(agent.notes(), 'thread/start')).toMatchObject([
      { developerInstructions: 'Be brief.', model: 'gpt-5.5', sandbox: 'read-only' },
    ]);
    expect(() => connection.prompt('more')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
    expect(readdirSync(agent.dir.at('programs'))).toEqual([]);
  });

  it.each([
    [
      'edits',
      'on-request',
      { type: 'workspaceWrite', networkAccess: true, excludeSlashTmp: true, writableRoots: [] },
    ],
    ['ask', 'untrusted', { type: 'dangerFullAccess' }],
    ['bypass', 'on-request', { type: 'dangerFullAccess' }],
  ] as const)('says with each turn what it may do: %s', async (mode, approvalPolicy, sandboxPolicy) => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const connection = await agent.start({ permissions: { mode } });
    await collect(connection.prompt('one'));
    expect(sent(agent.notes(), 'turn/start')).toMatchObject([
      { approvalPolicy, sandboxPolicy, approvalsReviewer: 'user' },
    ]);
  });

  it("passes its servers key by key, so that the user's own stay", async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    await agent.start({
      mcpServers: [{ name: 'my.server', command: 'node', args: ['a b'], environment: { HOME: '/h' } }],
    });
    const [params] = sent(agent.notes(), 'thread/start');
    expect(params?.config).toEqual({
      'mcp_servers.my_server.command': 'node',
      'mcp_servers.my_server.args': ['a b'],
      'mcp_servers.my_server.env': { HOME: '/h' },
      'mcp_servers.my_server.tool_timeout_sec': 86_400,
      'mcp_servers.my_server.default_tools_approval_mode': 'approve',
    });
  });

  it('is resumed by its id', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const resume = { driver: 'codex', id: '01a1dd13-48d7' };
    const connection = await agent.start({ resume });
    expect(connection.resumeHandle).toEqual(resume);
    expect(sent(agent.notes(), 'thread/resume')).toMatchObject([
      { threadId: '01a1dd13-48d7', sandbox: 'read-only' },
    ]);
  });

  it('that is resumed does not count earlier usage again, however late its total arrives', async () => {
    const turn = `
      const used = (turnId, input, sum) => {
        const [last, total] = [input, sum].map((inputTokens) => ({ inputTokens, outputTokens: 1 }));
        tell('thread/tokenUsage/updated', { turnId, tokenUsage: { last, total } });
      };
      used('turn-0', 70, 70);
      used('turn-1', 90, 160);
      end();`;
    const early = `
      const ofEarlier = { last: { inputTokens: 50, outputTokens: 1 }, total: { inputTokens: 50, outputTokens: 1 } };
      ANSWERS['turn/start'] = () => (tell('thread/tokenUsage/updated', { tokenUsage: ofEarlier }), { turn: { id: 'turn-1' } });`;
    await using agent = await fakeAgent(codexDriver, program(turn, early));
    const connection = await agent.start({ resume: { driver: 'codex', id: 'thread-1' } });
    const events = await collect(connection.prompt('on'));
    expect(events.filter(({ type }) => type === 'usage')).toMatchObject([
      { usage: { inputTokens: 90, outputTokens: 1 } },
    ]);
  });

  it('that Codex does not know, or that belongs to another driver, does not start', async () => {
    const unknown = `ANSWERS['thread/resume'] = ({ threadId }) => (say({ id: 3, error: { code: -32600, message: 'no rollout found for thread id ' + threadId } }), undefined);`;
    await using agent = await fakeAgent(codexDriver, program('end();', unknown));
    await expect(agent.start({ resume: { driver: 'codex', id: '01a1' } })).rejects.toMatchObject({
      code: 'AGENT_NOT_STARTED',
      message: expect.stringContaining('no rollout found for thread id 01a1'),
    });
    for (const resume of [
      { driver: 'claude', id: 'a' },
      { driver: 'codex', id: '--last' },
    ]) {
      await expect(agent.start({ resume })).rejects.toMatchObject({ code: 'AGENT_NOT_STARTED' });
    }
    await expect(agent.start({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(readdirSync(agent.dir.at('programs'))).toEqual([]);
  });

  it('does not start with a program that leaves, and says what it wrote', async () => {
    await using agent = await fakeAgent(
      codexDriver,
      `process.stderr.write('no such command', () => process.exit(2))`,
    );
    await expect(agent.start()).rejects.toMatchObject({
      code: 'AGENT_NOT_STARTED',
      message: expect.stringMatching(/ended with exit code 2:\nno such command/),
    });
  });

  it('does not wait forever for a program that says nothing', async () => {
    await using agent = await fakeAgent(codexDriver, 'wait();', { fastMs: [60_000] });
    await expect(agent.start()).rejects.toMatchObject({
      code: 'AGENT_NOT_STARTED',
      message: expect.stringContaining('no answer to initialize in 60 s'),
    });
  });
});

describe('a cancelled turn', () => {
  it('is interrupted, and the process stays', async () => {
    await using agent = await fakeAgent(
      codexDriver,
      program(`text === 'one' ? speak('Working') : (speak(text), end());`),
    );
    const connection = await agent.start();
    const { pid } = connection;
    const events: AgentEvent[] = [];
    for await (const event of connection.prompt('one')) {
      events.push(event);
      if (event.type === 'text') await connection.cancel();
    }
    expect(events).toEqual([said('Working'), { type: 'turn-end', reason: 'cancelled', message: null }]);
    expect(sent(agent.notes(), 'turn/interrupt')).toEqual([{ threadId: 'thread-1', turnId: 'turn-1' }]);
    expect(await collect(connection.prompt('two'))).toEqual([said('two'), COMPLETED]);
    expect(connection.pid).toBe(pid);
  });

  it('that has not begun is interrupted when it does', async () => {
    await using agent = await fakeAgent(codexDriver, program(''));
    const connection = await agent.start();
    const events = collect(connection.prompt('one'));
    await connection.cancel();
    expect(await events).toEqual([{ type: 'turn-end', reason: 'cancelled', message: null }]);
  });

  it('is killed if it does not react', async () => {
    const body = program(`speak('Working');`, '').replace(
      "if (method === 'turn/interrupt') end('interrupted');",
      '',
    );
    await using agent = await fakeAgent(codexDriver, body, { fastMs: [CANCEL_GRACE_MS, STOP_GRACE.graceMs] });
    const connection = await agent.start();
    const events: AgentEvent[] = [];
    for await (const event of connection.prompt('one')) {
      events.push(event);
      if (event.type === 'text') await connection.cancel();
    }
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'cancelled' });
    expect(connection.pid).toBeNull();
  });
});

describe('a request from the agent', () => {
  const asks = (method: string, params: string, item = '') =>
    program(
      `${item} on = (answer) => { speak(JSON.stringify(answer.result ?? answer.error)); end(); }; ask(7, '${method}', ${params});`,
    );
  const started = (item: string) => `tell('item/started', { item: ${item} });`;
  const COMMAND = 'item/commandExecution/requestApproval';
  const run = (command: string, more = '') =>
    asks(COMMAND, `{ itemId: 'c', kind: 'command', command: ${JSON.stringify(command)}${more} }`);
  const answersIn = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === 'text' ? [JSON.parse(event.text) as unknown] : []));

  async function decide(body: string, mode: 'edits' | 'ask' | 'bypass', isAllowed = true, more = {}) {
    await using agent = await fakeAgent(codexDriver, body);
    const asked: PermissionRequest[] = [];
    const ask = async (request: PermissionRequest) => {
      asked.push(request);
      return isAllowed;
    };
    const connection = await agent.start({ permissions: { mode, ask }, ...more });
    const events = await collect(connection.prompt('go'));
    return { asked, events, answers: answersIn(events), notes: agent.notes() };
  }

  it('is decided by the person, once', async () => {
    const { asked, answers } = await decide(run("/bin/bash -lc 'npm i'", ", reason: 'Network'"), 'ask');
    expect(asked).toEqual([
      {
        id: 'c',
        name: 'command_execution',
        kind: 'execute',
        title: 'npm i',
        input: { command: 'npm i', reason: 'Network' },
      },
    ]);
    expect(answers).toEqual([{ decision: 'accept' }]);
  });

  it('that is denied is explained in words first', async () => {
    const { answers, notes } = await decide(run('ls'), 'ask', false);
    expect(answers).toEqual([{ decision: 'decline' }]);
    const order = (notes as { id?: number; method?: string }[]).map(({ id, method }) => method ?? id);
    expect(order.slice(-2)).toEqual(['turn/steer', 7]);
    expect(sent(notes, 'turn/steer')).toMatchObject([
      { input: [{ type: 'text', text: 'Not permitted: a person' }] },
    ]);
  });

  it.each([
    ["cwd: '/elsewhere'", { cwd: '/elsewhere' }],
    ["kind: 'writeStdin'", { kind: 'writeStdin' }],
    [
      'additionalPermissions: { network: { enabled: true } }',
      { additionalPermissions: { network: { enabled: true } } },
    ],
  ])('with %s is not mistaken for what it was told to run', async (params, input) => {
    const written = "/bin/bash -lc 'npm test'";
    const { asked } = await decide(run(written, `, ${params}`), 'ask');
    expect(asked).toMatchObject([{ kind: 'other', input: { command: written, ...input } }]);
  });

  it('about a file comes with the change and its paths; deleting or moving one is not an edit', async () => {
    const change = (path: string, kind = "{ type: 'add' }") =>
      `[{ path: ${JSON.stringify(path)}, kind: ${kind}, diff: 'made' }]`;
    const file = (changes: string) =>
      asks(
        'item/fileChange/requestApproval',
        "{ itemId: 'f' }",
        started(`{ type: 'fileChange', id: 'f', changes: ${changes} }`),
      );
    const kindOf = async (changes: string) =>
      (await decide(file(changes), 'ask')).asked.map(({ kind }) => kind);
    expect(await kindOf(change('made.txt'))).toEqual(['edit']);
    expect(await kindOf(change('a', "{ type: 'delete' }"))).toEqual(['delete']);
    const moved = change('a', "{ type: 'update', move_path: '/elsewhere/b' }");
    expect(await kindOf(moved)).toEqual(['move']);
    expect((await decide(file(moved), 'ask')).asked).toMatchObject([{ locations: ['a', '/elsewhere/b'] }]);
    // Outside the working directory a person is asked even where edits are accepted.
    expect((await decide(file(change('made.txt')), 'edits')).asked).toEqual([]);
    for (const path of ['/elsewhere/made.txt', '../made.txt', '.git/hooks/pre-commit'])
      expect((await decide(file(change(path)), 'edits')).asked).toMatchObject([{ locations: [path] }]);
    const { asked, answers } = await decide(file('[]'), 'ask');
    expect([asked, answers]).toEqual([[], [{ decision: 'decline' }]]);
  });

  it('about a server that it was given needs no person, but about another one it does', async () => {
    const params =
      "{ serverName: 'given', mode: 'form', message: 'Allow?', _meta: { codex_approval_kind: 'mcp_tool_call', tool_params: { q: 1 } } }";
    const item = started(
      "{ type: 'mcpToolCall', id: 'm', server: 'given', tool: 'ask', arguments: { q: 1 } }",
    );
    const body = asks('mcpServer/elicitation/request', params, item);
    const given = { mcpServers: [{ name: 'given', command: 'node', args: [], environment: {} }] };
    const ours = await decide(body, 'edits', false, given);
    expect([ours.asked, ours.answers]).toMatchObject([[], [{ action: 'accept' }]]);
    const theirs = await decide(body, 'ask', false);
    expect(theirs.asked).toMatchObject([{ id: 'm', name: 'mcp__given__ask', input: { q: 1 } }]);
    expect(theirs.answers).toMatchObject([{ action: 'decline' }]);
  });

  it('for more than a command is granted for this turn, or not at all', async () => {
    const permissions = '{ network: { enabled: true }, fileSystem: null }';
    const body = asks(
      'item/permissions/requestApproval',
      `{ itemId: 'p', cwd: '/w', reason: 'why', permissions: ${permissions} }`,
    );
    expect((await decide(body, 'ask')).answers).toEqual([
      { permissions: { network: { enabled: true } }, scope: 'turn' },
    ]);
    expect((await decide(body, 'edits', false)).answers).toEqual([{ permissions: {}, scope: 'turn' }]);
  });

  it.each([
    ['item/tool/requestUserInput', '{ questions: [] }', { answers: {} }],
    [
      'mcpServer/elicitation/request',
      "{ serverName: 'x', mode: 'form', message: 'Name?' }",
      { action: 'decline' },
    ],
    [COMMAND, '{}', { decision: 'decline' }],
    ['new/request', '{}', { message: 'new/request is not supported' }],
  ])('as %s %s is answered although nobody here can', async (method, params, answer) => {
    const { asked, answers, events } = await decide(asks(method, params), 'ask');
    expect([asked, answers]).toMatchObject([[], [answer]]);
    expect(events.at(-1)).toEqual(COMPLETED);
  });

  it('that is taken back is no longer answered', async () => {
    const body = program(
      `ask(7, '${COMMAND}', { itemId: 'c', command: 'ls' }); setTimeout(() => { tell('serverRequest/resolved', { requestId: 7 }); end(); }, 50);`,
    );
    await using agent = await fakeAgent(codexDriver, body);
    let signal: AbortSignal | undefined;
    const ask = (_: PermissionRequest, given: AbortSignal) => {
      signal = given;
      return new Promise<boolean>(() => {});
    };
    const connection = await agent.start({ permissions: { mode: 'ask', ask } });
    expect(await collect(connection.prompt('go'))).toEqual([COMPLETED]);
    expect(signal?.aborted).toBe(true);
  });
});

describe('a turn that is refused', () => {
  it('fails with the reason, and the next one may work', async () => {
    const refuse = `ANSWERS['turn/start'] = ({ input: [{ text }] }) => (text === 'one' ? undefined : { turn: { id: 'turn-1' } });`;
    const body = program(
      `text === 'one' ? say({ id, error: { message: 'unexpected status 401' } }) : (speak(text), end());`,
      refuse,
    );
    await using agent = await fakeAgent(codexDriver, body);
    const connection = await agent.start();
    expect((await collect(connection.prompt('one'))).at(-1)).toEqual({
      type: 'turn-end',
      reason: 'failed',
      message: 'unexpected status 401',
    });
    expect((await collect(connection.prompt('two'))).at(-1)).toEqual(COMPLETED);
  });
});

describe('a process that leaves', () => {
  it('in a turn has died, and what it said is reported', async () => {
    const body = program(`speak('Hel'); process.stderr.write('panicked', () => process.exit(0));`);
    await using agent = await fakeAgent(codexDriver, body);
    const connection = await agent.start();
    expect(await collect(connection.prompt('one'))).toEqual([
      said('Hel'),
      { type: 'turn-end', reason: 'died', message: 'Codex ended with exit code 0:\npanicked' },
    ]);
    expect(() => connection.prompt('two')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
  });

  it('only by closing its output has died', async () => {
    const body = program(`speak('Hel'); setTimeout(() => require('node:fs').closeSync(1), 50); wait();`);
    await using agent = await fakeAgent(codexDriver, body, { fastMs: [STOP_GRACE.graceMs] });
    const connection = await agent.start();
    expect(await collect(connection.prompt('one'))).toMatchObject([said('Hel'), { reason: 'died' }]);
  });
});
