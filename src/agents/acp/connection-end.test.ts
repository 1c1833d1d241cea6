import { describe, expect, it } from 'vitest';
import { collect, type FakeAcpWorld, fakeAcpWorld } from '../../../test/support/fake-acp-agent.js';
import { FakeClock, whileTimePasses } from '../../../test/support/fake-clock.js';
import { processFacts, until } from '../../../test/support/processes.js';
import type { AgentConnection } from '../driver.js';
import type { AgentEvent } from '../events.js';
import { ACP_PRESETS } from './presets.js';

describe('cancelling an exchange', () => {
  const obeys = {
    'session/prompt': async (
      _params: unknown,
      agent: { say(text: string): void; cancelled(): Promise<void> },
    ) => {
      agent.say('working');
      await agent.cancelled();
      agent.say(' until told');
      return { stopReason: 'cancelled' };
    },
  };

  it('is requested over the protocol, and the process stays', async () => {
    await using world = await fakeAcpWorld(obeys);
    const connection = await world.start();
    const seen: AgentEvent[] = [];
    for await (const event of connection.prompt('hi')) {
      seen.push(event);
      if (seen.length === 1) void connection.cancel();
    }
    expect(seen).toEqual([
      { type: 'text', text: 'working' },
      { type: 'text', text: ' until told' },
      { type: 'turn-end', reason: 'cancelled', message: null },
    ]);
    expect(await world.receivedOf('session/cancel')).toEqual([{ sessionId: 's1' }]);
    expect(connection.pid).toBeGreaterThan(0);
    await connection.cancel();
  });

  it('happens when its reader leaves', async () => {
    await using world = await fakeAcpWorld(obeys);
    const connection = await world.start();
    for await (const event of connection.prompt('hi')) if (event.type === 'text') break;
    await connection.cancel();
    expect(await world.receivedOf('session/cancel')).toHaveLength(1);
  });

  it('happens when its signal fires, even beforehand', async () => {
    await using world = await fakeAcpWorld(obeys);
    const connection = await world.start();
    const caller = new AbortController();
    const events = collect(connection.prompt('hi', { signal: caller.signal }));
    caller.abort();
    expect((await events).at(-1)).toMatchObject({ reason: 'cancelled' });
    const again = await collect(connection.prompt('hi', { signal: caller.signal }));
    expect(again.at(-1)).toMatchObject({ reason: 'cancelled' });
  });

  it.each([
    ['an error', () => Promise.reject(new Error('aborted'))],
    ['end_turn', () => ({ stopReason: 'end_turn' })],
  ])('is the outcome even when the agent answers it with %s', async (_name, answer) => {
    await using world = await fakeAcpWorld({
      'session/prompt': async (_params, agent) => {
        await agent.cancelled();
        return ANSWER();
      },
    });
    await replaceIn(world, 'ANSWER()', `(${answer.toString()})()`);
    const connection = await world.start();
    const events = collect(connection.prompt('hi'));
    await connection.cancel();
    expect(await events).toEqual([{ type: 'turn-end', reason: 'cancelled', message: null }]);
  });

  it('kills an agent that does not obey in five seconds', async () => {
    const clock = new FakeClock();
    await using world = await fakeAcpWorld(
      { 'session/prompt': (_params, agent) => agent.NO_ANSWER },
      { clock },
    );
    const connection = await world.start();
    const { pid } = connection;
    const events = collect(connection.prompt('hi'));
    const cancelled = connection.cancel();
    await until(() => clock.slept.includes(5_000));
    clock.advance(4_999);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isAlive(pid)).toBe(true);
    clock.advance(1);
    await whileTimePasses(clock, 1, cancelled);
    expect(await events).toEqual([{ type: 'turn-end', reason: 'cancelled', message: null }]);
    expect(isAlive(pid)).toBe(false);
  });
});

describe('an agent that makes no progress', () => {
  it('is cancelled, and the exchange fails', async () => {
    const clock = new FakeClock();
    await using world = await fakeAcpWorld(
      {
        'session/prompt': async (_params, agent) => {
          agent.say('Hm');
          setInterval(() => agent.update({ sessionUpdate: 'usage_update', used: 1, size: 2 }), 1);
          await agent.cancelled();
          return { stopReason: 'cancelled' };
        },
      },
      { clock },
    );
    const connection = await world.start({}, ACP_PRESETS.opencode);
    const ended = collect(connection.prompt('hi'));
    await heard(world, 'session/prompt');
    // The agent is a separate process: stop moving the clock once it has been given five seconds to obey.
    while (!clock.slept.includes(5_000)) {
      clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const events = await ended;
    expect(events.at(-1)).toEqual({
      type: 'turn-end',
      reason: 'failed',
      message: 'the agent gave no sign of progress for 150 s',
    });
    expect(connection.pid).toBeGreaterThan(0);
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(150_000);
  });

  it('is killed when it does not obey', async () => {
    const clock = new FakeClock();
    await using world = await fakeAcpWorld(
      { 'session/prompt': (_params, agent) => agent.NO_ANSWER },
      { clock },
    );
    const connection = await world.start({}, {}, { silenceMs: 10_000 });
    const ended = collect(connection.prompt('hi'));
    await heard(world, 'session/prompt');
    clock.advance(10_000);
    // The agent is a separate process: do not move the clock again until it has heard the cancel.
    await heard(world, 'session/cancel');
    expect(await whileTimePasses(clock, 1_000, ended)).toEqual([
      { type: 'turn-end', reason: 'failed', message: 'the agent gave no sign of progress for 10 s' },
    ]);
    expect(connection.pid).toBe(null);
    expect(await world.receivedOf('session/cancel')).toHaveLength(1);
  });

  it('is left alone if no limit is set', async () => {
    const clock = new FakeClock();
    await using world = await fakeAcpWorld(
      {
        'session/prompt': async (_params, agent) => {
          await agent.sleep(100);
          return { stopReason: 'end_turn' };
        },
      },
      { clock },
    );
    const connection = await world.start({}, ACP_PRESETS.opencode, { silenceMs: null });
    const events = await whileTimePasses(clock, 100_000, collect(connection.prompt('hi')));
    expect(events.at(-1)).toMatchObject({ reason: 'completed' });
  });
});

describe('ending an ACP agent', () => {
  it('closes the session if the agent announced that, then its input', async () => {
    await using world = await fakeAcpWorld({
      initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } }),
      closed: () => process.exit(7),
    });
    const connection = await world.start();
    expect(await connection.end()).toEqual({ code: 7, signal: null });
    expect(await world.receivedOf('session/close')).toEqual([{ sessionId: 's1' }]);
    expect(connection.pid).toBe(null);
    expect(await connection.end()).toEqual({ code: 7, signal: null });
  });

  it('uses SIGTERM if the agent does not leave on its own', async () => {
    const clock = new FakeClock();
    await using world = await fakeAcpWorld({ closed: () => setInterval(() => {}, 1_000) }, { clock });
    const connection = await world.start();
    const end = connection.end();
    await until(() => clock.slept.includes(3_000));
    clock.advance(3_000);
    expect(await whileTimePasses(clock, 1, end)).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await world.receivedOf('session/close')).toEqual([]);
  });

  it('cancels a running exchange', async () => {
    await using world = await fakeAcpWorld({
      'session/prompt': async (_params, agent) => {
        await agent.cancelled();
        return { stopReason: 'cancelled' };
      },
    });
    const connection = await world.start();
    const events = collect(connection.prompt('hi'));
    await connection.end();
    expect(await events).toMatchObject([{ reason: 'cancelled' }]);
  });

  it('at once does not ask the agent', async () => {
    await using world = await fakeAcpWorld({ 'session/prompt': (_params, agent) => agent.NO_ANSWER });
    const connection = await world.start();
    const events = collect(connection.prompt('hi'));
    expect(await connection.terminate()).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await events).toEqual([{ type: 'turn-end', reason: 'cancelled', message: null }]);
    expect(await world.receivedOf('session/cancel')).toEqual([]);
  });
});

declare function ANSWER(): unknown;

async function replaceIn(world: FakeAcpWorld, what: string, by: string): Promise<void> {
  const { readFile, writeFile } = await import('node:fs/promises');
  const source = await readFile(world.program, 'utf8');
  await writeFile(
    world.program,
    source.replace(what, () => by),
  );
}

async function heard(world: FakeAcpWorld, method: string): Promise<void> {
  while ((await world.receivedOf(method)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 1));
}

function isAlive(pid: AgentConnection['pid']): boolean {
  const state = processFacts(pid ?? 0)?.state;
  return state !== undefined && state !== 'Z';
}
