import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { WorkClock } from './work-clock.js';

describe('the clock of an iteration', () => {
  it('stops while waiting for a person', async () => {
    const clock = new FakeClock();
    using work = new WorkClock(clock, Number.POSITIVE_INFINITY);
    await clock.advance(100);
    work.pause();
    await clock.advance(60_000);
    work.resume();
    await clock.advance(50);
    expect(work.workedMs).toBe(150);
  });

  it('says when its time is up, which never happens while waiting for a person', async () => {
    const clock = new FakeClock();
    using work = new WorkClock(clock, 100);
    await clock.advance(60);
    work.pause();
    work.pause();
    await clock.advance(60_000);
    work.resume();
    expect(work.signal.aborted).toBe(false);
    work.resume();
    await clock.advance(39);
    expect(work.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(work.signal.aborted).toBe(true);
  });
});
