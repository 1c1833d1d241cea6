import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock, timestamp } from './clock.js';

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sleeps for the requested time', async () => {
    const woken = vi.fn();
    const sleep = systemClock.sleep(1_000).then(woken);
    await vi.advanceTimersByTimeAsync(999);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
    expect(woken).toHaveBeenCalledOnce();
  });

  it('sleeps longer than a single system timer can', async () => {
    const fortyDaysMs = 40 * 24 * 3_600_000;
    const woken = vi.fn();
    const sleep = systemClock.sleep(fortyDaysMs).then(woken);
    await vi.advanceTimersByTimeAsync(fortyDaysMs - 1);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
    expect(woken).toHaveBeenCalledOnce();
  });

  it('rejects with ABORTED when the signal fires first, and leaves no timer', async () => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(1_000, controller.signal);
    controller.abort('enough');
    await expect(sleep).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not start sleeping if the signal has already fired', async () => {
    await expect(systemClock.sleep(1_000, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets go of the signal once it has slept', async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    const sleep = systemClock.sleep(10, signal);
    await vi.advanceTimersByTimeAsync(10);
    await sleep;
    expect(remove).toHaveBeenCalledWith('abort', expect.anything());
  });

  it('measures with a clock that does not follow the wall clock', () => {
    const before = systemClock.monotonicMs();
    vi.setSystemTime(0);
    expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(before);
    expect(systemClock.now()).toEqual(new Date(0));
  });
});

it('writes time as ISO 8601 in UTC with milliseconds', () => {
  const clock = { ...systemClock, now: () => new Date(Date.UTC(2026, 2, 1, 12, 30, 5, 7)) };
  expect(timestamp(clock)).toBe('2026-03-01T12:30:05.007Z');
});
