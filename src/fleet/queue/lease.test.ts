import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { until } from '../../../test/support/processes.js';
import { silentLogger } from '../../foundation/index.js';
import { FleetRuleError, FleetUnreachableError } from '../../hub/index.js';
import { LeaseHolder } from './lease.js';

const TIMES = { leaseMs: 300_000, marginMs: 60_000, renewEveryMs: 20_000 };
const FENCE = { entry: '3f2a0000-0000-4000-8000-000000000000', epoch: 2, token: 't' };
const FENCED = new FleetRuleError('fenced', 'no', 'none');

/** Lets everything that is ready to happen happen. */
async function settled(): Promise<void> {
  for (let left = 5; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A lease with a database that does what a test says. Boot time follows the clock unless a test plays a suspend. */
function world(renew: (asked: number) => Promise<string | null>) {
  const clock = new FakeClock();
  let asleepMs = 0;
  let asked = 0;
  const boot = { bootMs: () => clock.monotonicMs() + asleepMs };
  const lease = new LeaseHolder({
    fence: FENCE,
    times: TIMES,
    askedAtMs: boot.bootMs(),
    boot,
    clock,
    log: silentLogger,
    renew: () => {
      asked += 1;
      return renew(asked);
    },
  });
  const start = boot.bootMs();
  return {
    lease,
    clock,
    /** Relative to when the lease was taken. */
    deadline: () => lease.deadlineMs - start,
    asked: () => asked,
    suspend(ms: number) {
      asleepMs += ms;
    },
    async pass(ms: number) {
      await settled();
      clock.advance(ms);
      await settled();
    },
  };
}

describe('a lease', () => {
  it('is renewed every 20 seconds, and ends 60 seconds before the database lets go', async () => {
    const told: number[] = [];
    const { lease, deadline, asked, pass } = world(async () => null);
    lease.onRenewed((at) => told.push(at));
    expect(deadline()).toBe(240_000);
    for (let left = 30; left > 0; left -= 1) await pass(20_000);
    expect(asked()).toBe(30);
    expect(deadline()).toBe(30 * 20_000 + 240_000);
    expect(told).toHaveLength(30);
    expect(lease.lost.aborted).toBe(false);
    lease.close();
  });

  it('counts its deadline from before a renewal was sent, however long the reply takes', async () => {
    let reply = (_: null) => {};
    const { lease, deadline, clock, pass } = world(
      () =>
        new Promise((resolve) => {
          reply = resolve;
        }),
    );
    await pass(20_000);
    clock.advance(59_000);
    reply(null);
    await until(() => deadline() !== 240_000);
    expect(deadline()).toBe(20_000 + 240_000);
    lease.close();
  });

  it('is lost at once when somebody else has it', async () => {
    const { lease, pass } = world(() => Promise.reject(FENCED));
    await pass(20_000);
    await until(() => lease.lost.aborted);
    expect(lease.lost.reason).toBe('fenced');
  });

  it('is tried again each second while the database is away, and lost at the deadline, not before', async () => {
    const { lease, clock, asked, pass } = world(() => Promise.reject(new FleetUnreachableError('away')));
    const start = clock.monotonicMs();
    const passed = () => clock.monotonicMs() - start;
    while (!lease.lost.aborted && passed() < 300_000) await pass(1_000);
    expect(lease.lost.reason).toBe('deadline');
    expect(passed()).toBe(240_000);
    expect(asked()).toBeGreaterThan(100);
    expect(lease.trouble).toMatchObject({ reason: expect.stringContaining('away') });
  });

  it('is lost after a suspend that went past its deadline, although no timer counted it', async () => {
    const { lease, suspend, pass, asked } = world(async () => null);
    suspend(240_000);
    await pass(20_000);
    expect(lease.lost.reason).toBe('deadline');
    expect(asked()).toBe(0);
  });

  it('is lost at its deadline while a server holds back its reply', async () => {
    const { lease, clock } = world(() => new Promise(() => {}));
    await until(() => clock.slept.length > 0);
    clock.advance(20_000);
    await until(() => clock.slept.length > 1);
    clock.advance(220_000);
    await until(() => lease.lost.aborted);
    expect(lease.lost.reason).toBe('deadline');
  });

  it('is in trouble while a reply is held back for long, counted from the renewal, and no longer once it comes', async () => {
    let reply = (_: null) => {};
    const { lease, clock, pass } = world(
      () =>
        new Promise((resolve) => {
          reply = resolve;
        }),
    );
    await pass(20_000);
    const sinceMs = clock.monotonicMs();
    await pass(4_999);
    expect(lease.trouble).toBeUndefined();
    await pass(1);
    expect(lease.trouble).toEqual({ sinceMs, reason: 'the database does not answer' });
    reply(null);
    await until(() => lease.trouble === undefined);
    expect(lease.lost.aborted).toBe(false);
    lease.close();
  });

  it('reports once that its run is wanted elsewhere', async () => {
    const { lease, pass } = world(async () => 'hand-over');
    let wanted = 0;
    lease.wanted.addEventListener('abort', () => {
      wanted += 1;
    });
    await pass(20_000);
    await pass(20_000);
    await until(() => lease.wanted.aborted);
    expect(wanted).toBe(1);
    lease.close();
  });

  it('renews nothing after it was closed, and is not lost by that', async () => {
    const { lease, clock, asked } = world(() => Promise.reject(FENCED));
    lease.close();
    clock.advance(500_000);
    await settled();
    expect(asked()).toBe(0);
    expect(lease.lost.aborted).toBe(false);
  });
});
