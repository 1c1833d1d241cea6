import { describe, expect, it } from 'vitest';
import { collect, fakeAcpWorld } from '../../../test/support/fake-acp-agent.js';
import { FakeClock, whileTimePasses } from '../../../test/support/fake-clock.js';
import { until } from '../../../test/support/processes.js';
import { listDirectory, nodeFileSystem } from '../../storage/index.js';
import { ACP_PRESETS, acpDriver } from './index.js';

describe('the start of an ACP agent', () => {
  it('greets, opens a session and keeps what the agent reported', async () => {
    await using world = await fakeAcpWorld();
    const connection = await world.start({
      mcpServers: [{ name: 'holdfast', command: 'holdfast', args: ['mcp'], environment: { A: 'b' } }],
    });
    expect(connection).toMatchObject({
      resumeHandle: { driver: 'acp', id: 's1' },
      facts: { version: '1.2.3', model: null },
      capabilities: { conversation: 'live', resume: 'exact', cancel: 'protocol', takesMcpServers: true },
    });
    expect(connection.pid).toBeGreaterThan(0);
    expect(await world.receivedOf('initialize')).toMatchObject([
      {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      },
    ]);
    expect((await world.receivedOf('initialize'))[0]?.clientCapabilities).not.toHaveProperty('elicitation');
    const servers = [
      { name: 'holdfast', command: 'holdfast', args: ['mcp'], env: [{ name: 'A', value: 'b' }] },
    ];
    expect(await world.receivedOf('session/new')).toEqual([{ cwd: world.directory, mcpServers: servers }]);
  });

  it('passes the arguments and the environment that the agent needs', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': (_params, agent) => {
        agent.say(
          JSON.stringify([process.argv.slice(2), process.env.GEMINI_CLI_NO_RELAUNCH, process.env.OWN]),
        );
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start(
      { args: ['--mine'], model: 'flash', environment: { PATH: process.env.PATH, OWN: '1' } },
      ACP_PRESETS.gemini,
    );
    const [event] = await collect(connection.prompt('hi'));
    expect(JSON.parse((event as { text: string }).text)).toEqual([
      ['--mine', '--acp', '-m', 'flash'],
      'true',
      '1',
    ]);
    expect(connection.facts.model).toBe('flash');
    expect(await world.receivedOf('session/set_model')).toEqual([]);
  });

  it('has no handle if the agent can neither resume nor load', async () => {
    await using world = await fakeAcpWorld({ initialize: () => ({ protocolVersion: 1 }) });
    const connection = await world.start();
    expect(connection.resumeHandle).toBe(null);
    expect(connection.capabilities.resume).toBe('none');
  });

  describe('that fails leaves nothing running', () => {
    it.each([
      ['exits', { initialize: () => process.exit(3) }, /exit code 3/],
      [
        'exits and says why',
        {
          initialize: (_params: unknown, agent: { NO_ANSWER: string }) => {
            process.stderr.write('no such key\n', () => process.exit(1));
            return agent.NO_ANSWER;
          },
        },
        /exit code 1\nno such key/,
      ],
      [
        'refuses to be greeted',
        { initialize: () => Promise.reject(new Error('go away')) },
        /initialize: go away/,
      ],
      ['speaks another version', { initialize: () => ({ protocolVersion: 7 }) }, /version 7/],
      ['answers nonsense', { initialize: () => 7 }, /does not speak/],
      ['opens no session', { 'session/new': () => null }, /opened no session/],
      [
        'refuses a session',
        { 'session/new': () => Promise.reject(Object.assign(new Error('full'), { data: { n: 1 } })) },
        /full \({"n":1}\)/,
      ],
    ])('when the agent %s', async (_name, handlers, message) => {
      await using world = await fakeAcpWorld(handlers);
      const error = await world.start().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'AGENT_NOT_STARTED', message: expect.stringMatching(message) });
      expect(records(world)).toEqual([]);
    });

    it('when there is no such program', async () => {
      await using world = await fakeAcpWorld();
      await expect(world.start({ command: '/no/such/agent' })).rejects.toMatchObject({
        code: 'PROGRAM_NOT_STARTED',
      });
      expect(records(world)).toEqual([]);
    });

    it('when the agent closes its output and stays', async () => {
      const clock = new FakeClock();
      await using world = await fakeAcpWorld(
        {
          initialize: (_params, agent) => {
            agent.closeOutput();
            return agent.NO_ANSWER;
          },
        },
        { clock },
      );
      const start = world.start().catch((reason: unknown) => reason);
      await until(() => clock.slept.includes(1_000));
      clock.advance(1_000);
      expect(await whileTimePasses(clock, 1, start)).toMatchObject({
        message: expect.stringContaining('closed its output'),
      });
      expect(records(world)).toEqual([]);
    });

    it('when the agent never answers', async () => {
      const clock = new FakeClock();
      await using world = await fakeAcpWorld({ initialize: (_params, agent) => agent.NO_ANSWER }, { clock });
      const start = world.start().catch((reason: unknown) => reason);
      await until(() => clock.slept.includes(60_000));
      clock.advance(60_000);
      expect(await whileTimePasses(clock, 1, start)).toMatchObject({
        message: expect.stringContaining('no answer to initialize in 60 s'),
      });
      expect(records(world)).toEqual([]);
    });

    it('when it is cancelled', async () => {
      await using world = await fakeAcpWorld({ 'session/new': (_params, agent) => agent.NO_ANSWER });
      const caller = new AbortController();
      const start = world.start({ signal: caller.signal }).catch((reason: unknown) => reason);
      while ((await world.receivedOf('session/new')).length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      caller.abort();
      expect(await start).toMatchObject({ code: 'ABORTED' });
      expect(records(world)).toEqual([]);
      await expect(world.start({ signal: caller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
    });
  });
});

describe('resuming an ACP session', () => {
  const resume = { driver: 'acp', id: 'old' };

  it('resumes without replay if the agent can', async () => {
    await using world = await fakeAcpWorld({
      initialize: () => ({
        protocolVersion: 1,
        agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
      }),
    });
    const connection = await world.start({ resume, systemPrompt: 'Be brief.' });
    expect(connection.resumeHandle).toEqual(resume);
    expect(await world.receivedOf('session/resume')).toEqual([
      { sessionId: 'old', cwd: world.directory, mcpServers: [] },
    ]);
    expect(await world.receivedOf('session/load')).toEqual([]);
    await collect(connection.prompt('hi'));
    expect(await world.receivedOf('session/prompt')).toMatchObject([{ prompt: [{ text: 'hi' }] }]);
  });

  it('loads it otherwise, and the replay belongs to no exchange', async () => {
    await using world = await fakeAcpWorld({
      'session/load': (_params, agent) => {
        agent.update(
          { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'old question' } },
          'old',
        );
        agent.update(
          { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'old answer' } },
          'old',
        );
        agent.update(
          { sessionUpdate: 'usage_update', used: 5, size: 10, cost: { amount: 2, currency: 'USD' } },
          'old',
        );
        return {};
      },
      'session/prompt': (_params, agent) => {
        agent.update(
          { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'new answer' } },
          'old',
        );
        agent.update(
          { sessionUpdate: 'usage_update', used: 6, size: 10, cost: { amount: 2.5, currency: 'USD' } },
          'old',
        );
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start({ resume });
    expect(await collect(connection.prompt('hi'))).toMatchObject([
      { type: 'text', text: 'new answer' },
      { type: 'usage', usage: { contextTokens: 6, contextWindow: 10, costUsd: 0.5 } },
      { type: 'turn-end', reason: 'completed' },
    ]);
  });

  it('waits for the end of a history that is replayed after the answer', async () => {
    await using world = await fakeAcpWorld({
      'session/load': (_params, agent) => {
        const replay = async () => {
          for (let part = 0; part < 4; part++) {
            await agent.sleep(100);
            agent.update(
              { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'old' } },
              'old',
            );
          }
        };
        void replay();
        return {};
      },
      'session/prompt': async (_params, agent) => {
        await agent.sleep(500);
        agent.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'new' } }, 'old');
        return { stopReason: 'end_turn' };
      },
    });
    const connection = await world.start({ resume }, ACP_PRESETS.gemini);
    const events = await collect(connection.prompt('hi'));
    expect(events.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: 'new' }]);
  });

  it('does not take the session of another driver for its own', async () => {
    await using world = await fakeAcpWorld();
    await expect(world.start({ resume: { driver: 'claude', id: 'old' } })).rejects.toMatchObject({
      message: expect.stringContaining('belongs to the driver claude'),
    });
  });

  it.each([
    ['it cannot resume', { initialize: () => ({ protocolVersion: 1 }) }, /cannot resume/],
    [
      'it does not know the session',
      { 'session/load': () => Promise.reject(new Error('Invalid session identifier')) },
      /Invalid session/,
    ],
  ])('says so when %s', async (_name, handlers, message) => {
    await using world = await fakeAcpWorld(handlers);
    await expect(world.start({ resume })).rejects.toMatchObject({
      code: 'AGENT_NOT_STARTED',
      message: expect.stringMatching(message),
    });
  });
});

it('announces what each agent can do before it is started', () => {
  expect(acpDriver()).toMatchObject({ name: 'acp', capabilities: { reportsUsage: true, reportsCost: true } });
  expect(acpDriver(ACP_PRESETS.gemini).capabilities).toMatchObject({
    reportsUsage: true,
    reportsContextWindow: false,
  });
});

function records(world: { directory: string }): string[] {
  return listDirectory(nodeFileSystem, `${world.directory}/programs`);
}
