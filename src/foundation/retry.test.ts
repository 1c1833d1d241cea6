import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.js';
import { retry } from './retry.js';

const backoff = { retries: 3, firstWaitMs: 10 };

describe('retry', () => {
  it('does not repeat what succeeds', async () => {
    const clock = new FakeClock({ autoAdvance: true });
    const result = await retry(() => 'done', { backoff, clock, isWorthRepeating: () => true });
    expect({ result, slept: clock.slept }).toEqual({ result: 'done', slept: [] });
  });

  it('waits twice as long each time, then throws the last failure as it is', async () => {
    const clock = new FakeClock({ autoAdvance: true });
    let tries = 0;
    const action = () => {
      throw new Error(`try ${++tries}`);
    };
    await expect(retry(action, { backoff, clock, isWorthRepeating: () => true })).rejects.toThrow('try 4');
    expect(clock.slept).toEqual([10, 20, 40]);
  });

  it('returns the first success', async () => {
    const clock = new FakeClock({ autoAdvance: true });
    let tries = 0;
    const action = async () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return tries;
    };
    expect(await retry(action, { backoff, clock, isWorthRepeating: () => true })).toBe(3);
    expect(clock.slept).toEqual([10, 20]);
  });

  it('does not repeat what is not worth it', async () => {
    const clock = new FakeClock({ autoAdvance: true });
    const action = () => Promise.reject(new Error('for good'));
    await expect(retry(action, { backoff, clock, isWorthRepeating: () => false })).rejects.toThrow(
      'for good',
    );
    expect(clock.slept).toEqual([]);
  });

  it('stops waiting when it is called off', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const outcome = retry(() => Promise.reject(new Error('again')), {
      backoff,
      clock,
      isWorthRepeating: () => true,
      signal: controller.signal,
    });
    await clock.untilAsleep();
    controller.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
