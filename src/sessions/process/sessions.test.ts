import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { promptNotes } from '../../../test/support/agents-scripted.js';
import { processWorld } from '../../../test/support/process-world.js';
import { until } from '../../../test/support/processes.js';
import { verifies } from '../../../test/support/verifies.js';

describe('process sessions', () => {
  verifies('P09', 'start one process for fifty concurrent requests for the current one', async () => {
    await using world = await processWorld();
    const sessions = await Promise.all(Array.from({ length: 50 }, () => world.sessions.getOrCreate()));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    expect(world.starts()).toBe(1);
    expect(world.sessions.current()?.id).toBe(sessions[0]?.id);
  });

  verifies(
    'P09',
    'never start more than allowed, however many fresh ones are requested at once',
    async () => {
      await using world = await processWorld({ capacity: 5 });
      const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => world.sessions.fresh()));
      expect(world.starts()).toBe(5);
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused).toHaveLength(45);
      expect(refused[0]?.reason).toMatchObject({ code: 'TOO_MANY_PROCESSES' });
      await until(() => world.sessions.counts().active === 1);
    },
  );

  verifies('P09', 'end the old one only when the fresh one is up', async () => {
    await using world = await processWorld();
    const old = await world.sessions.getOrCreate();
    const failing = await world.launch({ turns: [] });
    const other = world.other({
      launch: () => ({ ...failing, start: () => Promise.reject(new Error('no')) }),
    });
    await expect(other.fresh()).rejects.toMatchObject({ code: 'PROCESS_START_FAILED' });
    expect(old.state).toBe('ready');
    const fresh = await world.sessions.fresh();
    expect([old.state, fresh.state, world.sessions.current()?.id]).toEqual(['ended', 'ready', fresh.id]);
    expect(old.record.ended?.reason).toBe('replaced by a fresh session');
  });

  verifies('P09', 'make room when one ends, and keep its record', async () => {
    await using world = await processWorld({ capacity: 1 });
    const first = await world.sessions.getOrCreate();
    await expect(world.sessions.fresh()).rejects.toMatchObject({ code: 'TOO_MANY_PROCESSES' });
    await world.sessions.endCurrent();
    const second = await world.sessions.getOrCreate();
    expect(world.sessions.mine().map(({ id, state }) => [id, state])).toEqual(
      expect.arrayContaining([
        [first.id, 'ended'],
        [second.id, 'ready'],
      ]),
    );
    expect(world.sessions.counts()).toEqual({ total: 2, active: 1 });
    expect(world.sessions.live(first.id)?.state).toBe('ended');
  });

  verifies('P09', 'terminate all at once, and report every failure', async () => {
    await using world = await processWorld({ capacity: 3 });
    const sessions = await Promise.all(
      [1, 2, 3].map(async () => world.sessions.create(await world.launch({ turns: [[{ hang: true }]] }))),
    );
    for (const session of sessions) session.execute('go').catch(() => {}); // ended below
    await world.sessions.terminateAll();
    expect(sessions.map(({ state }) => state)).toEqual(['terminated', 'terminated', 'terminated']);
    expect(world.agents.alive()).toEqual([]);
    const bad = await world.sessions.create(await world.launch({ turns: [] }));
    bad.terminate = () => Promise.reject(new Error('will not'));
    await expect(world.sessions.terminateAll()).rejects.toMatchObject({
      code: 'TERMINATE_FAILED',
      failures: [{ sessionId: bad.id }],
    });
  });

  verifies('P09', 'tell what is to be told, and no value of the environment', async () => {
    await using world = await processWorld({ play: { turns: [[{ say: 'hello' }]] } });
    const session = await world.sessions.getOrCreate();
    await session.execute('go');
    const [info] = world.sessions.mine();
    expect(info).toMatchObject({ id: session.id, state: 'ready', promptCount: 1, standing: 'live' });
    expect(info?.lastActivity).toEqual(expect.any(String));
    // One spelling, whatever the record uses.
    expect(Object.keys({ ...info, ...info?.launch }).filter((key) => key.includes('_'))).toEqual([]);
    expect(info?.launch).toMatchObject({ workingDirectory: world.agents.workingDirectory, mcpServers: [] });
    const file = readFileSync(world.agents.dir.at('processes', session.id, 'session.json'), 'utf8');
    expect(file).not.toContain(world.agents.stateDirectory);
  });

  verifies('P11', 'start processes ahead on request, up to the given number', async () => {
    await using world = await processWorld({ spares: 2, capacity: 5 });
    await until(() => world.sessions.counts().active === 2);
    const session = await world.sessions.getOrCreate();
    expect(session.state).toBe('ready');
    await until(() => world.sessions.counts().active === 3);
    expect(world.starts()).toBe(3);
    await world.sessions.terminateAll();
    expect(world.agents.alive()).toEqual([]);
  });

  it('find a session by a prefix of its id, with or without ses_', async () => {
    await using world = await processWorld();
    const { id } = await world.sessions.getOrCreate();
    expect(world.sessions.resolve(id.slice(0, 9))).toBe(id);
    expect(world.sessions.resolve(id.slice(4, 12))).toBe(id);
    expect(() => world.sessions.resolve('ses_')).toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND' }),
    );
    expect(() => world.sessions.get('ses_../../x')).toThrow(
      expect.objectContaining({ code: 'INVALID_PROCESS_ID' }),
    );
  });
});

describe.each(['acp', 'claude', 'codex'] as const)('a session that was left (%s)', (protocol) => {
  verifies('P10', 'is resumed by another process in the same conversation', async () => {
    const play = { turns: [[{ say: 'one' }], [{ say: 'two' }]] } as const;
    await using world = await processWorld({ play, protocol });
    const session = await world.sessions.getOrCreate();
    await session.execute('first');
    await session.detach();
    const other = world.other();
    expect(other.get(session.id)).toMatchObject({ state: 'ready', standing: 'resumable' });
    const again = await other.reopen(session.id, await world.launch(play, protocol));
    expect((await again.execute('second')).stdout).toBe('two');
    expect(
      promptNotes(world.agents)
        .at(-1)
        ?.history.map(({ text }) => text),
    ).toContain('first');
    expect(again.record.promptCount).toBe(2);
    await again.end();
    await expect(other.reopen(session.id, await world.launch(play, protocol))).rejects.toMatchObject({
      code: 'NOT_RESUMABLE',
    });
  });
});

describe('a session that was left', () => {
  verifies('P10', 'is not resumed with other options than before, unless confirmed', async () => {
    await using world = await processWorld();
    const session = await world.sessions.getOrCreate();
    await session.execute('first');
    await session.detach();
    const launch = await world.launch({ turns: [] });
    const changed = { ...launch, launch: { ...launch.launch, permissions: 'bypass', model: 'big' } };
    const other = world.other();
    await expect(other.reopen(session.id, changed)).rejects.toMatchObject({
      code: 'LAUNCH_DIFFERS',
      differences: ['permissions: "edits", now "bypass"', 'model: null, now "big"'],
    });
    const again = await other.reopen(session.id, changed, { acceptsChanges: true });
    expect(again.record.launch).toMatchObject({ permissions: 'bypass', model: 'big' });
  });

  it('is unchanged if the agent does not start again', async () => {
    await using world = await processWorld();
    const session = await world.sessions.getOrCreate();
    await session.execute('first');
    await session.detach();
    const launch = await world.launch({ turns: [] });
    const other = world.other();
    const broken = { ...launch, start: () => Promise.reject(new Error('not now')) };
    await expect(other.reopen(session.id, broken)).rejects.toMatchObject({ code: 'PROCESS_START_FAILED' });
    expect(other.get(session.id).state).toBe('ready');
    expect((await world.other().reopen(session.id, launch)).state).toBe('ready');
  });

  it('belongs to one owner at a time', async () => {
    await using world = await processWorld();
    const session = await world.sessions.getOrCreate();
    await session.execute('first');
    await expect(world.other().reopen(session.id, await world.launch({ turns: [] }))).rejects.toMatchObject({
      code: 'LOCKED',
    });
  });
});

describe('a session of another process', () => {
  it.each(['end', 'terminate'] as const)(
    'is asked to %s, and does so at once whatever it is doing',
    async (mode) => {
      await using world = await processWorld({ play: { turns: [[{ say: 'working' }, { hang: true }]] } });
      const session = await world.sessions.getOrCreate();
      let isWorking = false;
      const answer = session.execute('go', {
        onEvent: () => {
          isWorking = true;
        },
      });
      await until(() => isWorking);
      const info = await world.other().stop(session.id, mode);
      expect(info).toMatchObject({ standing: 'over', ended: { reason: 'stopped from outside' } });
      await answer;
      expect(session.state).toBe(mode === 'end' ? 'ended' : 'terminated');
      expect(world.agents.alive()).toEqual([]);
    },
  );

  it('is closed once it has no owner', async () => {
    await using world = await processWorld();
    const session = await world.sessions.getOrCreate();
    await session.execute('first');
    await session.detach();
    expect(await world.other().stop(session.id, 'end')).toMatchObject({ state: 'ended' });
    const removed = await world.store.remove(session.id);
    expect(world.store.ids()).toEqual([]);
    expect(removed.id).toBe(session.id);
  });
});
