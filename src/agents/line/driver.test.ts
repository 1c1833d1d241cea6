import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type AgentWorld,
  agentWorld,
  converse,
  eventually,
  Following,
} from '../../../test/support/agents.js';
import { FakeClock, whileTimePasses } from '../../../test/support/fake-clock.js';
import type { DriverTools, StartOptions } from '../driver.js';
import { lineDriver } from './driver.js';
import type { LineOptions } from './options.js';

/** A shell script as the agent. */
function startOptions(world: AgentWorld, script: string): StartOptions {
  return {
    command: 'sh',
    args: ['-c', script],
    workingDirectory: world.workingDirectory,
    environment: { PATH: process.env.PATH },
    permissions: { mode: 'edits' },
    mcpServers: [],
  };
}

function start(
  world: AgentWorld,
  script: string,
  options: LineOptions = {},
  tools: Partial<DriverTools> = {},
) {
  return world.start(lineDriver(options), startOptions(world, script), tools);
}

/** Echoes every line. */
const ECHO = 'while read -r line; do echo "got $line"; echo "[DONE]"; done';
const REPL = `printf 'Welcome\\n>>> '; while read -r line; do printf 'got %s\\n>>> ' "$line"; done`;

describe('the line driver', () => {
  it('takes a marker without a line end for a waiting prompt', async () => {
    await using world = await agentWorld();
    const connection = await start(world, REPL, { showsMarkerWhenReady: true });
    expect((await converse(connection, 'one')).text).toBe('got one\n');
    expect((await converse(connection, 'two')).text).toBe('got two\n');
  });

  it('does not take the beginning of a line for a prompt', async () => {
    await using world = await agentWorld();
    const clock = new FakeClock();
    const script = `read -r line; printf '>>> '; until [ -e go ]; do :; done; printf 'more\\n[DONE]\\n'; cat`;
    const connection = await start(world, script, {}, { clock });
    const turn = new Following(connection.prompt('one'));
    await clock.untilAsleep();
    clock.advance(49);
    writeFileSync(join(world.workingDirectory, 'go'), '');
    await turn.end();
    expect(turn.text).toBe('>>> more\n');
  });

  it('ends an answer after silence, if that is configured', async () => {
    await using world = await agentWorld();
    const clock = new FakeClock();
    const connection = await start(
      world,
      'while read -r line; do echo "got $line"; done',
      { idleMs: 2_000 },
      { clock },
    );
    const turn = new Following(connection.prompt('one'));
    await turn.until('text');
    await clock.untilAsleep();
    clock.advance(1_999);
    expect(clock.sleepers).toBe(1);
    clock.advance(1);
    expect(await turn.end()).toMatchObject({ reason: 'completed' });
  });

  it.each([
    ['exit 0', {}, 'died', 'exit code 0'],
    ['exit 0', { exitCompletes: true }, 'completed', null],
    ['echo sorry >&2; exit 4', { exitCompletes: true }, 'failed', 'exit code 4:\nsorry'],
    ['kill -9 $$', { exitCompletes: true }, 'died', 'SIGKILL'],
  ] as const)('after %j with %j has %s', async (last, options, reason, message) => {
    await using world = await agentWorld();
    const connection = await start(world, `read -r line; echo "got $line"; ${last}`, options);
    const turn = await converse(connection, 'one');
    expect(turn.text).toBe('got one\n');
    expect(turn.last).toMatchObject({
      reason,
      message: message === null ? null : expect.stringContaining(message),
    });
  });

  it('passes on what follows the last line end', async () => {
    await using world = await agentWorld();
    const connection = await start(world, `read -r line; printf 'half a line'`, { exitCompletes: true });
    expect((await converse(connection, 'one')).text).toBe('half a line\n');
  });

  it('drops what was shown between two answers', async () => {
    await using world = await agentWorld();
    const script = `while read -r line; do echo "got $line"; echo "[DONE]"; printf 'meanwhile '; done`;
    let shown = '';
    const onOutput = (_: string, chunk: Buffer) => {
      shown += chunk;
    };
    const connection = await world.start(lineDriver(), { ...startOptions(world, script), onOutput });
    await converse(connection, 'one');
    await eventually(() => shown.includes('meanwhile'));
    expect((await converse(connection, 'two')).text).toBe('got two\n');
  });

  it('reports the latest use of the context before the end of the turn', async () => {
    await using world = await agentWorld();
    const script =
      'read -r line; echo "Context: 10%"; echo "Context: 20%"; echo "[DONE]"; read -r line; echo "[DONE]"; cat';
    const connection = await start(world, script, { context: { windowTokens: 1_000 } });
    const first = await converse(connection, 'one');
    expect(first.of('usage').map(({ usage }) => usage.contextTokens)).toEqual([200]);
    expect((await converse(connection, 'two')).of('usage')).toEqual([]);
    expect(connection.capabilities.reportsContextWindow).toBe(true);
  });

  it('says goodbye before it closes the input', async () => {
    await using world = await agentWorld();
    const script = 'while read -r line; do [ "$line" = /quit ] && exit 7; echo "[DONE]"; done; exit 8';
    const connection = await start(world, script, { goodbye: '/quit' });
    await converse(connection, 'one');
    expect(await connection.end()).toEqual({ code: 7, signal: null });
  });

  it('puts the system prompt before the first prompt', async () => {
    await using world = await agentWorld();
    const options = { ...startOptions(world, ECHO), systemPrompt: 'Be brief.' };
    const connection = await world.start(lineDriver(), options);
    expect((await converse(connection, 'one')).text).toBe('got Be brief.  one\n');
    expect((await converse(connection, 'two')).text).toBe('got two\n');
  });

  it('does not send a prompt that would end too early', async () => {
    await using world = await agentWorld();
    const connection = await start(world, ECHO, { promptTerminator: '.' });
    expect((await converse(connection, 'a\n.\nb')).last).toMatchObject({ reason: 'failed' });
  });

  it('does not start a program that ends before it is ready', async () => {
    await using world = await agentWorld();
    const starting = start(world, 'echo broken >&2; exit 1', { showsMarkerWhenReady: true });
    await expect(starting).rejects.toMatchObject({
      code: 'AGENT_NOT_STARTED',
      message: expect.stringContaining('broken'),
    });
    expect(world.alive()).toEqual([]);
  });

  it('does not wait forever for a program to be ready', async () => {
    await using world = await agentWorld();
    const clock = new FakeClock();
    const starting = start(world, 'exec sleep 1000', { showsMarkerWhenReady: true }, { clock });
    await clock.untilAsleep();
    clock.advance(60_000);
    await expect(whileTimePasses(clock, 1, starting)).rejects.toMatchObject({ code: 'AGENT_NOT_STARTED' });
    expect(world.alive()).toEqual([]);
  });

  it('ends a turn whose program no longer reads', async () => {
    await using world = await agentWorld();
    const clock = new FakeClock();
    const connection = await start(world, 'exec <&-; exec sleep 1000', {}, { clock });
    const turn = new Following(connection.prompt('x'.repeat(1_000_000)));
    await clock.untilAsleep();
    clock.advance(500);
    await whileTimePasses(clock, 1, turn.end());
    expect(turn.last).toMatchObject({ reason: 'died', message: expect.stringContaining('no longer reads') });
    expect(world.alive()).toEqual([]);
  });
});
