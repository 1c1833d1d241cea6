import type { Card, PageChange, PageSnapshot } from '../../src/web/contract/index.js';

/** Made-up cards and changes for the tests of the page. */
export function idOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

export function cardOf(number: number, set: Partial<Card['set']> = {}, draft: Card['draft'] = null): Card {
  return {
    set: {
      sessionId: idOf(number),
      status: 'pending',
      questions: [
        {
          title: 'Database',
          prompt: 'Which database?',
          options: [{ label: 'PostgreSQL' }, { label: 'SQLite' }],
        },
      ],
      answers: null,
      rejectionReason: null,
      abandonedReason: null,
      late: false,
      createdAt: `2026-11-16T11:00:${`${number}`.padStart(2, '0')}.000Z`,
      lastActivityAt: '2026-11-16T11:00:00.000Z',
      expiresAt: null,
      collectedAt: null,
      actor: null,
      workingDirectory: '/home/ada/shop',
      asker: { agent: 'claude' },
      isAskerGone: false,
      faults: [],
      ...set,
    },
    draft,
    row: null,
  };
}

/** What a person has chosen and typed for one question so far. */
export function draftAnswer(given: Partial<DraftAnswer> = {}): DraftAnswer {
  return { selected: [], isOther: false, text: '', isConfirmed: false, ...given };
}

type DraftAnswer = NonNullable<Card['draft']>['answers'][number];

export function snapshot(given: Partial<PageSnapshot> = {}): PageSnapshot {
  const me = { device: 'd1', name: 'Chrome on Linux', can: 'answer' } as const;
  return { seq: 1, now: '2026-11-16T12:00:05.000Z', me, cards: [], rows: [], ...given };
}

export function changeOf(seq: number, given: Partial<PageChange> = {}): PageChange {
  return {
    seq,
    now: '2026-11-16T12:00:05.000Z',
    cards: [],
    settled: [],
    goneCards: [],
    rows: [],
    goneRows: [],
    ...given,
  };
}
