import type { OverviewRow } from '../../src/overview/index.js';

/** A row of the overview; a working run unless something else is given. */
export function overviewRow(given: Partial<OverviewRow> = {}): OverviewRow {
  const id = given.id ?? '0b54a6e5-4c1e-4b5a-9a2c-0d5c5b1f6e77';
  return {
    key: `run:${id}`,
    kind: 'run',
    id,
    project: '/home/me/shop',
    title: 'docs/prps/login.md',
    agent: 'claude',
    group: 'works',
    status: 'running',
    phase: 'GREEN',
    tests: [],
    cost: { usd: 0.5, source: 'reported' },
    startedAt: '2026-05-01T10:00:00.000Z',
    since: '2026-05-01T10:00:00.000Z',
    why: null,
    question: null,
    isRunning: true,
    isArchived: false,
    ...given,
  };
}

export const ASKED = { id: 'q1', title: 'Table', prompt: 'Which table?', more: 0 } as const;
