import { describe, expect, it } from 'vitest';
import { entry } from '../../test/support/queue-entries.js';
import { arrange, type OrderFacts } from './order.js';
import { ALWAYS, NO_LIMITS } from './port.js';
import type { Entry } from './schema.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');

function standings(entries: readonly Entry[], facts: Partial<OrderFacts> = {}) {
  const placed = arrange(entries, {
    now: NOW,
    pausedAt: null,
    limits: NO_LIMITS,
    admission: ALWAYS,
    agentOf: ({ options }) => options.agent ?? 'claude',
    isHeld: () => true,
    ...facts,
  });
  return placed.map(({ entry: { id }, standing }) => ({ id, ...standing }));
}

const short = ({ id }: Entry) => id.slice(0, 8);

describe('the order of the queue', () => {
  it('is by priority, then by position', () => {
    const [late, early, urgent] = [
      entry({ position: 2 }),
      entry({ position: 1 }),
      entry({ position: 3, priority: 5 }),
    ];
    expect(standings([late, early, urgent]).map(({ id }) => id)).toEqual([urgent.id, early.id, late.id]);
  });

  it('makes an entry wait for what it comes after, and blocks it if that failed', () => {
    const first = entry();
    const second = entry({ after: [first.id] });
    expect(standings([first, second])[1]).toMatchObject({
      is: 'waits',
      reason: `comes after ${short(first)} plan.md`,
    });
    const failed = { ...first, status: 'failed' as const, reason: 'no disk' };
    const third = entry({ after: [second.id] });
    expect(standings([failed, second, third]).slice(1)).toEqual([
      { id: second.id, is: 'blocked', reason: `${short(first)} plan.md failed: no disk` },
      { id: third.id, is: 'blocked', reason: `${short(second)} plan.md is blocked` },
    ]);
    expect(standings([{ ...failed, onFailure: 'continue' }, second])[1]).toMatchObject({ is: 'next' });
    expect(standings([{ ...failed, onFailure: 'ask' }, second])[1]).toMatchObject({ is: 'waits' });
  });

  it('blocks a cycle and what lost its predecessor, with the reason, and lets everything else continue', () => {
    const a = entry();
    const b = entry({ after: [a.id] });
    const alone = entry();
    const lost = entry({ after: ['99999999-0000-4000-8000-000000000000'] });
    const [one, two, three, four] = standings([{ ...a, after: [b.id] }, b, alone, lost]);
    expect([one?.is, two?.is, three?.is, four?.is]).toEqual(['blocked', 'blocked', 'next', 'blocked']);
    expect(one).toMatchObject({ reason: `waits for itself: ${short(a)} → ${short(b)} → ${short(a)}` });
  });

  it('waits for a moment, and says which', () => {
    const notBefore = '2026-03-01T22:00:00.000Z';
    expect(standings([entry({ notBefore })])[0]).toMatchObject({ is: 'waits', until: notBefore });
    expect(standings([entry({ notBefore })], { now: new Date(notBefore) })[0]).toMatchObject({ is: 'next' });
  });

  it('lets one entry at a time into a tree, and into a worktree that several continue in', () => {
    const done = entry({ status: 'done', worktree: '/worktrees/a' });
    const next = () => entry({ continues: done.id, after: [done.id], base: null });
    expect(standings([done, next(), next()]).map(({ is }) => is)).toEqual(['done', 'next', 'waits']);
    const inPlace = (status: Entry['status']) => entry({ isInPlace: true, base: null, status });
    expect(standings([inPlace('running'), inPlace('queued'), entry()]).map(({ is }) => is)).toEqual([
      'running',
      'waits',
      'next',
    ]);
  });

  it('respects the slots of agents and accounts', () => {
    const work = () => entry({ options: { ...entry().options, agent: 'codex', account: 'work' } });
    const perAgent = { limits: { perAgent: { codex: 2 }, perAccount: {} } };
    expect(standings([work(), work(), work()], perAgent).map(({ is }) => is)).toEqual([
      'next',
      'next',
      'waits',
    ]);
    const whyLast = (limits: object) => standings([work(), work(), work()], limits).at(-1);
    expect(whyLast(perAgent)).toMatchObject({ reason: 'all 2 slots of the agent codex are taken' });
    const perAccount = { limits: { perAgent: {}, perAccount: { work: 1 } } };
    expect(whyLast(perAccount)).toMatchObject({ reason: 'the only slot of the account work is taken' });
    expect(standings([work(), work(), entry()], perAccount).map(({ is }) => is)).toEqual([
      'next',
      'waits',
      'next',
    ]);
  });

  it('shows what admission says, and until when', () => {
    const until = '2026-03-02T03:00:00.000Z';
    const admission = { standing: () => ({ may: false as const, reason: 'the limit is used up', until }) };
    expect(standings([entry()], { admission })[0]).toMatchObject({
      is: 'waits',
      reason: 'the limit is used up',
      until,
    });
  });

  it('recognises a run whose worker is gone', () => {
    expect(standings([entry({ status: 'running' })], { isHeld: () => false })[0]).toMatchObject({
      is: 'running',
      isAbandoned: true,
    });
  });
});
