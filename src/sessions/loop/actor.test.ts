import { describe, expect, it } from 'vitest';
import { loopWorld, PLAN } from '../../../test/support/loop-world.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { JsonlLog, nodeFileSystem, readLog } from '../../storage/index.js';
import { guideLoop, pauseLoop, resumeLoop, stopLoop } from './operations.js';

const context = (actor: string) => ({ actor, signal: new AbortController().signal });

describe('who steers a loop', () => {
  it('is in every request, and is passed to the taker', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const parts = { loops: world.other() };
    await guideLoop.run(parts, { text: 'use vitest' }, context('cli'));
    await pauseLoop.run(parts, { reason: 'lunch' }, context('page:phone'));
    await resumeLoop.run(parts, { isReset: false }, context('inbox'));
    await resumeLoop.run(parts, { isReset: true });
    const actors = loop.takeRequests().map(({ kind, actor }) => [kind, actor]);
    expect(actors).toEqual([
      ['guidance', 'cli'],
      ['pause', 'page:phone'],
      ['resume', 'inbox'],
      ['reset', 'library'],
    ]);
    expect(world.text('requests.jsonl').match(/"actor":"[^"]+"/g)).toHaveLength(4);
  });

  it('is shown with the pause and the stop they asked for, and only with those', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const parts = { loops: world.other() };
    const told = () => world.loops.get()?.statusActor;
    await pauseLoop.run(parts, {}, context('cli'));
    await guideLoop.run(parts, { text: 'later' }, context('inbox'));
    loop.takeRequests();
    expect(told()).toBe('cli');
    await resumeLoop.run(parts, { isReset: false }, context('inbox'));
    loop.takeRequests();
    expect(told()).toBeNull();
    world.clock.advance(1_000);
    loop.pause('a limit');
    expect(told()).toBeNull();
    loop.resume();
    await stopLoop.run(parts, {}, context('somebody'));
    loop.takeRequests();
    expect(told()).toBe('outside');
  });

  it('comes after the request, which is written exactly as release 0.1 writes it', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const parts = { loops: world.other() };
    await pauseLoop.run(parts, { reason: 'lunch' }, context('cli'));
    await guideLoop.run(parts, { text: 'use vitest' }, context('inbox'));
    const { sessionId } = loop.state;
    const { records, damage } = readLog(nodeFileSystem, world.path('requests.jsonl'), { sessionId });
    expect(damage).toEqual([]);
    const at = expect.any(String);
    const crc = expect.any(String);
    expect(records.map(({ value }) => value)).toEqual([
      { kind: 'pause', reason: 'lunch', at, seq: 0, crc },
      { kind: 'sender', request: 0, actor: 'cli', seq: 1, crc },
      { kind: 'guidance', text: 'use vitest', at, seq: 2, crc },
      { kind: 'sender', request: 2, actor: 'inbox', seq: 3, crc },
    ]);
    expect(loop.takeRequests().map(({ number }) => number)).toEqual([0, 2]);
    expect(loop.takeRequests()).toEqual([]);
  });

  it('is unknown if a request of release 0.1 does not name one', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const { sessionId } = loop.state;
    const tools = storageTools();
    const at = '2026-01-01T00:00:00.000Z';
    JsonlLog.create(tools, world.path('requests.jsonl'), sessionId, { kind: 'pause', at });
    expect(loop.takeRequests()).toEqual([{ kind: 'pause', number: 0, at }]);
    expect(world.loops.get()).toMatchObject({ status: 'paused', statusActor: null });
  });
});
