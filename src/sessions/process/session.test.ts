import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processWorld } from '../../../test/support/process-world.js';
import { until } from '../../../test/support/processes.js';
import { verifies } from '../../../test/support/verifies.js';
import type { ProcessNotice, ProcessSession } from './session.js';

const HANGS = { turns: [[{ say: 'working' }, { hang: true }]] } as const;

/** A session in the middle of its answer. */
async function executing(session: ProcessSession, options: Parameters<ProcessSession['execute']>[1] = {}) {
  let onWorking = () => {};
  const isWorking = new Promise<void>((resolve) => {
    onWorking = resolve;
  });
  const answer = session.execute('go', {
    ...options,
    onEvent: (event) => {
      if (event.type === 'text') onWorking();
    },
  });
  answer.catch(() => {}); // checked by the test
  await isWorking;
  return { answer };
}

describe.each(['acp', 'claude', 'codex'] as const)(
  'a session with an agent of the %s protocol',
  (protocol) => {
    verifies('P04', 'answers one prompt after another in one conversation', async () => {
      const play = {
        turns: [[{ say: 'one' }, { usage: { input: 10, output: 5 } }], [{ say: 'two' }]],
      } as const;
      await using world = await processWorld({ play, protocol });
      const session = await world.sessions.getOrCreate();
      const first = await session.execute('first');
      expect(first).toMatchObject({ reason: 'completed', stdout: 'one', exitCode: null, signal: null });
      expect((await session.execute('second')).stdout).toBe('two');
      expect(session.record).toMatchObject({ promptCount: 2, state: 'ready', prompt: null });
      expect(session.record.resume?.id).toEqual(expect.any(String));
      await session.end();
      expect(world.agents.alive()).toEqual([]);
    });

    verifies('P04', 'reports the end of an answer after its record says so', async () => {
      await using world = await processWorld({ play: { turns: [[{ say: 'one' }]] }, protocol });
      const session = await world.sessions.getOrCreate();
      const told: string[] = [];
      await session.execute('first', {
        onEvent: ({ type }) => {
          if (type === 'text' || type === 'turn-end')
            told.push(`${type} ${world.store.read(session.id).state}`);
        },
      });
      expect(told).toEqual(['text executing', 'turn-end ready']);
      await session.end();
    });

    verifies('P05', 'has failed when its agent dies in an answer, with what came until then', async () => {
      const play = { turns: [[{ say: 'half' }, { crash: { code: 7 } }]] } as const;
      await using world = await processWorld({ play, protocol });
      const session = await world.sessions.getOrCreate();
      const response = await session.execute('go');
      expect(response).toMatchObject({ reason: 'died', stdout: 'half', exitCode: 7 });
      expect(session.state).toBe('error');
      await expect(session.execute('again')).rejects.toMatchObject({
        code: 'PROCESS_NOT_READY',
        state: 'error',
      });
      expect(world.store.read(session.id)).toMatchObject({ state: 'error', ended: { exitCode: 7 } });
    });

    verifies(
      'P08',
      'is terminated at once in the middle of an answer, and nothing of it is left',
      async () => {
        await using world = await processWorld({ play: HANGS, protocol });
        const session = await world.sessions.getOrCreate();
        const { answer } = await executing(session);
        await session.terminate();
        expect(session.state).toBe('terminated');
        expect((await answer).reason).toMatch(/cancelled|died/);
        expect(session.state).toBe('terminated');
        expect(world.agents.alive()).toEqual([]);
        expect(world.store.ownerOf(session.id).hold).toBe('free');
      },
    );
  },
);

describe('a session', () => {
  verifies('P01', 'reports every change of its state', async () => {
    await using world = await processWorld({ play: { turns: [[{ say: 'one' }]] } });
    const session = await world.sessions.getOrCreate();
    const told: ProcessNotice[] = [];
    const stop = session.subscribe((notice) => told.push(notice));
    await session.execute('go');
    session.pause();
    session.resume();
    await session.end();
    stop();
    const states = told.map((notice) => (notice.type === 'state' ? notice.to : notice.level));
    expect(states).toEqual(['executing', 'ready', 'paused', 'ready', 'ended']);
    expect(session.id).toMatch(/^ses_[0-9a-f-]{36}$/);
  });

  verifies('P01', 'takes no prompt and sends no signal while paused', async () => {
    await using world = await processWorld();
    const session = await world.sessions.getOrCreate();
    session.pause();
    await expect(session.execute('go')).rejects.toMatchObject({ code: 'PROCESS_NOT_READY', state: 'paused' });
    expect(() => session.pause()).toThrow(expect.objectContaining({ code: 'PROCESS_NOT_READY' }));
    session.resume();
    expect((await session.execute('go')).reason).toBe('completed');
  });

  verifies('P04', 'takes one prompt at a time', async () => {
    await using world = await processWorld({ play: HANGS });
    const session = await world.sessions.getOrCreate();
    await executing(session);
    await expect(session.execute('too')).rejects.toMatchObject({
      code: 'PROCESS_NOT_READY',
      state: 'executing',
    });
  });

  it('stays unchanged once ended', async () => {
    await using world = await processWorld();
    const session = await world.sessions.getOrCreate();
    await session.end();
    await session.terminate();
    await session.end();
    expect([session.state, world.store.read(session.id).state]).toEqual(['ended', 'ended']);
  });

  it('whose agent cannot be ended when it is left is still ours to end', async () => {
    await using world = await processWorld({ play: { turns: [[{ say: 'one' }]] } });
    const launch = await world.launch({ turns: [[{ say: 'one' }]] });
    const end = () => Promise.reject(new Error('will not'));
    const session = await world.sessions.create({
      ...launch,
      start: async (hooks) => Object.assign(await launch.start(hooks), { end }),
    });
    await session.execute('go');
    await expect(session.detach()).rejects.toThrow('will not');
    expect(world.store.ownerOf(session.id).hold).toBe('held');
    await session.terminate();
    expect(world.store.read(session.id).state).toBe('terminated');
    expect(world.store.ownerOf(session.id).hold).toBe('free');
    expect(world.agents.alive()).toEqual([]);
  });

  verifies('P05', 'is ready again after a prompt that took too long is cancelled', async () => {
    const play = { turns: [[{ say: 'half' }, { hang: true }], [{ say: 'well' }]] } as const;
    await using world = await processWorld({ play });
    const session = await world.sessions.getOrCreate();
    const late = session.execute('go', { promptMs: 300 });
    await expect(late).rejects.toMatchObject({
      code: 'PROMPT_TIMED_OUT',
      kind: 'prompt',
      response: { reason: 'cancelled', stdout: 'half' },
    });
    expect(session.state).toBe('ready');
    expect((await session.execute('again')).stdout).toBe('well');
  });

  verifies('P05', 'gives up on a silent agent, but not on one that talks', async () => {
    const talk = Array.from({ length: 8 }, () => [{ say: '.' }, { delay: 100 }]).flat();
    const play = { turns: [talk, [{ hang: true } as const]] };
    await using world = await processWorld({ play });
    const session = await world.sessions.getOrCreate();
    expect((await session.execute('talk', { idleMs: 600 })).stdout).toBe('........');
    await expect(session.execute('hang', { idleMs: 600 })).rejects.toMatchObject({ kind: 'idle' });
    expect(session.state).toBe('ready');
  });

  verifies('P05', 'ends when its own time is up', async () => {
    await using world = await processWorld({ play: HANGS, lifetimeMs: 800 });
    const session = await world.sessions.getOrCreate();
    await expect(session.execute('go')).rejects.toMatchObject({ kind: 'total' });
    expect(session.record).toMatchObject({ state: 'ended', ended: { reason: 'its time was up' } });
  });

  verifies('P05', 'has failed if its agent died while idle', async () => {
    await using world = await processWorld();
    const session = await world.sessions.getOrCreate();
    process.kill(session.pid ?? Number.NaN, 'SIGKILL');
    await until(() => world.sessions.current() === undefined);
    expect(world.agents.alive()).toEqual([]);
    expect(session.record).toMatchObject({ state: 'error', ended: { reason: 'the agent ended by itself' } });
    expect((await world.sessions.getOrCreate()).id).not.toBe(session.id);
  });

  verifies('P03', 'that does not start throws an error and keeps a record', async () => {
    await using world = await processWorld();
    const launch = await world.launch({ turns: [] });
    const broken = { ...launch, start: () => Promise.reject(new Error('no such program')) };
    const error = await world.sessions.create(broken).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PROCESS_START_FAILED' });
    const [info] = world.sessions.list();
    expect(info).toMatchObject({ state: 'error', standing: 'over', ended: { reason: 'no such program' } });
    expect(world.sessions.counts().active).toBe(0);
  });

  verifies('P05', 'stays within bounds when its agent floods it with output', async () => {
    const play = {
      turns: [
        [
          { flood: { stream: 'stderr', bytes: 3_000_000 } },
          { say: { text: 'x'.repeat(1_000), repeat: 9_000 } },
        ],
      ],
    } as const;
    await using world = await processWorld({ play, protocol: 'claude' });
    const session = await world.sessions.getOrCreate();
    const response = await session.execute('go');
    expect(response.reason).toBe('completed');
    expect(response.stderr.length).toBeLessThan(70_000);
    expect(response.stdout.length).toBeLessThan(4_300_000);
    expect(response.stdout).toMatch(/\[\d+ characters left out\]/);
  });

  it('records the prompt before it is sent', async () => {
    await using world = await processWorld({ play: HANGS });
    const session = await world.sessions.getOrCreate();
    await executing(session);
    expect(world.store.read(session.id)).toMatchObject({
      state: 'executing',
      prompt: { number: 1, characters: 2 },
    });
  });

  it('whose record cannot be written sends nothing', async () => {
    await using world = await processWorld({ play: { turns: [[{ write: { path: 'sent', content: '' } }]] } });
    const session = await world.sessions.getOrCreate();
    await world.store.trash.take(session.id, world.agents.dir.at('processes', session.id));
    await expect(session.execute('go')).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(existsSync(world.agents.dir.at('work', 'sent'))).toBe(false);
    expect(session.state).toBe('ready');
  });

  verifies(
    'P06',
    'measures what a prompt changed and what its tests came to, whatever the agent says',
    async () => {
      const test = "require('node:test').test('adds', () => {});";
      const play = {
        turns: [
          [
            { write: { path: 'sum.test.cjs', content: test } },
            { run: 'node --test sum.test.cjs' },
            { say: 'Tests: 1 failed' },
          ],
          [{ say: 'Created file x, Modified file y. Tests: all passed' }],
        ],
      };
      await using world = await processWorld({ play, measures: true });
      execFileSync('git', ['init', '-q'], { cwd: world.agents.workingDirectory });
      const session = await world.sessions.getOrCreate();
      expect(await session.execute('do it')).toMatchObject({
        madeChanges: true,
        filesChanged: 1,
        changes: { created: ['sum.test.cjs'], modified: [], deleted: [] },
        testsPassed: true,
      });
      expect(await session.execute('say it')).toMatchObject({ madeChanges: false, filesChanged: 0 });
    },
  );

  verifies('P06', 'counts from a look ahead, for the next prompt and no other', async () => {
    await using world = await processWorld({
      play: { turns: [[{ say: 'one' }], [{ say: 'two' }]] },
      measures: true,
    });
    const directory = world.agents.workingDirectory;
    execFileSync('git', ['init', '-q'], { cwd: directory });
    const session = await world.sessions.getOrCreate();
    await session.lookAhead();
    writeFileSync(join(directory, 'meanwhile.txt'), 'x');
    expect(await session.execute('go')).toMatchObject({ changes: { created: ['meanwhile.txt'] } });
    writeFileSync(join(directory, 'before.txt'), 'x');
    expect(await session.execute('go')).toMatchObject({ filesChanged: 0 });
  });

  verifies('P06', "takes the agent's word if nothing can be measured", async () => {
    const play = {
      turns: [[{ say: 'Created file x and Deleted file y' }], [{ say: 'nothing changed' }]],
    } as const;
    await using world = await processWorld({ play });
    const session = await world.sessions.getOrCreate();
    expect(await session.execute('go')).toMatchObject({ madeChanges: true, filesChanged: 2, changes: null });
    expect(await session.execute('go')).toMatchObject({ madeChanges: false, filesChanged: 0 });
  });
});
