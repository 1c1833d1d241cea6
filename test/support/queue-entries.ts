import {
  ALWAYS,
  type Entry,
  type EntryEnd,
  hashOf,
  type NewEntry,
  NO_LIMITS,
  type PlanFiles,
  type Taker,
} from '../../src/queue/index.js';

export const PLAN_FILES: PlanFiles = { files: new Map([['plan.md', Buffer.from('# plan\n')]]) };
const HASH = hashOf(PLAN_FILES.files);

/** A taker that takes whatever there is. */
export const TAKER: Taker = { limits: NO_LIMITS, admission: ALWAYS, agentOf: () => 'claude', own: new Set() };

/** The end of an entry that is done. */
export const DONE: EntryEnd = {
  outcome: 'done',
  reason: null,
  worktree: null,
  hasPrompted: true,
  report: '{}',
  question: null,
};

/** Something to queue; a test sets what it is about. */
export function newEntry(overrides: Partial<NewEntry> = {}): NewEntry {
  return {
    plan: { kind: 'prp', name: 'plan.md', source: '/project/plan.md', hash: HASH, files: ['plan.md'] },
    project: '/project',
    repository: '/project/.git',
    base: 'c'.repeat(40),
    continues: null,
    isInPlace: false,
    options: { verify: [], isUnattended: false, isDirtyTaken: false },
    after: [],
    notBefore: null,
    priority: 0,
    onFailure: 'stop',
    retriesLeft: 0,
    ...overrides,
  };
}

let made = 0;

/** An entry as it is in a queue, for rules that only read. */
export function entry(overrides: Partial<Entry> = {}): Entry {
  made += 1;
  return {
    ...newEntry(),
    version: 1,
    id: `${String(made).padStart(8, '0')}-0000-4000-8000-000000000000`,
    status: 'queued',
    position: made,
    addedAt: '2026-03-01T12:00:00.000Z',
    runId: null,
    worker: null,
    startedAt: null,
    endedAt: null,
    reason: null,
    worktree: null,
    question: null,
    ...overrides,
  };
}
