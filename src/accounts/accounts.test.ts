import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { admissionContract } from '../../test/contracts/admission.js';
import { FakeClock } from '../../test/support/fake-clock.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import type { ProcessIdentity } from '../storage/index.js';
import { openAdmission } from './admission.js';
import { amountIn } from './day-budget.js';
import { DayLedger } from './day-ledger.js';
import { QuotaGate } from './quota-gate.js';

const ACCOUNT = { key: 'claude', name: 'work' };
const HOUR_MS = 3_600_000;

async function world(now = '2026-11-16T12:00:00.000Z', limits = { costUsd: 5, tokens: 1_000 }) {
  const dir = await tempDir();
  const clock = new FakeClock({ now });
  const own = storageTools({ clock });
  /** Tools of a process that counts as dead if `isGone` is set. */
  const toolsOf = (isGone = false) => {
    const identity: ProcessIdentity = { ...own.identity, ...(isGone ? { bootId: 'an older boot' } : {}) };
    return { ...own, identity };
  };
  const directory = dir.at('accounts');
  const gate = (session: string, { isGone = false } = {}) =>
    new QuotaGate(toolsOf(isGone), { directory, account: ACCOUNT, session });
  const days = new DayLedger(own, { directory: join(directory, 'days'), limits, zone: 'Europe/Berlin' });
  const admission = openAdmission(own, { directory, accountOf: () => ACCOUNT, days });
  const until = () => new Date(clock.now().getTime() + HOUR_MS).toISOString();
  return {
    dir,
    clock,
    directory,
    gate,
    days,
    admission,
    limit: (one: QuotaGate) => one.limit({ until: until(), scope: '5h', words: null }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('the gate of an account', () => {
  it('writes nothing until a run is refused', async () => {
    await using w = await world();
    const gate = w.gate('a');
    expect(await gate.enter()).toEqual({ may: true, isCanary: false });
    await gate.answer();
    await gate.leave();
    expect(readdirSync(w.dir.path)).toEqual([]);
  });

  it('holds all runs until the reset, then lets the oldest try first, and then all of them', async () => {
    await using w = await world();
    const [a, b] = [w.gate('a'), w.gate('b')];
    await w.limit(a);
    expect(await b.enter()).toMatchObject({ may: false, closed: { scope: '5h' } });
    w.clock.advance(HOUR_MS);
    expect(await b.enter()).toEqual({ may: false, closed: null });
    expect(await a.enter()).toEqual({ may: true, isCanary: true });
    expect(await b.enter()).toEqual({ may: false, closed: null });
    await b.answer();
    expect(w.gate('c').window()).toBeDefined();
    await a.answer();
    expect(await b.enter()).toEqual({ may: true, isCanary: false });
    expect(readdirSync(w.directory).filter((name) => name.endsWith('.json'))).toEqual([]);
  });

  it('gives the place of a first run whose process is gone to the next, and keeps the place of a living one', async () => {
    await using w = await world();
    const [gone, next] = [w.gate('a', { isGone: true }), w.gate('b')];
    await w.limit(gone);
    await next.enter();
    w.clock.advance(HOUR_MS);
    expect(await gone.enter()).toEqual({ may: true, isCanary: true });
    expect(await next.enter()).toEqual({ may: true, isCanary: true });
    expect(await w.gate('c').enter()).toEqual({ may: false, closed: null });
  });

  it('calls back when the window changes, but not for the locks of other gates', async () => {
    await using w = await world();
    const [a, b] = [w.gate('a'), w.gate('b')];
    await w.limit(a);
    let hints = 0;
    const hinted = new Promise<void>((resolve) => {
      watchOnce(b, () => {
        hints += 1;
        resolve();
      });
    });
    await w.gate('c').enter();
    await hinted;
    expect(hints).toBeGreaterThan(0);
  });

  it('sets aside a file that cannot be read, and stops no run', async () => {
    await using w = await world();
    await w.limit(w.gate('a'));
    writeFileSync(join(w.directory, 'claude.json'), '{"version":1');
    expect(await w.gate('b').enter()).toEqual({ may: true, isCanary: false });
    expect(readdirSync(w.directory).some((name) => name.startsWith('claude.json.damaged-'))).toBe(true);
  });
});

/** Watches until the first hint. */
function watchOnce(gate: QuotaGate, onHint: () => void): void {
  const watch = gate.watch(() => {
    watch[Symbol.dispose]();
    onHint();
  });
}

describe('the ledger of a day', () => {
  it('adds up what all runs used, counting each sum once however often it is written', async () => {
    await using w = await world();
    w.days.record('a', { costUsd: 2, tokens: 100 });
    w.days.record('a', { costUsd: 3, tokens: 200 });
    w.days.record('a', { costUsd: 3, tokens: 200 });
    w.days.record('b', { costUsd: 1.5, tokens: 50 });
    expect(w.days.used('2026-11-16')).toEqual({ costUsd: 4.5, tokens: 250 });
    expect(w.days.standing()).toBeUndefined();
  });

  it('is reached at the limit, until the next local day', async () => {
    await using w = await world();
    w.days.record('a', { costUsd: 5.02, tokens: 0 });
    expect(w.days.standing()).toEqual({
      day: '2026-11-16',
      reached: { what: 'costUsd', used: 5.02, limit: 5, raised: 10, words: '$5.02 of $5.00' },
      until: '2026-11-16T23:00:00.000Z',
      isFinal: false,
    });
    w.clock.advance(11 * HOUR_MS);
    expect(w.days.standing()).toBeUndefined();
  });

  it('is asked about by one run at a time, and raised for all', async () => {
    await using w = await world();
    w.days.record('a', { costUsd: 0, tokens: 1_200 });
    expect(w.days.standing()?.reached).toMatchObject({ what: 'tokens', raised: 2_000 });
    {
      using lock = w.days.tryAsk('2026-11-16');
      expect(w.days.tryAsk('2026-11-16')).toBeUndefined();
      if (lock !== undefined) w.days.decide(lock, '2026-11-16', { tokens: 2_000 });
    }
    expect(w.days.standing()).toBeUndefined();
    w.days.record('b', { costUsd: 0, tokens: 900 });
    expect(w.days.standing()?.reached.words).toBe('2100 tokens of 2000 tokens');
  });

  it('remembers that a person does not want it raised, until somebody asks to be asked again', async () => {
    await using w = await world();
    w.days.record('a', { costUsd: 6, tokens: 0 });
    {
      using lock = w.days.tryAsk('2026-11-16');
      if (lock !== undefined) w.days.decide(lock, '2026-11-16', { isFinal: true });
    }
    expect(w.days.standing()).toMatchObject({ isFinal: true });
    w.days.reopen('2026-11-16');
    expect(w.days.standing()).toMatchObject({ isFinal: false });
  });

  it('counts for the day that the clock shows, even after it jumps back or the machine slept', async () => {
    await using w = await world('2026-10-24T21:30:00.000Z');
    w.days.record('a', { costUsd: 6, tokens: 0 });
    // Three hours of sleep across midnight, on the night the clocks go back.
    w.clock.advance(3 * HOUR_MS);
    expect(w.days.today()).toBe('2026-10-25');
    expect(w.days.standing()).toBeUndefined();
    w.days.record('a', { costUsd: 5, tokens: 0 });
    expect(w.days.standing()?.until).toBe('2026-10-25T23:00:00.000Z');
    w.clock.advance(-3 * HOUR_MS);
    expect(w.days.standing()).toMatchObject({ day: '2026-10-24', reached: { used: 6 } });
  });

  it.each([
    ['$20', 20],
    ['20 dollars', 20],
    ['2,000,000 tokens', 2_000_000],
    ['7.50', 7.5],
    ['no', undefined],
    ['-3', undefined],
    ['0', undefined],
    ['wait until 12', undefined],
  ])('reads %j, written by a person, as %s', (text, amount) => {
    expect(amountIn(text)).toBe(amount);
  });
});

admissionContract('over files', async () => {
  const w = await world();
  const gate = w.gate('a');
  return {
    admission: w.admission,
    use: { agent: 'claude' },
    limit: () => w.limit(gate),
    passReset: async () => w.clock.advance(HOUR_MS),
    tryFirst: async () => void (await gate.enter()),
    open: () => gate.answer(),
    leave: () => gate.leave(),
    spend: async () => w.days.record('a', { costUsd: 5, tokens: 0 }),
    passDay: async () => w.clock.advance(24 * HOUR_MS),
    [Symbol.asyncDispose]: () => w[Symbol.asyncDispose](),
  };
});
