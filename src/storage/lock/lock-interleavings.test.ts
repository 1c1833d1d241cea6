import { describe, expect, it } from 'vitest';
import { FIRST_PID, LOCK, LockWorld, runRandomSchedule, toolsOf } from '../../../test/support/lock-world.js';
import { SeededRandom } from '../../../test/support/seeded-random.js';
import { Lock, tryAcquireLock } from './lock.js';

describe('two takers at once', () => {
  it('a taker that fell asleep before the first lock of all is not let in beside a later owner', () => {
    // The worst readdir: it has passed the place of epoch 3 when that appears, and not yet reached epoch 2 when that goes.
    const world = new LockWorld({ isListed: (name) => name === 'session.lock.1' });
    const sleeper = world.taker('sleeper', { keeps: true });
    const [first, second] = [world.taker('first'), world.taker('second')];
    const owner = world.taker('owner', { keeps: true });
    sleeper.program.stepUntil('link'); // has seen that there was never a lock
    first.program.runToEnd();
    second.program.runToEnd(); // epoch 2, and epoch 1 is swept
    sleeper.program.stepUntil('listed'); // has linked epoch 1 again
    owner.program.runToEnd();
    sleeper.program.runToEnd();
    expect(world.inside()).toEqual(['owner']);
  });

  it.each(['open', 'read'] as const)(
    'a taker that gives up a record does not pull it away from one who is about to %s it',
    (call) => {
      let failing: string | undefined;
      const world = new LockWorld({
        isListed: () => true,
        errorOf: (call) => (call === failing ? 'EMFILE' : undefined),
      });
      const unlucky = world.taker('unlucky');
      const late = world.taker('late', { keeps: true });
      const owner = world.taker('owner', { keeps: true });
      unlucky.program.stepUntil('link');
      unlucky.program.step();
      late.program.stepUntil(call); // has listed the unlucky one's record, but not read it yet
      failing = 'list';
      expect(() => unlucky.program.runToEnd()).toThrow('EMFILE');
      failing = undefined;
      late.program.step();
      owner.program.runToEnd();
      late.program.runToEnd();
      expect(world.inside()).toEqual(['owner']);
    },
  );

  it('a taker whose directory was swapped does not mistake another’s record for its own', () => {
    const world = new LockWorld({ isListed: () => true });
    const sleeper = world.taker('sleeper', { keeps: true });
    const owner = world.taker('owner', { keeps: true });
    sleeper.program.stepUntil('link');
    sleeper.program.step();
    world.fileSystem.moveAway('/sessions', '/trash');
    owner.program.runToEnd();
    sleeper.program.runToEnd();
    expect(world.inside()).toEqual(['owner']);
  });

  it.each([1, 2])('is never reached by any of many random orders of calls (seed %i)', (seed) => {
    const random = new SeededRandom(seed);
    for (let schedule = 0; schedule < 1_000; schedule++) {
      const trace = runRandomSchedule(random);
      expect(trace.holders, `schedule ${schedule}: ${trace.steps.join(' ')}`).toEqual([]);
    }
  });
});

describe('a holder', () => {
  it('whose directory was moved away no longer holds the lock', () => {
    const world = new LockWorld({ isListed: () => true });
    let isHeld: boolean | undefined;
    const fileSystem = world.fileSystem;
    fileSystem.processes.set(FIRST_PID, 'start-holder');
    const lock = tryAcquireLock(toolsOf(fileSystem, 'holder', FIRST_PID), LOCK);
    if (lock instanceof Lock) {
      expect(lock.isHeld()).toBe(true);
      fileSystem.moveAway('/sessions', '/trash');
      isHeld = lock.isHeld();
    }
    expect(isHeld).toBe(false);
  });
});
