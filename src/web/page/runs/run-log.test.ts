import { describe, expect, it } from 'vitest';
import { iterationEnd, iterationStart, runStart, standing } from '../../../../test/support/run-events.js';
import type { RunEntry } from '../../contract/index.js';
import { emptyLog, lastSaid, MAX_ITEMS, withEntries } from './run-log.js';

const entry = (seq: number, event: RunEntry['event'], more: Partial<RunEntry> = {}): RunEntry => ({
  run: 'r',
  seq,
  at: '2026-11-16T12:00:00.000Z',
  event,
  lines: [],
  ...more,
});
const says = (seq: number, text: string) => entry(seq, { type: 'agent', event: { type: 'text', text } });
const does = (seq: number, doing: string) =>
  entry(
    seq,
    {
      type: 'agent',
      event: { type: 'tool-call', id: 't', name: 'Edit', kind: 'edit', title: 'Edit', input: {} },
    },
    { doing },
  );

describe('what happened in a run', () => {
  it("comes from the run view's model and from what the agent said and did, in order", () => {
    const log = withEntries(emptyLog(0), [
      entry(1, runStart(), { lines: [{ text: 'adder.md with player', tone: 'plain' }] }),
      entry(2, standing()),
      entry(3, iterationStart()),
      says(4, 'I read '),
      says(5, 'the plan.'),
      does(6, 'Edit a.ts'),
      says(7, 'Done.'),
      entry(8, iterationEnd(), { lines: [{ text: '  it goes on', tone: 'good' }] }),
    ]);
    expect(log.items.map(({ kind, text }) => [kind, text])).toEqual([
      ['line', 'adder.md with player'],
      ['said', 'I read the plan.'],
      ['did', 'Edit a.ts'],
      ['said', 'Done.'],
      ['line', expect.stringMatching(/tests pass/)],
      ['line', '  it goes on'],
    ]);
    expect([log.view.plan, log.view.standing?.phase, log.seq, log.total]).toEqual([
      'docs/prps/adder.md',
      'GREEN',
      8,
      6,
    ]);
    expect(lastSaid(log)?.text).toBe('Done.');
  });

  it('appears once, however often the stream sends it', () => {
    const once = withEntries(emptyLog(0), [does(1, 'a'), does(2, 'b')]);
    expect(withEntries(once, [does(1, 'a'), does(2, 'b')])).toEqual(once);
    expect(withEntries(once, [does(2, 'b'), does(3, 'c')]).items.map(({ text }) => text)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('is only the newest part of a long journal, and how much was left out', () => {
    const many = Array.from({ length: MAX_ITEMS + 50 }, (_, index) => does(index + 1, `do ${index}`));
    const log = withEntries(withEntries(emptyLog(0), many.slice(0, 600)), many.slice(600));
    expect([log.items.length, log.dropped, log.total, log.items.at(-1)?.text]).toEqual([
      MAX_ITEMS,
      50,
      MAX_ITEMS + 50,
      `do ${MAX_ITEMS + 49}`,
    ]);
  });

  it('shows hidden characters', () => {
    const log = withEntries(emptyLog(0), [says(1, 'a\u202eb'), does(2, 'c\u001bd')]);
    expect(log.items.map(({ text }) => text)).toEqual(['a\\u{202e}b', 'c^[d']);
  });
});
