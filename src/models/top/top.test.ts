import { describe, expect, it } from 'vitest';
import { ASKED, overviewRow } from '../../../test/support/overview-rows.js';
import type { OverviewRow } from '../../overview/index.js';
import type { TopAction } from './act.js';
import { inOrder, matching } from './order.js';
import { initialTop, type TopEffect, type TopState } from './state.js';
import { update } from './update.js';
import { countsOf, labelsOf, projectLabels, wordsOf } from './words.js';

const NOW = new Date('2026-05-01T10:12:00.000Z');

const asks = overviewRow({ id: 'asks', group: 'asks', question: ASKED, since: '2026-05-01T10:11:00.000Z' });
const asked = overviewRow({ id: 'older', group: 'asks', question: { ...ASKED, id: 'q0' } });
const rests = overviewRow({ id: 'rests', group: 'rests', status: 'paused', why: 'paused: requested' });
const works = overviewRow({ id: 'works', project: '/home/me/blog' });
const ended = overviewRow({ id: 'ended', group: 'ended', status: 'completed', isRunning: false });

function listed(rows: readonly OverviewRow[], from: TopState = initialTop(0)): TopState {
  return update(from, { type: 'listed', rows, nowMs: NOW.getTime() })[0];
}

function played(from: TopState, ...actions: TopAction[]): { state: TopState; effects: TopEffect[] } {
  const effects: TopEffect[] = [];
  let state = from;
  for (const action of actions) {
    const [next, more] = update(state, { type: 'act', action });
    state = next;
    effects.push(...more);
  }
  return { state, effects };
}

/** A state with this row selected. */
function on(row: OverviewRow): TopState {
  return { ...listed([row]), selectedKey: row.key };
}

describe('the order of the overview', () => {
  it('O02: what is waiting comes first, the oldest question on top, then what is working, then what ended', () => {
    const rows = inOrder([ended, works, rests, asks, asked]);
    expect(rows.map(({ id }) => id)).toEqual(['older', 'asks', 'rests', 'works', 'ended']);
  });

  it('does not move a row whose state is unchanged', () => {
    const [first, second] = [overviewRow({ id: 'a' }), overviewRow({ id: 'b' })];
    expect(inOrder([second, first])).toEqual(inOrder([first, second]));
  });
});

describe('a filter', () => {
  it('keeps the rows that contain every word, in any case', () => {
    expect(matching([asks, works, ended], 'BLOG green').map(({ id }) => id)).toEqual(['works']);
    expect(matching([asks, works], 'which table')).toEqual([asks]);
    expect(matching([asks, works], '  ')).toEqual([asks, works]);
    expect(matching([asks, works], 'nobody')).toEqual([]);
  });

  it('is typed, kept and cleared, and moves the selection off a row that it hides', () => {
    const state = listed([asks, works]);
    const typed = played(state, { do: 'filter' }, { do: 'filter-by', text: 'blog' }).state;
    expect([typed.shown, typed.selectedKey]).toEqual([[works], works.key]);
    const kept = played(typed, { do: 'keep-filter' }).state;
    expect([kept.mode.name, kept.filter]).toEqual(['watch', 'blog']);
    expect(played(kept, { do: 'clear-filter' }).state.shown).toEqual([asks, works]);
  });

  it('cannot be typed before it was begun', () => {
    expect(played(listed([asks]), { do: 'filter-by', text: 'x' }).state.filter).toBe('');
  });
});

describe('a person at the overview, on any surface', () => {
  it('opens a row: answers its question, otherwise looks at it', () => {
    expect(played(on(asks), { do: 'open' }).effects).toEqual([{ do: 'answer', question: 'q1' }]);
    expect(played(on(works), { do: 'open' }).effects).toEqual([{ do: 'attach', row: works }]);
    expect(played(on(asks), { do: 'attach' }).effects).toEqual([{ do: 'attach', row: asks }]);
  });

  it('stops a run only after a yes', () => {
    const considered = played(on(works), { do: 'consider-stopping' });
    expect([considered.effects, considered.state.mode.name]).toEqual([[], 'stop']);
    expect(played(considered.state, { do: 'stop' }).effects).toEqual([{ do: 'stop', row: works }]);
    expect(played(considered.state, { do: 'go-back' }, { do: 'stop' }).effects).toEqual([]);
  });

  it.each([
    ['pause', rests, 'It is paused; r resumes it.'],
    ['pause', { ...rests, status: 'suspended', isRunning: false }, 'No process runs it; r resumes it.'],
    ['resume', works, 'It is working.'],
    ['resume', asks, 'It is waiting for your answer; a answers it.'],
    ['resume', ended, 'It is completed.'],
    ['pause', { ...works, kind: 'chat' as const }, 'Only runs can be paused, resumed and stopped from here.'],
    ['answer', works, 'It is not asking anything.'],
    ['go-there', { ...works, project: null }, 'Its directory was not recorded.'],
  ] as const)('is told why %s is not possible', (what, row, notice) => {
    const { state, effects } = played(on(row), { do: what });
    expect([state.notice, effects]).toEqual([notice, []]);
  });

  it('resumes what is resting, and what is waiting for a limit', () => {
    const limited = { ...works, why: 'the limit is used up, until 12:00' };
    for (const row of [rests, limited, { ...rests, isRunning: false, status: 'suspended' }])
      expect(played(on(row), { do: 'resume' }).effects).toEqual([{ do: 'resume', row }]);
  });

  it('does nothing if there are no rows', () => {
    const all = played(listed([]), { do: 'move', by: 1 }, { do: 'open' }, { do: 'stop' }, { do: 'pause' });
    expect([all.effects, all.state.selectedKey]).toEqual([[], null]);
  });

  it('stays on a row when others come and go, and near it when it goes', () => {
    const state = { ...listed([asks, works, ended]), selectedKey: works.key };
    expect(listed([asked, asks, works], state).selectedKey).toBe(works.key);
    expect(listed([asks, ended], state).selectedKey).toBe(ended.key);
    expect(listed([], state).selectedKey).toBeNull();
  });
});

describe('a row of another machine', () => {
  const there = overviewRow({ id: 'there', machine: 'workstation' });

  it("is steered and answered like a local one, and found by its machine's name", () => {
    expect(played(on(there), { do: 'pause' }).effects).toEqual([{ do: 'pause', row: there }]);
    const asking = { ...there, group: 'asks' as const, question: ASKED };
    expect(played(on(asking), { do: 'open' }).effects).toEqual([{ do: 'answer', question: 'q1' }]);
    expect(matching([works, there], 'workst')).toEqual([there]);
  });

  it.each([
    ['open', 'It is on workstation; its line-by-line output stays there.'],
    ['attach', 'It is on workstation; its line-by-line output stays there.'],
    ['go-there', 'It is in /home/me/shop on workstation.'],
  ] as const)('asked to %s, says where it is', (what, notice) => {
    const { state, effects } = played(on(there), { do: what });
    expect([state.notice, effects]).toEqual([notice, []]);
  });

  it('says what is on its way to it, and how long its machine has been silent', () => {
    const onItsWay = { request: 'r', kind: 'pause', by: 'bob' };
    const why = (row: OverviewRow) => wordsOf(row, new Map(), NOW).why;
    expect(why(there)).toBe('');
    expect(why({ ...there, onItsWay, asOf: '2026-05-01T10:07:00.000Z' })).toBe(
      'pause is on its way · no sign for 5m',
    );
    expect(why({ ...there, why: 'paused: lunch', asOf: '2026-05-01T10:07:00.000Z' })).toBe(
      'paused: lunch · no sign for 5m',
    );
    expect(why({ ...there, asOf: 'nonsense' })).toBe('');
  });
});

describe('something new that is waiting', () => {
  const ring = (before: TopState, rows: readonly OverviewRow[]) =>
    update(before, { type: 'listed', rows, nowMs: 0 })[1];

  it('rings once, and what was there at the start does not', () => {
    expect(ring(initialTop(0), [asks])).toEqual([]);
    expect(ring(listed([works]), [asks, works])).toEqual([{ do: 'ring' }]);
    expect(ring(listed([]), [asks])).toEqual([{ do: 'ring' }]);
    expect(ring(listed([asks]), [asks])).toEqual([]);
    expect(ring(listed([asks]), [{ ...asks, question: { ...ASKED, id: 'q9' } }])).toEqual([{ do: 'ring' }]);
    expect(ring(listed([asks]), [works])).toEqual([]);
  });
});

describe('a row in words', () => {
  const labels = projectLabels(['/home/me/shop']);

  it('has what the columns need', () => {
    expect(wordsOf({ ...asks, since: '2026-05-01T10:00:00.000Z' }, labels, NOW)).toEqual({
      machine: '',
      project: 'shop',
      plan: 'login',
      agent: 'claude',
      phase: 'GREEN',
      cost: '$0.50',
      age: '12m',
      why: 'asks: Which table?',
    });
  });

  it('marks a cost from a price list, and an unknown one', () => {
    const cost = (source: 'priced' | 'unknown') =>
      wordsOf({ ...works, cost: { usd: 2, source } }, labels, NOW).cost;
    expect([cost('priced'), cost('unknown')]).toEqual(['≈$2', '?']);
    expect(wordsOf({ ...works, cost: null }, labels, NOW).cost).toBe('-');
  });

  it('lets nothing through that a terminal would obey', () => {
    const evil = 'a\x1b[2J\nb\u202e';
    const onItsWay = { request: evil, kind: evil, by: evil };
    const row = {
      ...asks,
      title: evil,
      agent: evil,
      phase: evil,
      project: `/${evil}`,
      machine: evil,
      onItsWay,
    };
    const question = { ...ASKED, prompt: evil };
    const words = wordsOf({ ...row, question }, projectLabels([row.project]), NOW);
    for (const text of Object.values(words)) expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
  });

  it('tells projects of the same name apart by what precedes it', () => {
    const paths = ['/a/work/shop', '/a/home/shop', '/a/blog', '/'];
    expect([...projectLabels(paths).values()]).toEqual(['work/shop', 'home/shop', 'blog', '/']);
  });

  it('of the fleet has the name of its repository and of its plan, whatever the paths are', () => {
    const worktree = {
      path: '/state/fleet/worktrees/1188daa5-0000-4000-8000-000000000000',
      branch: 'holdfast/login-1188daa5',
      repository: '/state/fleet/repositories/0123/mirror.git',
    };
    const row = { ...works, title: 'docs/prps/login.md', project: worktree.repository };
    const shared = { ...row, worktree: { ...worktree, repositoryName: 'shop' } };
    expect(wordsOf(shared, labelsOf([shared, asks]), NOW)).toMatchObject({ project: 'shop', plan: 'login' });
    expect(labelsOf([shared])).toEqual(new Map());
    // In a worktree of a person's own repository, the name says which one.
    const own = { ...row, worktree: { ...worktree, path: '/state/worktrees/shop/login-2' } };
    expect(wordsOf(own, labelsOf([own]), NOW).plan).toBe('login in login-2');
  });

  it('counts', () => {
    expect(countsOf([asks, asked, works, ended])).toBe('2 waiting for you, 1 working, 1 ended today');
    expect(countsOf([])).toBe('');
  });
});
