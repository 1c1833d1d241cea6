import { describe, expect, it } from 'vitest';
import type { ProcessIdentity } from '../storage/index.js';
import type { QuotaWindow } from './schema.js';
import {
  enterWindow,
  leaveWindow,
  limitWindow,
  openWindow,
  PATIENCE_MS,
  type Runner,
} from './who-tries-first.js';

const START = Date.parse('2026-11-16T12:00:00.000Z');
const RESET = new Date(START + 3_600_000);
const at = (ms: number) => new Date(START + ms);
const sinceReset = (ms: number) => new Date(RESET.getTime() + ms);

function run(session: string): Runner {
  const process = {
    pid: session.charCodeAt(0),
    startTime: '1',
    bootId: 'boot',
    pidNamespace: 'ns',
    timeNamespace: undefined,
    host: 'here',
  } satisfies ProcessIdentity;
  return { session, process };
}

const [a, b, c] = [run('a'), run('b'), run('c')];
const told = (until = RESET, now = at(0)) => ({
  until: until.toISOString(),
  scope: '5h',
  words: 'used up',
  account: 'work',
  now,
});
const nobodyDead = () => false;
const facts = (now: Date, more: Partial<Parameters<typeof enterWindow>[2]> = {}) => ({
  now,
  isDead: nobodyDead,
  triesNow: false,
  ...more,
});

/** Run a hit the limit; b and c came later. */
function threeInLine(): QuotaWindow {
  const first = limitWindow(undefined, a, told());
  const second = enterWindow(first, b, facts(at(1_000))).window;
  return enterWindow(second, c, facts(at(2_000))).window;
}

describe('the window of an account', () => {
  it('is closed until the reset, and lines up the runs by age', () => {
    const window = threeInLine();
    expect(window.waiting.map(({ session }) => session)).toEqual(['a', 'b', 'c']);
    expect(enterWindow(window, b, facts(at(3_000)))).toEqual({
      window,
      entry: { may: false, closed: { until: RESET.toISOString(), scope: '5h', words: 'used up' } },
    });
  });

  it('lets the run that has waited longest try first, whichever asks first', () => {
    const window = threeInLine();
    expect(enterWindow(window, c, facts(sinceReset(0))).entry).toEqual({ may: false, closed: null });
    const entered = enterWindow(window, a, facts(sinceReset(1)));
    expect(entered.entry).toEqual({ may: true, isCanary: true });
    expect(enterWindow(entered.window, b, facts(sinceReset(2))).entry).toEqual({ may: false, closed: null });
  });

  it('opens for all when the first run is answered, but not when another one is', () => {
    const { window } = enterWindow(threeInLine(), a, facts(sinceReset(0)));
    expect(openWindow(window, b)).toBe(window);
    expect(openWindow(window, a)).toBeUndefined();
  });

  it('moves for all when the first run is refused again, even to an earlier time, and that run stays the oldest', () => {
    const { window } = enterWindow(threeInLine(), a, facts(sinceReset(0)));
    const moved = limitWindow(window, a, told(sinceReset(60_000), sinceReset(1)));
    expect(moved).toMatchObject({ until: sinceReset(60_000).toISOString(), canary: null });
    expect(moved.waiting.map(({ session }) => session)).toEqual(['a', 'b', 'c']);
    expect(enterWindow(moved, a, facts(sinceReset(2))).entry).toMatchObject({ may: false, closed: {} });
  });

  it('can only be postponed by a run that was already working', () => {
    const window = limitWindow(undefined, a, told());
    expect(limitWindow(window, b, told(at(60_000))).until).toBe(RESET.toISOString());
    expect(limitWindow(window, b, told(sinceReset(60_000))).until).toBe(sinceReset(60_000).toISOString());
  });

  it.each([
    ['a first one that died', (window: QuotaWindow) => enterWindow(window, a, facts(sinceReset(0))).window],
    ['an oldest that died in line', (window: QuotaWindow) => window],
  ])('replaces %s with the next, once that is proven', (_, before) => {
    const window = before(threeInLine());
    const isDead = ({ pid }: ProcessIdentity) => pid === a.process.pid;
    expect(enterWindow(window, b, facts(sinceReset(1))).entry.may).toBe(false);
    expect(enterWindow(window, c, facts(sinceReset(1), { isDead })).entry.may).toBe(false);
    expect(enterWindow(window, b, facts(sinceReset(1), { isDead })).entry).toEqual({
      may: true,
      isCanary: true,
    });
  });

  it('passes over the oldest run if it lives but does not come', () => {
    const window = threeInLine();
    expect(enterWindow(window, c, facts(sinceReset(PATIENCE_MS))).entry.may).toBe(false);
    expect(enterWindow(window, c, facts(sinceReset(PATIENCE_MS + 1))).entry.may).toBe(true);
  });

  it('lets the next run try when the first one does something else', () => {
    const { window } = enterWindow(threeInLine(), a, facts(sinceReset(0)));
    const left = leaveWindow(window, a, sinceReset(1));
    expect(enterWindow(left, b, facts(sinceReset(2))).entry).toEqual({ may: true, isCanary: true });
    expect(leaveWindow(left, a, sinceReset(3))).toBe(left);
  });

  it('is tried at once by a run whose person says so, and that run is then the first', () => {
    const entered = enterWindow(threeInLine(), c, facts(at(5_000), { triesNow: true }));
    expect(entered.entry).toEqual({ may: true, isCanary: true });
    expect(openWindow(entered.window, c)).toBeUndefined();
    const second = enterWindow(entered.window, b, facts(at(6_000), { triesNow: true }));
    expect(second).toEqual({ window: entered.window, entry: { may: true, isCanary: false } });
  });

  it('keeps the age of a run that was started again', () => {
    const window = threeInLine();
    const again = { ...b, process: { ...b.process, pid: 4_711 } };
    const { waiting } = enterWindow(window, again, facts(at(9_000))).window;
    expect(waiting.map(({ session }) => session)).toEqual(['a', 'b', 'c']);
    expect(waiting[1]).toMatchObject({ since: at(1_000).toISOString(), process: { pid: 4_711 } });
  });
});
