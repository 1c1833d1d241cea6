import { readdirSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collect, type FakeAgent, fakeAgent } from '../../../test/support/fake-agent.js';
import { processFacts } from '../../../test/support/processes.js';
import { STOP_GRACE } from '../driver.js';
import type { AgentEvent } from '../events.js';
import { codexDriver } from './driver.js';

/** Runs the body for a prompt; tells its version when asked. */
function program(body: string): string {
  return `
    const argv = process.argv.slice(2);
    if (argv.includes('--version')) {
      say('codex-cli 0.166.0');
      process.exit(0);
    }
    const id = argv[1] === 'resume' ? argv[argv.indexOf('--') - 1] : 'thread-1';
    const begin = () => say({ type: 'thread.started', thread_id: id }, { type: 'turn.started' });
    const speak = (text) => say({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } });
    const end = (input_tokens = 10) => say({ type: 'turn.completed', usage: { input_tokens, output_tokens: 1 } });
    ${body}
  `;
}

/** Reads its input to the end, as the real one does, and answers with what it was given. */
const ECHO = program(`
  const input = require('node:fs').readFileSync(0, 'utf8');
  note({ argv, input: input.length });
  begin();
  speak(argv.at(-1) === '-' ? input.slice(0, 20) : argv.at(-1));
  end(argv[1] === 'resume' ? 25 : 10);
`);

const PATIENT = program(`note(process.pid); begin(); speak('Working'); wait();`);

const COMPLETED = { type: 'turn-end', reason: 'completed', message: null };
const text = (words: string) => ({ type: 'text', text: words });
const tokens = (inputTokens: number) => expect.objectContaining({ inputTokens });

describe('a conversation', () => {
  it('is one process for each prompt, in one thread, with usage by difference', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const connection = await agent.start({ model: 'gpt-5.5' });
    expect(connection).toMatchObject({
      facts: { version: '0.166.0', model: 'gpt-5.5' },
      resumeHandle: null,
      pid: null,
    });
    expect(await collect(connection.prompt('-x --json'))).toEqual([
      text('-x --json'),
      { type: 'usage', usage: tokens(10) },
      COMPLETED,
    ]);
    expect(connection).toMatchObject({ resumeHandle: { driver: 'codex', id: 'thread-1' }, pid: null });
    expect(await collect(connection.prompt('Two'))).toEqual([
      text('Two'),
      { type: 'usage', usage: tokens(15) },
      COMPLETED,
    ]);
    expect(agent.notes()).toEqual([
      { argv: expect.arrayContaining(['exec', '--json', '--', '-x --json']), input: 0 },
      { argv: expect.arrayContaining(['exec', 'resume', 'thread-1', '--', 'Two']), input: 0 },
    ]);
    expect(await connection.end()).toEqual({ code: 0, signal: null });
    expect(() => connection.prompt('more')).toThrow(expect.objectContaining({ code: 'AGENT_ENDED' }));
    expect(readdirSync(agent.dir.at('programs'))).toEqual([]);
  });

  it('is resumed by its id, without usage for the first turn', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const resume = { driver: 'codex', id: '01a1dd13-48d7' };
    const connection = await agent.start({ resume });
    expect(connection.resumeHandle).toEqual(resume);
    expect(await collect(connection.prompt('Go on'))).toEqual([text('Go on'), COMPLETED]);
    expect(connection.resumeHandle).toEqual(resume);
    expect(await collect(connection.prompt('And on'))).toEqual([
      text('And on'),
      { type: 'usage', usage: expect.objectContaining({ inputTokens: 0 }) },
      COMPLETED,
    ]);
  });

  it('gives long prompts through the input', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const connection = await agent.start();
    const [said] = await collect(connection.prompt(`Long ${'words '.repeat(100_000)}`));
    expect(said).toEqual(text('Long words words wor'));
    expect(agent.notes()).toMatchObject([{ input: 600_005 }]);
  });

  it('keeps what each process wrote in a log of its own', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const connection = await agent.start({ logPath: agent.dir.at('log') });
    await collect(connection.prompt('One'));
    await collect(connection.prompt('Two'));
    await connection.end();
    expect(readFileSync(agent.dir.at('log'), 'utf8')).toContain('"One"');
    expect(readFileSync(agent.dir.at('log-2'), 'utf8')).toContain('"Two"');
  });

  it('says once that it cannot ask', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const connection = await agent.start({ permissions: { mode: 'ask', ask: async () => true } });
    const first = await collect(connection.prompt('One'));
    expect(first[0]).toMatchObject({ type: 'error', message: expect.stringContaining('cannot ask') });
    expect(await collect(connection.prompt('Two'))).toHaveLength(first.length - 1);
  });

  it('waits until the process before is gone', async () => {
    const body = program(`note('start'); begin(); end(); setTimeout(() => note('end'), 300);`);
    await using agent = await fakeAgent(codexDriver, body);
    const connection = await agent.start();
    await collect(connection.prompt('One'));
    await collect(connection.prompt('Two'));
    await connection.end();
    expect(agent.notes()).toEqual(['start', 'end', 'start', 'end']);
  });

  it('ends a process that stays after the end of its turn', async () => {
    const fastMs = [STOP_GRACE.graceMs];
    await using agent = await fakeAgent(codexDriver, program(`note(argv); begin(); end(); wait();`), {
      fastMs,
    });
    const connection = await agent.start();
    await collect(connection.prompt('One'));
    await collect(connection.prompt('Two'));
    expect(await connection.end()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(agent.notes()).toHaveLength(2);
  });

  it('does not start without a program, or with the conversation of another driver', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    await expect(agent.start({ command: agent.dir.at('nothing') })).rejects.toMatchObject({
      code: 'PROGRAM_NOT_STARTED',
    });
    for (const resume of [
      { driver: 'claude', id: 'a' },
      { driver: 'codex', id: '--last' },
    ]) {
      await expect(agent.start({ resume })).rejects.toMatchObject({ code: 'AGENT_NOT_STARTED' });
    }
    await expect(agent.start({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('starts with a program that does not tell its version', async () => {
    await using agent = await fakeAgent(codexDriver, `process.exit(2)`);
    expect((await agent.start()).facts.version).toBeNull();
  });
});

describe('a cancelled turn', () => {
  const isGone = (agent: FakeAgent) => {
    const [pid] = agent.notes() as [number];
    return [undefined, 'Z'].includes(processFacts(pid)?.state);
  };

  it('ends with its process, and the next prompt goes on in the thread', async () => {
    await using agent = await fakeAgent(codexDriver, PATIENT);
    const connection = await agent.start();
    const events: AgentEvent[] = [];
    for await (const event of connection.prompt('One')) {
      events.push(event);
      if (event.type !== 'text') continue;
      expect(connection.pid).toBe((agent.notes() as number[])[0]);
      expect(() => connection.prompt('Two')).toThrow(expect.objectContaining({ code: 'AGENT_BUSY' }));
      await connection.cancel();
    }
    expect(events).toMatchObject([text('Working'), { type: 'turn-end', reason: 'cancelled' }]);
    expect(isGone(agent)).toBe(true);
    expect(connection.resumeHandle).toEqual({ driver: 'codex', id: 'thread-1' });
    await connection.cancel();
  });

  it.each(['leaving the loop', 'the signal', 'end', 'terminate'])('is ended by %s', async (how) => {
    const fastMs = [STOP_GRACE.graceMs];
    await using agent = await fakeAgent(codexDriver, PATIENT, { fastMs });
    const connection = await agent.start();
    const controller = new AbortController();
    let last: AgentEvent | undefined;
    for await (const event of connection.prompt('One', { signal: controller.signal })) {
      last = event;
      if (how === 'leaving the loop') break;
      if (how === 'the signal') controller.abort();
      else if (event.type === 'text') await connection[how as 'end' | 'terminate']();
    }
    if (how !== 'leaving the loop') expect(last).toMatchObject({ type: 'turn-end', reason: 'cancelled' });
    await connection.cancel();
    expect(isGone(agent)).toBe(true);
  });

  it('never starts when it is cancelled before', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const connection = await agent.start();
    const cancelled = [{ type: 'turn-end', reason: 'cancelled', message: null }];
    expect(await collect(connection.prompt('One', { signal: AbortSignal.abort() }))).toEqual(cancelled);
    const events = collect(connection.prompt('Two'));
    await connection.cancel();
    expect(await events).toEqual(cancelled);
    expect((await collect(connection.prompt('Three'))).at(-1)).toEqual(COMPLETED);
    expect(agent.notes().length).toBeLessThanOrEqual(2);
  });
});

describe('a process that leaves', () => {
  it('without a last word has died, and what it said is told', async () => {
    const body = program(`begin(); speak('Hel'); process.stderr.write('panicked', () => process.exit(0));`);
    await using agent = await fakeAgent(codexDriver, body);
    const connection = await agent.start();
    expect(await collect(connection.prompt('One'))).toEqual([
      text('Hel'),
      { type: 'turn-end', reason: 'died', message: 'Codex ended with exit code 0:\npanicked' },
    ]);
    expect((await collect(connection.prompt('Two'))).at(-1)).toMatchObject({ reason: 'died' });
  });

  it('because it does not know the thread has failed', async () => {
    const body = program(
      `process.stderr.write('no rollout found for thread id ' + id); process.exitCode = 1;`,
    );
    await using agent = await fakeAgent(codexDriver, body);
    const connection = await agent.start({ resume: { driver: 'codex', id: '01a1' } });
    expect(await collect(connection.prompt('One'))).toEqual([
      { type: 'turn-end', reason: 'failed', message: 'no rollout found for thread id 01a1' },
    ]);
  });

  it('after a failure has failed, whatever its exit code', async () => {
    const body = program(
      `begin(); say({ type: 'turn.failed', error: { message: 'unexpected status 401' } });`,
    );
    await using agent = await fakeAgent(codexDriver, body);
    const connection = await agent.start();
    expect(await collect(connection.prompt('One'))).toEqual([
      { type: 'turn-end', reason: 'failed', message: 'unexpected status 401' },
    ]);
  });

  it('only by closing its output has died', async () => {
    const body = program(
      `begin(); speak('Hel'); setTimeout(() => require('node:fs').closeSync(1), 50); wait();`,
    );
    await using agent = await fakeAgent(codexDriver, body, { fastMs: [STOP_GRACE.graceMs] });
    const connection = await agent.start();
    expect(await collect(connection.prompt('One'))).toMatchObject([text('Hel'), { reason: 'died' }]);
  });

  it('and cannot be started again fails the turn', async () => {
    await using agent = await fakeAgent(codexDriver, ECHO);
    const command = agent.dir.at('codex');
    symlinkSync(process.execPath, command);
    const connection = await agent.start({ command });
    expect((await collect(connection.prompt('One'))).at(-1)).toEqual(COMPLETED);
    unlinkSync(command);
    expect(await collect(connection.prompt('Two'))).toMatchObject([
      { type: 'turn-end', reason: 'failed', message: expect.stringContaining('there is no such program') },
    ]);
  });
});
