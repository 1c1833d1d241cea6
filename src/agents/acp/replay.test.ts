import { expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { untilReplayed } from './replay.js';

it.each([
  ['nothing was replayed', [], 500],
  ['the last update was half a second ago', [100, 400, 800], 1_300],
  ['ten seconds are over', Array.from({ length: 200 }, (_, index) => index * 100), 10_000],
])('waits until %s', async (_name, updatesAtMs, expectedMs) => {
  const clock = new FakeClock();
  const last = () => updatesAtMs.findLast((atMs) => atMs <= clock.monotonicMs()) ?? Number.NEGATIVE_INFINITY;
  let isOver = false;
  const replayed = untilReplayed(clock, last, undefined).then(() => {
    isOver = true;
  });
  while (!isOver) {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await replayed;
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(expectedMs);
  expect(clock.monotonicMs()).toBeLessThan(expectedMs + 500);
});

it('is cancelled with the start', async () => {
  const caller = new AbortController();
  const replayed = untilReplayed(new FakeClock(), () => 0, caller.signal);
  caller.abort();
  await expect(replayed).rejects.toMatchObject({ code: 'ABORTED' });
});
