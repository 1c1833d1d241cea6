import { describe, expect, it } from 'vitest';
import { iterationStart } from '../../../test/support/run-events.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { verifies } from '../../../test/support/verifies.js';
import type { NoticeEvent } from '../../notices/index.js';
import type { RunEvent } from './events.js';
import { RunJournal } from './journal.js';
import { runTeller } from './notice-events.js';

const ID = '0b54a6e5-4c1e-4b5a-9a2c-0d5c5b1f6e77';
const START: RunEvent = {
  type: 'run-start',
  sessionId: ID,
  plan: 'docs/prps/adder.md',
  agent: 'claude',
  isResumed: false,
  conversation: '/c',
  phase: 'RED',
  story: null,
  verify: [],
  budget: {},
  preset: 'tdd',
  phases: ['RED'],
  stories: null,
  tests: [],
};
const died: RunEvent = { type: 'agent', event: { type: 'turn-end', reason: 'died', message: 'exit code 1' } };
const completed: RunEvent = {
  type: 'agent',
  event: { type: 'turn-end', reason: 'completed', message: null },
};
const quota: RunEvent = {
  type: 'waiting',
  cause: 'quota',
  until: '2026-11-16T03:00:00.000Z',
  scope: 'weekly',
  words: null,
};
const overloaded: RunEvent = {
  type: 'waiting',
  cause: 'overload',
  until: '2026-11-16T03:00:00.000Z',
  status: 529,
  words: 'busy',
};
const asks: RunEvent = { type: 'question', sessionId: 'q', title: 'Limit', prompt: 'How?', from: 'run' };
const end = (outcome: 'completed' | 'halted' | 'limit' | 'needs-person' | 'stopped'): RunEvent => ({
  type: 'run-end',
  sessionId: ID,
  outcome,
  reason: 'because',
});

function told(events: readonly RunEvent[]): (NoticeEvent | undefined)[] {
  const teller = runTeller('/work/shop');
  return events.map((event, seq) => teller.take({ seq, at: '2026-11-15T12:00:00.000Z', event }));
}

const kindsOf = (events: readonly RunEvent[]) =>
  told(events).flatMap((event) => (event === undefined ? [] : [event.kind]));

describe('what a person is told about a run', () => {
  verifies('N01', 'limit, breaker, the end, a dead agent, a used-up quota and its return', () => {
    expect(kindsOf([START, end('completed')])).toEqual(['run-ended']);
    expect(kindsOf([START, end('halted')])).toEqual(['breaker']);
    expect(kindsOf([START, end('limit')])).toEqual(['limit']);
    expect(kindsOf([START, died, died, completed, died])).toEqual(['agent-died', 'agent-died']);
    expect(kindsOf([START, quota, quota, iterationStart(), iterationStart()])).toEqual([
      'limit',
      'quota-back',
    ]);
    expect(kindsOf([START, overloaded, iterationStart()])).toEqual([]);
  });

  it('is not what they know already: they stopped it, have just answered, or got a notice of the question', () => {
    expect(kindsOf([START, end('stopped')])).toEqual([]);
    expect(kindsOf([START, end('needs-person')])).toEqual([]);
    expect(kindsOf([START, asks, end('limit')])).toEqual([]);
  });

  it('has the same key in every process that reads it', () => {
    const [, first] = told([START, end('completed')]);
    expect(first).toEqual({
      key: `run:${ID}:1`,
      kind: 'run-ended',
      at: '2026-11-15T12:00:00.000Z',
      question: null,
      directory: '/work/shop',
      agent: 'claude',
      shortId: '0b54a6e5',
      detail: 'completed',
      text: 'because',
    });
  });

  it('is also that it broke off, once it had begun', () => {
    const now = new Date('2026-11-15T12:00:00.000Z');
    const teller = runTeller('/work/shop');
    expect(teller.fail(new Error('disk full'), now)).toBeUndefined();
    teller.take({ seq: 1, at: now.toISOString(), event: START });
    expect(teller.fail(new Error('disk full'), now)).toMatchObject({ kind: 'run-ended', detail: 'failed' });
  });

  verifies('N01', 'a run resumed with 1,000 old turns sends notices about none of them', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const tools = storageTools();
    const open = () =>
      RunJournal.open(tools, { runs: dir.at('runs'), sessionId: ID, lock: { assertHeld: () => {} } });
    const seen: NoticeEvent[] = [];
    const follow = (journal: RunJournal) => {
      const teller = runTeller('/work/shop');
      journal.follow(journal.start, (entry) => {
        const event = teller.take(entry);
        if (event !== undefined) seen.push(event);
      });
    };
    {
      using journal = open();
      journal.record(START);
      for (let turn = 0; turn < 1_000; turn++) journal.record(turn % 2 === 0 ? died : completed);
      journal.record(quota);
      journal.record(end('limit'));
    }
    {
      using journal = open();
      follow(journal);
      journal.record({ ...START, isResumed: true } as RunEvent);
      journal.record(iterationStart());
    }
    expect(seen).toEqual([]);
  });
});
