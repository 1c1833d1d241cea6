import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collect, fakeAgent } from '../../../test/support/fake-agent.js';
import { processFacts, until } from '../../../test/support/processes.js';
import { CANCEL_GRACE_MS, STOP_GRACE } from '../driver.js';
import type { AgentEvent } from '../events.js';
import { claudeDriver } from './driver.js';

/** Echoes every prompt; an interrupt ends the turn as in the real program. */
const ECHO = `
note({ argv: process.argv.slice(2) });
const end = (fields) => say({ type: 'result', subtype: 'success', is_error: false, ...fields });
hear((message) => {
  if (message.type !== 'user') return note(message);
  say({ type: 'assistant', message: { content: [{ type: 'text', text: message.message.content }] } });
  end({});
});
`;

/** Begins to answer and never stops until it is interrupted. */
const PATIENT = `
let turns = 0;
hear((message) => {
  if (message.type === 'user' && turns++ > 0) {
    say({ type: 'result', subtype: 'success', is_error: false });
  } else if (message.type === 'user') {
    say({ type: 'assistant', message: { content: [{ type: 'text', text: 'Working' }] } });
  } else if (message.request.subtype === 'interrupt') {
    say({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id } });
    say({ type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' });
  }
});
`;

const COMPLETED = { type: 'turn-end', reason: 'completed', message: null };
const text = (words: string) => ({ type: 'text', text: words });

describe('a conversation', () => {
  it('continues over many prompts in one process, under the id we chose', async () => {
    await using agent = await fakeAgent(claudeDriver, ECHO);
    const connection = await agent.start();
    const { pid } = connection;
    expect(await collect(connection.prompt('One\n"two"'))).toEqual([text('One\n"two"'), COMPLETED]);
    expect(await collect(connection.prompt('-x'))).toEqual([text('-x'), COMPLETED]);
    expect(connection.pid).toBe(pid);
    const id = connection.resumeHandle?.id;
    expect(agent.notes()).toEqual([{ argv: expect.arrayContaining(['--session-id', id]) }]);
    expect(await connection.end()).toEqual({ code: 0, signal: null });
    expect(connection.pid).toBeNull();
    expect(() => connection.prompt('more')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
  });

  it('is resumed by exactly its id', async () => {
    await using agent = await fakeAgent(claudeDriver, ECHO);
    const resume = { driver: 'claude', id: '8b3a2c11-0000-4000-8000-000000000000' };
    const connection = await agent.start({ resume });
    expect(connection.resumeHandle).toEqual(resume);
    await collect(connection.prompt('Go on'));
    const [{ argv }] = agent.notes() as [{ argv: string[] }];
    expect(argv.slice(argv.indexOf('--resume')).slice(0, 2)).toEqual(['--resume', resume.id]);
    expect(argv).not.toContain('--session-id');
    expect(argv).not.toContain('--continue');
  });

  it('takes one prompt at a time', async () => {
    await using agent = await fakeAgent(claudeDriver, PATIENT);
    const connection = await agent.start();
    const first = collect(connection.prompt('One'));
    expect(() => connection.prompt('Two')).toThrow(expect.objectContaining({ code: 'AGENT_BUSY' }));
    await connection.cancel();
    expect(await first).toMatchObject([text('Working'), { reason: 'cancelled' }]);
  });

  it('does not start without a program, or with the conversation of another driver', async () => {
    await using agent = await fakeAgent(claudeDriver, ECHO);
    await expect(agent.start({ command: agent.dir.at('nothing') })).rejects.toMatchObject({
      code: 'PROGRAM_NOT_STARTED',
    });
    for (const resume of [
      { driver: 'codex', id: 'a' },
      { driver: 'claude', id: '--continue' },
    ]) {
      await expect(agent.start({ resume })).rejects.toMatchObject({ code: 'AGENT_NOT_STARTED' });
    }
    await expect(agent.start({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('a cancelled turn', () => {
  it('ends, and the process stays', async () => {
    await using agent = await fakeAgent(claudeDriver, PATIENT);
    const connection = await agent.start();
    const events: AgentEvent[] = [];
    for await (const event of connection.prompt('One')) {
      events.push(event);
      if (event.type === 'text') await connection.cancel();
    }
    expect(events).toMatchObject([text('Working'), { type: 'turn-end', reason: 'cancelled' }]);
    expect(await collect(connection.prompt('Two'))).toEqual([COMPLETED]);
    await connection.cancel();
  });

  it.each(['leaving the loop', 'the signal'])('is cancelled by %s', async (how) => {
    await using agent = await fakeAgent(claudeDriver, PATIENT);
    const connection = await agent.start();
    const controller = new AbortController();
    for await (const event of connection.prompt('One', { signal: controller.signal })) {
      if (how === 'leaving the loop') break;
      if (event.type === 'text') controller.abort();
    }
    await connection.cancel();
    expect(await collect(connection.prompt('Two', { signal: AbortSignal.abort() }))).toEqual([
      { type: 'turn-end', reason: 'cancelled', message: null },
    ]);
    expect(await collect(connection.prompt('Two'))).toEqual([COMPLETED]);
  });

  it('ends with the process if that does not obey', async () => {
    const body = `hear(() => say({ type: 'assistant', message: { content: [{ type: 'text', text: 'No' }] } }));`;
    await using agent = await fakeAgent(claudeDriver, body, { fastMs: [CANCEL_GRACE_MS] });
    const connection = await agent.start();
    const events: AgentEvent[] = [];
    for await (const event of connection.prompt('One')) {
      if (event.type === 'text' && events.length === 0) void connection.cancel();
      events.push(event);
    }
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'cancelled' });
    expect(() => connection.prompt('Two')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
  });

  it.each(['end', 'terminate'] as const)('%s() ends it too', async (how) => {
    await using agent = await fakeAgent(claudeDriver, PATIENT);
    const connection = await agent.start();
    const events = collect(connection.prompt('One'));
    await connection[how]();
    expect((await events).at(-1)).toMatchObject({ type: 'turn-end', reason: 'cancelled' });
  });
});

describe('a process that leaves', () => {
  it('in the middle of an answer has died, and its last words are reported', async () => {
    const body = `hear(() => {
      say({ type: 'assistant', message: { content: [{ type: 'text', text: 'Hel' }] } });
      process.stdout.write('{"type":"assistant","mess');
      process.stderr.write('out of memory\\n', () => process.exit(3));
    });`;
    await using agent = await fakeAgent(claudeDriver, body);
    const connection = await agent.start();
    expect(await collect(connection.prompt('One'))).toEqual([
      text('Hel'),
      { type: 'error', message: expect.stringContaining('A line of 25 characters'), status: null },
      { type: 'turn-end', reason: 'died', message: 'Claude Code ended with exit code 3:\nout of memory' },
    ]);
    expect(() => connection.prompt('Two')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
  });

  it.each(['at once', 'when it is gone'])(
    'because it does not know the conversation fails the first turn, prompted %s',
    async (when) => {
      const message = 'No conversation found with session ID: 8b3a';
      const body = `
        say({ type: 'result', subtype: 'error_during_execution', is_error: true, errors: ['${message}'] });
        process.exitCode = 1;
      `;
      await using agent = await fakeAgent(claudeDriver, body);
      const connection = await agent.start({ resume: { driver: 'claude', id: '8b3a' } });
      while (when !== 'at once' && connection.pid !== null) await new Promise(setImmediate);
      expect(await collect(connection.prompt('One'))).toEqual([
        { type: 'turn-end', reason: 'failed', message },
      ]);
    },
  );

  it('before the first prompt has died then', async () => {
    const body = `process.stderr.write('cannot be used with root', () => process.exit(1));`;
    await using agent = await fakeAgent(claudeDriver, body);
    const connection = await agent.start();
    while (connection.pid !== null) await new Promise(setImmediate);
    expect(await collect(connection.prompt('One'))).toEqual([
      { type: 'turn-end', reason: 'died', message: expect.stringContaining('cannot be used with root') },
    ]);
    expect(() => connection.prompt('Two')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
  });

  it('leaves no tool of its own behind', async () => {
    const body = `hear(() => {
      const child = require('node:child_process').spawn('sleep', ['300'], { detached: true, stdio: 'inherit' });
      note(child.pid);
      process.kill(process.pid, 'SIGKILL');
    });`;
    await using agent = await fakeAgent(claudeDriver, body);
    const connection = await agent.start();
    expect(await collect(connection.prompt('One'))).toMatchObject([
      { reason: 'died', message: 'Claude Code was ended by SIGKILL' },
    ]);
    const [pid] = agent.notes() as [number];
    await until(() => ['Z', undefined].includes(processFacts(pid)?.state));
    await until(() => readdirSync(agent.dir.at('programs')).length === 0);
  });

  it.each([
    ['its output', `hear(() => {}); require('node:fs').closeSync(1); wait();`],
    ['its input', `require('node:fs').closeSync(0); note('closed'); wait();`],
  ])('only by closing %s has died', async (_, body) => {
    const fastMs = [STOP_GRACE.graceMs, STOP_GRACE.termMs];
    await using agent = await fakeAgent(claudeDriver, body, { fastMs });
    const connection = await agent.start();
    while (body.includes('note') && agent.notes().length === 0) await new Promise(setImmediate);
    const end = (await collect(connection.prompt('One'))).at(-1);
    expect(end).toMatchObject({ type: 'turn-end', reason: 'died' });
  });
});
