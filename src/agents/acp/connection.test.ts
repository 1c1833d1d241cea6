import { describe, expect, it } from 'vitest';
import { collect, fakeAcpWorld, texts } from '../../../test/support/fake-acp-agent.js';
import { processFacts, until } from '../../../test/support/processes.js';
import type { AgentConnection } from '../driver.js';
import { ACP_PRESETS } from './presets.js';

describe('an exchange with an ACP agent', () => {
  it('is reported as it happens and ends with the answer', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        agent.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } });
        agent.say('I write.');
        agent.update({
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          title: 'Write',
          kind: 'edit',
          status: 'in_progress',
          rawInput: { p: 1 },
        });
        agent.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' });
        agent.say('from a sub-agent', {});
        agent.update(
          { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'elsewhere' } },
          'another',
        );
        agent.update({ sessionUpdate: 'hologram' });
        agent.update({
          sessionUpdate: 'usage_update',
          used: 7,
          size: 10,
          cost: { amount: 0.5, currency: 'USD' },
        });
        return { stopReason: 'end_turn', usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } };
      },
    });
    const connection = await world.start();
    expect(await collect(connection.prompt('go'))).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'I write.' },
      { type: 'tool-call', id: 't', name: 'Write', kind: 'edit', title: 'Write', input: { p: 1 } },
      { type: 'tool-result', id: 't', isError: false, output: '' },
      // A different message from the one before the tool.
      { type: 'text', text: '\n\nfrom a sub-agent' },
      {
        type: 'usage',
        usage: {
          inputTokens: 3,
          outputTokens: 4,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          contextTokens: 7,
          contextWindow: 10,
          costUsd: 0.5,
        },
      },
      { type: 'turn-end', reason: 'completed', message: null },
    ]);
    expect(await world.receivedOf('session/prompt')).toEqual([
      { sessionId: 's1', prompt: [{ type: 'text', text: 'go' }] },
    ]);
  });

  it('follows another in the same process', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (params, agent) => {
        agent.say(`${params.prompt[0].text}!`);
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start();
    const { pid } = connection;
    expect(texts(await collect(connection.prompt('one')))).toBe('one!');
    expect(texts(await collect(connection.prompt('two')))).toBe('two!');
    expect(connection.pid).toBe(pid);
  });

  it('keeps its last word when the answer comes in the same breath', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        for (let word = 0; word < 1_000; word++) agent.say(`${word} `);
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start();
    for (let round = 0; round < 5; round++) {
      expect(texts(await collect(connection.prompt('count')))).toMatch(/ 998 999 $/);
    }
  });

  it('survives lines that are not messages, and reports the first ten', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        agent.raw('Loading\u{1b}[2J…\n\n{"level":"info"}\n[]\n{"jsonrpc":"2.0","id":99,"result":{}}\n');
        for (let line = 0; line < 100; line++) agent.raw(`noise ${line}\n`);
        agent.say('Hello');
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start();
    const events = await collect(connection.prompt('hi'));
    const errors = events.filter((event) => event.type === 'error').map(({ message }) => message);
    expect(errors).toHaveLength(10);
    expect(errors[0]).toBe('The agent wrote a line that is not a message: Loading^[[2J…');
    expect(errors[9]).toContain('further ones are not shown');
    expect(events.slice(-2)).toMatchObject([{ text: 'Hello' }, { reason: 'completed' }]);
  });

  it('does not care where its output is cut', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': async (_params, agent) => {
        const message = {
          jsonrpc: '2.0',
          method: 'session/update',
          params: {
            sessionId: 's1',
            update: {
              sessionUpdate: 'agent_message_chunk',
              content: { type: 'text', text: 'Grüße \u2028 🎉' },
            },
          },
        };
        for (const byte of Buffer.from(`${JSON.stringify(message)}\r\n`)) {
          process.stdout.write(Buffer.from([byte]));
          if (byte > 127) await agent.sleep(1);
        }
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start();
    expect(texts(await collect(connection.prompt('hi')))).toBe('Grüße \u2028 🎉');
  });

  it.each([
    ['refusal', 'refused'],
    ['max_tokens', 'turn-limit'],
    ['max_turn_requests', 'turn-limit'],
    ['cancelled', 'cancelled'],
    ['bored', 'failed'],
  ])('ends as the agent says: %s', async (stopReason, reason) => {
    await using world = await fakeAcpWorld({
      'session/prompt': (params) => ({ stopReason: params.prompt[0].text }),
    });
    const connection = await world.start();
    expect((await collect(connection.prompt(stopReason))).at(-1)).toMatchObject({ type: 'turn-end', reason });
  });

  it('ends with the error that the agent answers, and the next one is possible', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (params, agent) => {
        if (params.prompt[0].text === 'fine') return { stopReason: 'end_turn' };
        agent.say('Limit reached, resets 2026-11-15T04:30:00Z');
        throw { code: -32603, message: 'Internal error', data: { errorKind: 'rate_limit' } };
      },
    });
    const connection = await world.start();
    expect(await collect(connection.prompt('hi'))).toMatchObject([
      { type: 'text' },
      { type: 'rate-limit', status: 'rejected', resetsAt: '2026-11-15T04:30:00.000Z' },
      { type: 'turn-end', reason: 'rate-limited' },
    ]);
    expect(await collect(connection.prompt('fine'))).toMatchObject([{ reason: 'completed' }]);
  });

  it('says a repeated text once if the agent is known to repeat it', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        for (const piece of ['The answer ', 'is forty', 'The answer ', 'is forty', '-two.']) agent.say(piece);
        return { stopReason: 'end_turn' };
      },
    });
    const gemini = await world.start({}, ACP_PRESETS.gemini);
    expect(texts(await collect(gemini.prompt('hi')))).toBe('The answer is forty-two.');
    const other = await world.start();
    expect(texts(await collect(other.prompt('hi')))).toBe('The answer is fortyThe answer is forty-two.');
  });

  it('is refused during another one, and after the end', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': async (_params, agent) => {
        await agent.cancelled();
        return { stopReason: 'cancelled' };
      },
    });
    const connection = await world.start();
    const running = collect(connection.prompt('one'));
    expect(() => connection.prompt('two')).toThrow(expect.objectContaining({ code: 'AGENT_BUSY' }));
    await connection.cancel();
    expect((await running).at(-1)).toMatchObject({ reason: 'cancelled' });
    await connection.end();
    expect(() => connection.prompt('three')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
  });
});

describe('the death of an ACP agent', () => {
  it('ends the exchange with its last words', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        agent.say('I will');
        process.stderr.write('out of memory\n', () => process.exit(134));
        return agent.NO_ANSWER;
      },
    });
    const connection = await world.start();
    const events = await collect(connection.prompt('hi'));
    expect(events).toEqual([
      { type: 'text', text: 'I will' },
      {
        type: 'turn-end',
        reason: 'died',
        message: 'the agent ended with exit code 134 in the middle of the exchange\nout of memory',
      },
    ]);
    expect(connection.pid).toBe(null);
    expect(() => connection.prompt('more')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
  });

  it('is noticed when it is killed', async () => {
    await using world = await fakeAcpWorld({ 'session/prompt': (_params, agent) => agent.NO_ANSWER });
    const connection = await world.start();
    const events = collect(connection.prompt('hi'));
    process.kill(connection.pid ?? 0, 'SIGKILL');
    expect(await events).toMatchObject([
      { reason: 'died', message: expect.stringContaining('was ended by SIGKILL') },
    ]);
  });

  it('is noticed although a tool holds its pipes open, and the tool is ended too', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        agent.say(String(agent.leaveChild()));
        setTimeout(() => process.exit(1), 50);
        return agent.NO_ANSWER;
      },
    });
    const connection = await world.start();
    const events = await collect(connection.prompt('hi'));
    expect(events.at(-1)).toMatchObject({ reason: 'died', message: expect.stringContaining('exit code 1') });
    expect(Number(texts(events))).toBeGreaterThan(0);
    expect(isAlive(Number(texts(events)))).toBe(false);
  });

  it('does not undo an answer that it managed to give', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        agent.say('Done.');
        setImmediate(() => process.exit(0));
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start();
    expect(await collect(connection.prompt('hi'))).toMatchObject([
      { text: 'Done.' },
      { reason: 'completed' },
    ]);
  });

  it('is the fate of one that closes its output and stays', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        agent.closeOutput();
        return agent.NO_ANSWER;
      },
    });
    const connection = await world.start();
    const { pid } = connection;
    expect(await collect(connection.prompt('hi'))).toMatchObject([
      { reason: 'died', message: expect.stringContaining('closed its output and was killed') },
    ]);
    expect(isAlive(pid)).toBe(false);
  });

  it('between exchanges is noticed with the next one', async () => {
    await using world = await fakeAcpWorld();
    const connection = await world.start();
    process.kill(connection.pid ?? 0, 'SIGKILL');
    await until(() => connection.pid === null);
    expect(() => connection.prompt('hi')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
    expect(await connection.end()).toEqual({ code: null, signal: 'SIGKILL' });
  });
});

function isAlive(pid: AgentConnection['pid']): boolean {
  const state = processFacts(pid ?? 0)?.state;
  return state !== undefined && state !== 'Z';
}
