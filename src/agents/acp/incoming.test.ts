import { describe, expect, it } from 'vitest';
import { collect, fakeAcpWorld } from '../../../test/support/fake-acp-agent.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import type { AgentEvent } from '../events.js';
import type { PermissionRequest } from '../permission.js';
import type { Elicitation, ElicitationAnswer } from './answers.js';

/** Asks for permission for the tool kind named in the prompt and repeats the answer. */
const asksPermission = {
  'session/prompt': async (
    params: { prompt: { text: string }[] },
    agent: { ask(method: string, params: object): Promise<object>; say(text: string): void },
  ) => {
    const [kind = '', ...kinds] = (params.prompt[0]?.text ?? '').split(' ');
    const answer = await agent.ask('session/request_permission', {
      sessionId: 's1',
      toolCall: { toolCallId: 't1', title: 'rm -rf x', kind, status: 'pending', rawInput: { command: 'rm' } },
      options: kinds.map((option) => ({ optionId: `id-${option}`, name: option, kind: option })),
    });
    agent.say(JSON.stringify(answer));
    return { stopReason: 'end_turn' };
  },
};

const USUAL = 'allow_always allow_once reject_once reject_always';

describe('a request for permission', () => {
  it.each([
    ['edits', 'edit', 'id-reject_once', 'denied', 'only edits are accepted, and this one contains a command'],
    ['edits', 'delete', 'id-reject_once', 'denied', 'only edits are accepted'],
    ['edits', 'move', 'id-reject_once', 'denied', 'only edits are accepted'],
    ['edits', 'execute', 'id-reject_once', 'denied', 'only edits are accepted'],
    ['edits', 'hologram', 'id-reject_once', 'denied', 'only edits are accepted'],
    ['bypass', 'execute', 'id-allow_once', 'allowed', 'bypass'],
    ['ask', 'edit', 'id-reject_once', 'denied', 'there is nobody to ask'],
  ] as const)('in mode %s for %s is answered with %s', async (mode, kind, optionId, decision, by) => {
    await using world = await fakeAcpWorld(asksPermission);
    const connection = await world.start({ permissions: { mode } });
    const events = await collect(connection.prompt(`${kind} ${USUAL}`));
    expect(answerIn(events)).toMatchObject({ result: { outcome: { outcome: 'selected', optionId } } });
    expect(events[0]).toMatchObject({
      type: 'permission',
      id: 't1',
      title: 'rm -rf x',
      input: { command: 'rm' },
      decision,
      by,
    });
  });

  it.each([true, false])('in mode ask is put to the person, who says %s', async (isAllowed) => {
    const asked: PermissionRequest[] = [];
    await using world = await fakeAcpWorld(asksPermission);
    const ask = async (request: PermissionRequest) => {
      asked.push(request);
      return isAllowed;
    };
    const connection = await world.start({ permissions: { mode: 'ask', ask } });
    const events = await collect(connection.prompt(`execute ${USUAL}`));
    const optionId = isAllowed ? 'id-allow_once' : 'id-reject_once';
    expect(answerIn(events)).toMatchObject({ result: { outcome: { optionId } } });
    expect(asked).toEqual([
      {
        id: 't1',
        name: 'rm -rf x',
        kind: 'execute',
        title: 'rm -rf x',
        input: { command: 'rm' },
        locations: [],
        changes: [],
      },
    ]);
    expect(events[0]).toMatchObject({ decision: isAllowed ? 'allowed' : 'denied', by: 'a person' });
  });

  it.each([
    ['bypass', 'allow_always reject_once', { outcome: 'selected', optionId: 'id-allow_always' }, 'allowed'],
    ['bypass', 'reject_once', { outcome: 'cancelled' }, 'denied'],
    ['edits', 'allow_once reject_always', { outcome: 'selected', optionId: 'id-reject_always' }, 'denied'],
    ['edits', 'allow_once', { outcome: 'cancelled' }, 'denied'],
    ['bypass', 'allow_for_ever allow_once', { outcome: 'selected', optionId: 'id-allow_once' }, 'allowed'],
  ] as const)('in mode %s makes do with what is offered: %s', async (mode, options, outcome, decision) => {
    await using world = await fakeAcpWorld(asksPermission);
    const connection = await world.start({ permissions: { mode } });
    const events = await collect(connection.prompt(`execute ${options}`));
    expect(answerIn(events)).toMatchObject({ result: { outcome } });
    expect(events[0]).toMatchObject({ type: 'permission', decision });
  });

  it.each<[string, Record<string, unknown>, boolean]>([
    ['a location in the project', { locations: [{ path: 'made.txt' }] }, true],
    ['a diff in the project', { content: [{ type: 'diff', path: 'made.txt', newText: 'x' }] }, true],
    ['a file in its input', { rawInput: { filePath: 'made.txt', content: 'x' } }, true],
    ['no place', {}, false],
    ['/etc/passwd', { locations: [{ path: '/etc/passwd' }] }, false],
    [
      'a diff elsewhere',
      { locations: [{ path: 'a' }], content: [{ type: 'diff', path: '/etc/x', newText: '' }] },
      false,
    ],
    ['another file in its input', { locations: [{ path: 'a' }], rawInput: { file_path: '/etc/x' } }, false],
    ['a place that cannot be read', { locations: [{ path: 'a' }, { path: 7 }] }, false],
    ['a command', { locations: [{ path: 'a' }], rawInput: { command: 'rm -rf /' } }, false],
    ['the id of another session', { locations: [{ path: 'a' }], sessionId: 'not-ours' }, false],
  ])('to edit, with %s, is decided by where that is: %s', async (_what, facts, isAllowed) => {
    await using world = await fakeAcpWorld({
      'session/prompt': async ({ prompt, sessionId }, agent) => {
        const { sessionId: named = sessionId, ...fields } = JSON.parse(prompt[0].text);
        const answer = await agent.ask('session/request_permission', {
          sessionId: named,
          toolCall: { toolCallId: 't1', title: 'Edit it', kind: 'edit', ...fields },
          options: [
            { optionId: 'yes', name: 'yes', kind: 'allow_once' },
            { optionId: 'no', name: 'no', kind: 'reject_once' },
          ],
        });
        agent.say(JSON.stringify(answer));
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start({ permissions: { mode: 'edits' } });
    const events = await collect(connection.prompt(JSON.stringify(facts)));
    expect(events[0]).toMatchObject({ type: 'permission', decision: isAllowed ? 'allowed' : 'denied' });
  });

  it('that a person denied with words tells the agent with its next prompt, once', async () => {
    await using world = await fakeAcpWorld(asksPermission);
    const ask = async () => ({ isAllowed: false, message: 'Use wget, not curl' });
    const connection = await world.start({ permissions: { mode: 'ask', ask } });
    const events = await collect(connection.prompt(`execute ${USUAL}`));
    expect(events[0]).toMatchObject({ decision: 'denied', by: 'a person', message: 'Use wget, not curl' });
    await collect(connection.prompt(`execute reject_once`));
    const prompts = await world.receivedOf('session/prompt');
    const words = 'You were not permitted to use rm -rf x. The person says: Use wget, not curl';
    expect(prompts.map(({ prompt }) => (prompt as { text: string }[]).map(({ text }) => text))).toEqual([
      [`execute ${USUAL}`],
      [words, 'execute reject_once'],
    ]);
  });

  it('comes after the call that it is about', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': async (_params, agent) => {
        const told = { toolCallId: 't1', title: 'Bash', kind: 'execute', status: 'pending', rawInput: {} };
        agent.update({ sessionUpdate: 'tool_call', ...told });
        await agent.ask('session/request_permission', {
          sessionId: 's1',
          toolCall: { toolCallId: 't1', title: 'ls', rawInput: { command: 'ls' } },
          options: [{ optionId: 'a', name: 'a', kind: 'allow_once' }],
        });
        agent.update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start({ permissions: { mode: 'bypass' } });
    const facts = { id: 't1', name: 'ls', kind: 'execute', title: 'ls', input: { command: 'ls' } };
    expect(await collect(connection.prompt('hi'))).toEqual([
      { type: 'tool-call', ...facts },
      { type: 'permission', ...facts, decision: 'allowed', by: 'bypass' },
      { type: 'tool-result', id: 't1', isError: false, output: '' },
      { type: 'turn-end', reason: 'completed', message: null },
    ]);
  });

  it('is taken back when the exchange is cancelled, and silence meanwhile means nothing', async () => {
    const clock = new FakeClock();
    await using world = await fakeAcpWorld(asksPermission, { clock });
    let signal: AbortSignal | undefined;
    const ask = (_request: PermissionRequest, wanted: AbortSignal) => {
      signal = wanted;
      return new Promise<boolean>((_resolve, reject) => {
        wanted.addEventListener('abort', () => reject(new Error('called off')));
      });
    };
    const connection = await world.start({ permissions: { mode: 'ask', ask } }, {}, { silenceMs: 1_000 });
    const events = collect(connection.prompt(`execute ${USUAL}`));
    while (signal === undefined) await new Promise((resolve) => setImmediate(resolve));
    for (let hour = 0; hour < 5; hour++) {
      clock.advance(3_600_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(signal.aborted).toBe(false);
    await connection.cancel();
    expect(signal.aborted).toBe(true);
    const all = await events;
    expect(answerIn(all)).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } });
    expect(all.map(({ type }) => type)).toEqual(['text', 'turn-end']);
  });

  it('that nobody could decide about is denied', async () => {
    await using world = await fakeAcpWorld(asksPermission);
    const ask = () => Promise.reject(new Error('the inbox is full'));
    const connection = await world.start({ permissions: { mode: 'ask', ask } });
    const events = await collect(connection.prompt(`execute ${USUAL}`));
    expect(answerIn(events)).toMatchObject({ result: { outcome: { optionId: 'id-reject_once' } } });
    expect(events[0]).toMatchObject({
      decision: 'denied',
      by: 'the person could not be asked: the inbox is full',
    });
  });

  it('for a tool of a server that we gave is granted in every mode', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': async (_params, agent) => {
        const options = [
          { optionId: 'no', name: 'no', kind: 'reject_once' },
          { optionId: 'yes', name: 'yes', kind: 'allow_once' },
        ];
        const toolCall = { toolCallId: 't', title: 'Ask', name: 'mcp__holdfast__ask_user_questions' };
        const asked = { sessionId: 's1', toolCall, options };
        agent.say(JSON.stringify(await agent.ask('session/request_permission', asked)));
        return { stopReason: 'end_turn' };
      },
    });
    const mcpServers = [{ name: 'holdfast', command: 'holdfast', args: ['mcp'], environment: {} }];
    const given = await world.start({ permissions: { mode: 'edits' }, mcpServers });
    expect(answerIn(await collect(given.prompt('hi')))).toMatchObject({
      result: { outcome: { optionId: 'yes' } },
    });
    const other = await world.start({ permissions: { mode: 'edits' } });
    expect(answerIn(await collect(other.prompt('hi')))).toMatchObject({
      result: { outcome: { optionId: 'no' } },
    });
  });

  it('outside an exchange is not granted', async () => {
    await using world = await fakeAcpWorld({
      'session/new': (_params, agent) => {
        const ask = async () => {
          const options = [{ optionId: 'a', name: 'a', kind: 'allow_once' }];
          const answer = await agent.ask('session/request_permission', {
            sessionId: 's1',
            toolCall: { toolCallId: 't' },
            options,
          });
          return JSON.stringify(answer);
        };
        Object.assign(globalThis, { answer: ask() });
        return { sessionId: 's1' };
      },
      'session/prompt': async (_params, agent) => {
        agent.say(await (globalThis as unknown as { answer: Promise<string> }).answer);
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start({ permissions: { mode: 'bypass' } });
    const events = await collect(connection.prompt('hi'));
    expect(answerIn(events)).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } });
  });
});

describe('a question of the agent', () => {
  const asks = {
    'session/prompt': async (
      params: { prompt: { text: string }[] },
      agent: { ask(method: string, params: object): Promise<object>; say(text: string): void },
    ) => {
      const requestedSchema = { type: 'object', properties: { color: { type: 'string' } } };
      const form = {
        sessionId: 's1',
        toolCallId: 't1',
        mode: 'form',
        message: 'Which color?',
        requestedSchema,
      };
      const url = {
        sessionId: 's1',
        mode: 'url',
        message: 'Go there',
        elicitationId: 'e',
        url: 'https://example.test',
      };
      agent.say(
        JSON.stringify(await agent.ask('elicitation/create', params.prompt[0]?.text === 'url' ? url : form)),
      );
      return { stopReason: 'end_turn' };
    },
  };

  it.each<[string, ElicitationAnswer]>([
    ['answered', { action: 'accept', content: { color: 'red' } }],
    ['declined', { action: 'decline' }],
  ])('is put to the person and %s', async (_name, answer) => {
    const asked: Elicitation[] = [];
    await using world = await fakeAcpWorld(asks);
    const onElicitation = async (question: Elicitation) => {
      asked.push(question);
      return answer;
    };
    const connection = await world.start({}, {}, { onElicitation });
    const [init] = await world.receivedOf('initialize');
    expect(init).toMatchObject({ clientCapabilities: { elicitation: { form: {} } } });
    expect(answerIn(await collect(connection.prompt('form')))).toMatchObject({ result: answer });
    expect(asked).toEqual([
      {
        message: 'Which color?',
        requestedSchema: { type: 'object', properties: { color: { type: 'string' } } },
        toolCallId: 't1',
      },
    ]);
  });

  it('is declined if there is nobody, or if it is a page to visit', async () => {
    await using world = await fakeAcpWorld(asks);
    const alone = await world.start();
    expect(answerIn(await collect(alone.prompt('form')))).toMatchObject({ result: { action: 'decline' } });
    const onElicitation = () => Promise.reject(new Error('must not be asked'));
    const connection = await world.start({}, {}, { onElicitation });
    expect(answerIn(await collect(connection.prompt('url')))).toMatchObject({
      result: { action: 'decline' },
    });
  });

  it('is cancelled with its exchange', async () => {
    await using world = await fakeAcpWorld(asks);
    let isAsked = false;
    const onElicitation = () => {
      isAsked = true;
      return new Promise<ElicitationAnswer>(() => {});
    };
    const connection = await world.start({}, {}, { onElicitation });
    const events = collect(connection.prompt('form'));
    while (!isAsked) await new Promise((resolve) => setImmediate(resolve));
    await connection.cancel();
    expect(answerIn(await events)).toMatchObject({ result: { action: 'cancel' } });
  });
});

it.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'hologram/show'])(
  'refuses %s, which was not offered',
  async (method) => {
    await using world = await fakeAcpWorld({
      'session/prompt': async (params, agent) => {
        agent.say(
          JSON.stringify(
            await agent.ask(params.prompt[0].text, {
              sessionId: 's1',
              path: '/x',
              content: '',
              command: 'ls',
            }),
          ),
        );
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start();
    expect(answerIn(await collect(connection.prompt(method)))).toMatchObject({ error: { code: -32601 } });
  },
);

/** What the fake agent says it was answered. */
function answerIn(events: readonly AgentEvent[]): unknown {
  return JSON.parse(events.map((event) => (event.type === 'text' ? event.text : '')).join(''));
}
