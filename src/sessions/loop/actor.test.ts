import { describe, expect, it } from 'vitest';
import { loopWorld, PLAN } from '../../../test/support/loop-world.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { guideLoop, pauseLoop, resumeLoop, stopLoop } from './operations.js';
import { sendRequest } from './requests.js';

const context = (actor: string) => ({ actor, signal: new AbortController().signal });

describe('who steers a loop', () => {
  it('stands in every request, and is told to who takes it', async () => {
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

  it('is shown with the pause and the stop that they asked for, and only with those', async () => {
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

  it('is nobody where a request of release 0.1 does not say it', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const old = { kind: 'pause' } as { kind: 'pause'; actor: string };
    await sendRequest(storageTools(), world.directory, old, () => loop.state.sessionId);
    expect(loop.takeRequests()).toEqual([{ kind: 'pause', number: 0, at: expect.any(String) }]);
    expect(world.loops.get()).toMatchObject({ status: 'paused', statusActor: null });
  });
});
