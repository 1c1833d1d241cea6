import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { promptNotes } from '../../../test/support/agents-scripted.js';
import { systemError } from '../../../test/support/failing-file-system.js';
import { type ProcessWorld, processWorld } from '../../../test/support/process-world.js';
import { until } from '../../../test/support/processes.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { verifies } from '../../../test/support/verifies.js';
import { systemClock } from '../../foundation/index.js';
import { type FileSystem, Lock, nodeFileSystem, tryAcquireLock } from '../../storage/index.js';
import type { ProcessFile } from './schema.js';
import { FileProcessStore } from './store.js';

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

  verifies('P08', 'a session that is ended while its agent starts leaves no process', async () => {
    await using world = await processWorld();
    const started = world.sessions.getOrCreate().catch((error: unknown) => error);
    await until(() => world.agents.alive().length > 0);
    await world.sessions.terminateAll();
    expect(world.agents.alive()).toEqual([]);
    expect(await started).toMatchObject({ code: 'PROCESS_START_FAILED' });
    expect(world.sessions.list()).toMatchObject([{ state: 'terminated' }]);
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

/** The store of the world as seen by a process whose file system differs in some calls. */
function storeOver(world: ProcessWorld, calls: Partial<FileSystem>): FileProcessStore {
  return new FileProcessStore(storageTools({ fileSystem: { ...nodeFileSystem, ...calls } }), {
    directory: world.store.directory,
    trash: world.store.trash.directory,
  });
}

/** The store as seen by a process that another one overtakes: that one acts right before a session's lock is taken. */
function overtaken(world: ProcessWorld, act: () => void): FileProcessStore {
  let isDue = true;
  return storeOver(world, {
    link(existing, added) {
      if (isDue && added.includes('session.lock')) {
        isDue = false;
        act();
      }
      nodeFileSystem.link(existing, added);
    },
  });
}

function recordPath(world: ProcessWorld, id: string): string {
  return world.agents.dir.at('processes', id, 'session.json');
}

/** Changes a record as another process would. */
function change(world: ProcessWorld, id: string, changes: Record<string, unknown>): void {
  const path = recordPath(world, id);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }));
}

const ENDED_ELSEWHERE = {
  state: 'ended',
  ended: { at: '2026-03-01T12:00:00.000Z', reason: 'elsewhere', exitCode: null, signal: null },
} satisfies Partial<ProcessFile>;
const ENDED_ON_DISK = {
  state: 'ended',
  ended: { at: '2026-03-01T12:00:00.000Z', reason: 'elsewhere', exit_code: null, signal: null },
};

/** A session that nobody owns any more; returns its id. */
async function leftSession(world: ProcessWorld): Promise<string> {
  const session = await world.sessions.getOrCreate();
  await session.execute('first');
  await session.detach();
  return session.id;
}

describe('a session that another process changes before its lock is taken', () => {
  it('is closed with everything that was recorded by then', async () => {
    await using world = await processWorld();
    const id = await leftSession(world);
    const store = overtaken(world, () => change(world, id, { prompt_count: 7, total_execution_ms: 42 }));
    expect(await world.other({ store }).stop(id, 'end')).toMatchObject({
      state: 'ended',
      promptCount: 7,
      totalExecutionMs: 42,
    });
  });

  it('is not closed a second time', async () => {
    await using world = await processWorld();
    const id = await leftSession(world);
    const store = overtaken(world, () => change(world, id, ENDED_ON_DISK));
    expect(await world.other({ store }).stop(id, 'terminate')).toMatchObject({ ...ENDED_ELSEWHERE });
    expect(world.store.ownerOf(id).hold).toBe('free');
  });

  it('is stopped by its new owner, who is asked to', async () => {
    await using world = await processWorld();
    const id = await leftSession(world);
    let owner: unknown;
    const store = overtaken(world, () => {
      owner = tryAcquireLock(storageTools(), world.store.lockPath(id));
    });
    const sleep = async () => {
      expect(existsSync(world.agents.dir.at('processes', id, 'stop.json'))).toBe(true);
      change(world, id, ENDED_ON_DISK);
      if (owner instanceof Lock) owner.release();
    };
    const other = world.other({ store, clock: { ...systemClock, sleep } });
    expect(await other.stop(id, 'end')).toMatchObject({ ...ENDED_ELSEWHERE });
  });

  it('is not resumed if it was ended, and its lock is free again', async () => {
    await using world = await processWorld();
    const id = await leftSession(world);
    const store = overtaken(world, () => change(world, id, ENDED_ON_DISK));
    const launch = await world.launch({ turns: [] });
    await expect(world.other({ store }).reopen(id, launch)).rejects.toMatchObject({ code: 'NOT_RESUMABLE' });
    expect(world.starts()).toBe(1);
    expect(world.store.read(id)).toMatchObject(ENDED_ELSEWHERE);
    expect(world.store.ownerOf(id).hold).toBe('free');
  });

  it('is not resumed if its record was damaged, and its lock is free again', async () => {
    await using world = await processWorld();
    const id = await leftSession(world);
    const store = overtaken(world, () => writeFileSync(recordPath(world, id), '{'));
    const launch = await world.launch({ turns: [] });
    await expect(world.other({ store }).reopen(id, launch)).rejects.toMatchObject({
      code: 'DOCUMENT_DAMAGED',
    });
    expect(world.store.ownerOf(id).hold).toBe('free');
  });

  it('is resumed with the conversation that was recorded last', async () => {
    await using world = await processWorld();
    const id = await leftSession(world);
    const store = overtaken(world, () => change(world, id, { prompt_count: 7 }));
    const again = await world.other({ store }).reopen(id, await world.launch({ turns: [] }));
    expect(again.record.promptCount).toBe(7);
  });
});

describe('a session that is not resumed', () => {
  it('is free for the next attempt', async () => {
    await using world = await processWorld();
    const id = await leftSession(world);
    const launch = await world.launch({ turns: [] });
    const changed = { ...launch, launch: { ...launch.launch, model: 'big' } };
    await expect(world.other().reopen(id, changed)).rejects.toMatchObject({ code: 'LAUNCH_DIFFERS' });
    await expect(world.other({ capacity: 0 }).reopen(id, launch)).rejects.toMatchObject({
      code: 'TOO_MANY_PROCESSES',
    });
    expect((await world.other().reopen(id, launch)).state).toBe('ready');
  });
});

describe('a new session with a given id', () => {
  const id = 'ses_22222222-2222-4222-8222-222222222222';

  it('is free for the next attempt if its record could not be written', async () => {
    await using world = await processWorld();
    let isFull = true;
    const store = storeOver(world, {
      open(path, flags, mode) {
        if (isFull && path.includes('session.json')) throw systemError('ENOSPC', 'open', path);
        return nodeFileSystem.open(path, flags, mode);
      },
    });
    const sessions = world.other({ store });
    const launch = await world.launch({ turns: [] });
    await expect(sessions.create(launch, null, { id })).rejects.toMatchObject({
      code: 'ATOMIC_WRITE_FAILED',
    });
    expect(world.store.ownerOf(id).hold).toBe('free');
    isFull = false;
    expect(await sessions.create(launch, null, { id })).toMatchObject({ id, state: 'ready' });
  });

  it('is refused if one with this id exists, whether it is over or in use', async () => {
    await using world = await processWorld();
    const launch = await world.launch({ turns: [] });
    const first = await world.sessions.create(launch, null, { id });
    const taken = { code: 'SESSION_ID_TAKEN', hint: expect.any(String), sessionId: id };
    await expect(world.other().create(launch, null, { id })).rejects.toMatchObject(taken);
    await expect(world.sessions.create(launch, null, { id })).rejects.toMatchObject(taken);
    expect(first.state).toBe('ready');
    await first.end('enough');
    const before = readFileSync(recordPath(world, id), 'utf8');
    await expect(world.other().create(launch, null, { id })).rejects.toMatchObject(taken);
    expect(readFileSync(recordPath(world, id), 'utf8')).toBe(before);
    expect(world.starts()).toBe(1);
  });

  it('does not replace a damaged record, nor one that another process has just written', async () => {
    await using world = await processWorld();
    const launch = await world.launch({ turns: [] });
    await (await world.sessions.create(launch, null, { id })).end();
    const whole = readFileSync(recordPath(world, id), 'utf8');
    writeFileSync(recordPath(world, id), '{');
    const taken = { code: 'SESSION_ID_TAKEN' };
    await expect(world.other().create(launch, null, { id })).rejects.toMatchObject(taken);
    expect(readFileSync(recordPath(world, id), 'utf8')).toBe('{');
    await world.store.remove(id);
    const store = overtaken(world, () => writeFileSync(recordPath(world, id), whole, { mode: 0o600 }));
    await expect(world.other({ store }).create(launch, null, { id })).rejects.toMatchObject(taken);
    expect(readFileSync(recordPath(world, id), 'utf8')).toBe(whole);
    expect(world.store.ownerOf(id).hold).toBe('free');
  });

  it('is refused if one with this id is in use, even if none is kept on disk', async () => {
    await using world = await processWorld();
    const sessions = world.other({ store: undefined });
    const launch = await world.launch({ turns: [] });
    const outcomes = await Promise.allSettled([1, 2].map(() => sessions.create(launch, null, { id })));
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'SESSION_ID_TAKEN' } },
    ]);
    expect(sessions.live(id)?.state).toBe('ready');
    expect(world.starts()).toBe(1);
  });
});

describe('a directory without a record', () => {
  const id = 'ses_33333333-3333-4333-8333-333333333333';

  /** What a process leaves that is killed before it has written the record. */
  function killedEarly(world: ProcessWorld): string {
    const path = world.agents.dir.at('processes', id);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    utimesSync(path, 1_000, 1_000);
    return path;
  }

  it('is used by a new session with its id', async () => {
    await using world = await processWorld();
    killedEarly(world);
    const session = await world.sessions.create(await world.launch({ turns: [] }), null, { id });
    expect(world.store.read(id)).toMatchObject({ id: session.id, state: 'ready' });
  });

  it('is not retired if it gets a record right before its lock is taken', async () => {
    await using world = await processWorld();
    const path = killedEarly(world);
    const store = overtaken(world, () => writeFileSync(recordPath(world, id), '{}'));
    const [found] = world.other({ store }).retirable(Date.now());
    expect(found?.look()).toEqual({});
    expect(await found?.retire()).toBe(false);
    expect(existsSync(path)).toBe(true);
    expect(found?.look()).toBeUndefined();
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
