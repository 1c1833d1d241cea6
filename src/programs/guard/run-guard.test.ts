import { describe, expect, it } from 'vitest';
import type { FromGuard } from './messages.js';
import { readMessage } from './messages.js';
import { RunGuard } from './run-guard.js';

/** A guard whose clock and tree the test controls. */
function guarded(deadlineMs: number) {
  const world = {
    nowMs: 0,
    said: [] as FromGuard[],
    followed: [] as number[],
    ended: 0,
    hasLeft: false,
    looks: 0,
  };
  const guard = new RunGuard(
    {
      tree: {
        follow: ({ pid }) => void world.followed.push(pid),
        learn() {
          world.looks += 1;
          return [];
        },
        async end() {
          world.ended += 1;
          return { ended: 3, left: 0 };
        },
      },
      bootTimeMs: () => world.nowMs,
      pause: async () => {},
      say: (words) => void world.said.push(words),
      leave() {
        world.hasLeft = true;
      },
    },
    deadlineMs,
  );
  return { guard, world };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the guard of a run', () => {
  it('ends it at the deadline, and not before', async () => {
    const { guard, world } = guarded(1_000);
    world.nowMs = 999;
    guard.tick();
    await settle();
    expect(world.ended).toBe(0);
    world.nowMs = 1_000;
    guard.tick();
    await settle();
    expect(world).toMatchObject({
      ended: 1,
      hasLeft: true,
      said: [{ says: 'ended', cause: 'deadline', ended: 3, left: 0 }],
    });
  });

  it('goes by the most recent deadline', async () => {
    const { guard, world } = guarded(1_000);
    guard.hear({ tell: 'deadline', bootMs: 5_000 });
    world.nowMs = 4_999;
    guard.tick();
    await settle();
    expect(world.ended).toBe(0);
  });

  it('treats a clock that cannot be read as past the deadline', async () => {
    const { guard, world } = guarded(1_000);
    world.nowMs = Number.POSITIVE_INFINITY;
    guard.tick();
    await settle();
    expect(world.ended).toBe(1);
  });

  it('a deadline that is not a number changes nothing', async () => {
    const { guard, world } = guarded(1_000);
    guard.hear({ tell: 'deadline', bootMs: Number.NaN });
    world.nowMs = 1_001;
    guard.tick();
    await settle();
    expect(world.ended).toBe(1);
  });

  it('ends it once, however often it is asked to', async () => {
    const { guard, world } = guarded(1_000);
    guard.hear({ tell: 'end' });
    await guard.end('worker-gone');
    await settle();
    expect(world).toMatchObject({ ended: 1, said: [{ cause: 'told' }] });
  });

  it('leaves a run that it was told to leave', async () => {
    const { guard, world } = guarded(1_000);
    guard.hear({ tell: 'leave' });
    world.nowMs = 2_000;
    guard.tick();
    await guard.end('worker-gone');
    expect(world).toMatchObject({ ended: 0, hasLeft: true });
  });

  it('scans the tree now and then, not at each tick', () => {
    const { guard, world } = guarded(100_000);
    for (world.nowMs = 0; world.nowMs < 2_000; world.nowMs += 50) guard.tick();
    expect(world.looks).toBeGreaterThanOrEqual(3);
    expect(world.looks).toBeLessThanOrEqual(5);
  });

  it('ignores half a line from a worker that was killed while writing it', () => {
    expect(readMessage('{"tell":"dead', 'tell')).toBeUndefined();
    expect(readMessage('null', 'tell')).toBeUndefined();
    expect(readMessage('{"says":"ready"}', 'tell')).toBeUndefined();
    expect(readMessage('{"tell":"end"}', 'tell')).toEqual({ tell: 'end' });
  });
});
