import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/support/verifies.js';
import type { NoticeEvent } from './events.js';
import { decide, endOfQuiet, isMeantFor, nextTry, type PolicyFacts } from './policy.js';
import type { NoticeRecord } from './schema.js';
import { parseQuietHours } from './settings.js';

/** The middle of a day, wherever this runs. */
const NOON = new Date(2026, 10, 15, 12, 0, 0);
const ago = (ms: number) => new Date(NOON.getTime() - ms);
const MINUTE = 60_000;

function notice(overrides: Partial<NoticeRecord> = {}): NoticeRecord {
  return {
    version: 1,
    id: '6b1f9c2e-0000-4000-8000-000000000001',
    event: 'question:x',
    kind: 'question',
    channel: 'phone',
    state: 'queued',
    at: ago(0).toISOString(),
    queuedAt: ago(0).toISOString(),
    dueAt: ago(0).toISOString(),
    question: '6b1f9c2e-0000-4000-8000-000000000002',
    project: 'shop',
    agent: 'claude',
    shortId: '6b1f9c2e',
    detail: null,
    text: null,
    tries: 0,
    message: null,
    reason: null,
    ...overrides,
  };
}

function facts(overrides: Partial<PolicyFacts> = {}): PolicyFacts {
  return {
    now: NOON,
    channel: { type: 'desktop' },
    quietHours: null,
    digestMs: MINUTE,
    question: 'pending',
    seenAt: null,
    lastSentAt: null,
    ...overrides,
  };
}

describe('what is to be done about a notice', () => {
  it('is to send it when it is due', () => {
    expect(decide(notice(), facts())).toEqual({ do: 'send' });
  });

  it('is nothing once it was sent, failed or is over', () => {
    for (const state of ['sent', 'failed', 'answered', 'seen'] as const)
      expect(decide(notice({ state }), facts()), state).toEqual({ do: 'nothing' });
  });

  it("is nothing while the status of another machine's question is unknown, whether due or sent", () => {
    for (const state of ['queued', 'sent', 'seen'] as const)
      expect(
        decide(notice({ state, machine: 'workstation' }), facts({ question: 'unknown' })),
        state,
      ).toEqual({
        do: 'nothing',
      });
  });

  it('is to end it when the question was answered, sent or not', () => {
    for (const state of ['queued', 'sent', 'seen'] as const)
      expect(decide(notice({ state }), facts({ question: 'completed' })), state).toEqual({
        do: 'settle',
        how: 'completed',
      });
  });

  verifies('N03', 'suppressed only if that very card was on a focused screen within 15 s', () => {
    expect(decide(notice(), facts({ seenAt: ago(15_000) }))).toEqual({ do: 'see' });
    expect(decide(notice(), facts({ seenAt: ago(15_001) }))).toEqual({ do: 'send' });
    // If the clock was set back, nothing counts as seen.
    expect(decide(notice(), facts({ seenAt: ago(-60_000) }))).toEqual({ do: 'send' });
  });

  verifies('N03', 'the next channel gets it when nobody opened it, and not when somebody did', () => {
    const channel = { type: 'desktop', afterMinutes: 10 } as const;
    const queued = notice({ queuedAt: ago(4 * MINUTE).toISOString(), dueAt: ago(-6 * MINUTE).toISOString() });
    expect(decide(queued, facts({ channel }))).toMatchObject({ do: 'wait', why: 'due' });
    const due = notice({ queuedAt: ago(10 * MINUTE).toISOString() });
    expect(decide(due, facts({ channel }))).toEqual({ do: 'send' });
    expect(decide(due, facts({ channel, seenAt: ago(5 * MINUTE) }))).toEqual({ do: 'see' });
    expect(decide(due, facts({ channel, seenAt: ago(11 * MINUTE) }))).toEqual({ do: 'send' });
  });

  verifies('N03', 'quiet hours hold back everything except on a channel meant for them', () => {
    const quietHours = parseQuietHours('11:30-13:00') ?? null;
    expect(decide(notice(), facts({ quietHours }))).toEqual({
      do: 'wait',
      until: new Date(2026, 10, 15, 13, 0, 0),
      why: 'quiet hours',
    });
    expect(decide(notice(), facts({ quietHours, channel: { type: 'desktop', inQuietHours: true } }))).toEqual(
      {
        do: 'send',
      },
    );
  });

  verifies('N03', 'what follows a message closely waits to be sent as one', () => {
    expect(decide(notice(), facts({ lastSentAt: ago(20_000) }))).toEqual({
      do: 'wait',
      until: new Date(NOON.getTime() + 40_000),
      why: 'digest',
    });
    expect(decide(notice(), facts({ lastSentAt: ago(MINUTE) }))).toEqual({ do: 'send' });
    expect(decide(notice(), facts({ lastSentAt: ago(1), channel: { type: 'terminal' } }))).toEqual({
      do: 'send',
    });
  });

  it('is to give up on what is neither a question nor still news', () => {
    const old = notice({ question: null, kind: 'run-ended', at: ago(25 * 60 * MINUTE).toISOString() });
    expect(decide(old, facts({ question: null }))).toMatchObject({ do: 'fail' });
  });

  it('is to send a test whatever the hour', () => {
    const test = notice({ kind: 'test', question: null });
    const quietHours = parseQuietHours('11:30-13:00') ?? null;
    expect(decide(test, facts({ question: null, quietHours, lastSentAt: ago(1) }))).toEqual({ do: 'send' });
  });
});

describe('quiet hours', () => {
  it.each([
    ['22:00-07:00', 23, 7, 1],
    ['22:00-07:00', 3, 7, 0],
    ['22:00-07:00', 7, null, 0],
    ['22:00-07:00', 21, null, 0],
    ['01:00-05:00', 2, 5, 0],
    ['01:00-05:00', 5, null, 0],
  ])('%s at %i o’clock', (words, hour, end, daysOn) => {
    const until = endOfQuiet(new Date(2026, 5, 15, hour, 0, 0), parseQuietHours(words) ?? null);
    expect(until).toEqual(end === null ? undefined : new Date(2026, 5, 15 + daysOn, end, 0, 0));
  });

  it.each(['', '22-7', '24:00-07:00', '22:00-22:00', '22:00-07:60'])('%j are none', (words) => {
    expect(parseQuietHours(words)).toBeUndefined();
  });
});

describe('which channel has an event', () => {
  const event = (overrides: Partial<NoticeEvent> = {}): NoticeEvent => ({
    key: 'k',
    kind: 'question',
    at: NOON.toISOString(),
    question: 'q',
    directory: null,
    agent: null,
    shortId: 'k',
    detail: null,
    text: null,
    ...overrides,
  });

  it('is what the user configured; what cannot be opened does not escalate', () => {
    expect(isMeantFor(event(), { type: 'desktop' })).toBe(true);
    expect(isMeantFor(event(), { type: 'desktop', events: ['limit'] })).toBe(false);
    expect(isMeantFor(event(), { type: 'desktop', afterMinutes: 5 })).toBe(true);
    expect(
      isMeantFor(event({ question: null, kind: 'run-ended' }), { type: 'desktop', afterMinutes: 5 }),
    ).toBe(false);
  });
});

describe('tries', () => {
  it('come at growing intervals, and end', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((tries) => nextTry(tries, NOON)?.getTime());
    expect(waits.map((at) => at && (at - NOON.getTime()) / 1_000)).toEqual([
      5,
      15,
      60,
      300,
      900,
      3_600,
      undefined,
    ]);
  });
});
