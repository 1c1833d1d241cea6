import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.js';
import { describeWait, momentOf, type Waiting } from './wait-words.js';

/** The middle of a day in any time zone. */
const NOW = new Date(2026, 10, 15, 12, 0, 0);
const later = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
const DAY_MS = 86_400_000;

describe('a wait in words', () => {
  const words = "You've hit your weekly limit";
  const cases: readonly (readonly [Waiting, string])[] = [
    [
      {
        cause: 'overload',
        until: later(30_000),
        status: 529,
        words: 'API Error: 529 Overloaded. It is temporary.',
      },
      "waiting 30s: the agent's service is overloaded (529), until 12:00:30; `holdfast resume` tries now",
    ],
    [
      { cause: 'overload', until: later(30_000), status: null, words: 'High demand' },
      "waiting 30s: the agent's service is overloaded (High demand), until 12:00:30; `holdfast resume` tries now",
    ],
    [
      { cause: 'quota', until: later(2 * DAY_MS + 7_500_000), scope: 'weekly', words },
      `waiting 2d 2h: the agent's weekly limit is used up ("${words}"), until 2026-11-17 14:05:00; \`holdfast resume\` tries now`,
    ],
    [
      { cause: 'quota', until: later(60_000), scope: null, words: null },
      "waiting 1m 0s: the agent's limit is used up, until 12:01:00; `holdfast resume` tries now",
    ],
    [
      { cause: 'network', until: later(60_000), words: 'ECONNREFUSED' },
      'waiting 1m 0s: the agent\'s service cannot be reached ("ECONNREFUSED"), until 12:01:00; `holdfast resume` tries now',
    ],
    [
      { cause: 'calls-per-hour', until: later(60_000), calls: 100 },
      'waiting 1m 0s: 100 calls within an hour, until 12:01:00; `holdfast resume` tries now',
    ],
    [
      { cause: 'question', question: '1c727816-0000', until: null },
      'waiting for the answer to question 1c727816',
    ],
    [{ cause: 'paused', words: 'lunch', until: null }, 'paused: lunch; `holdfast resume` continues'],
  ];
  verifies('R11', 'says how long, for what, until when and how to end it', () => {
    expect(cases.map(([waiting]) => describeWait(waiting, NOW))).toEqual(cases.map(([, line]) => line));
  });

  it('shows no text of a service that could be taken for ours', () => {
    const line = describeWait(
      { cause: 'network', until: later(60_000), words: 'a\u001b[2Jb\nrun completed' },
      NOW,
    );
    expect(line).not.toMatch(/[\u001b\n]/);
  });

  it('has a date unless it is today', () => {
    expect(momentOf(later(60_000), NOW)).toBe('12:01:00');
    expect(momentOf(later(13 * 3_600_000), NOW)).toBe('2026-11-16 01:00:00');
    expect(momentOf('never', NOW)).toBe('an unknown time');
  });
});
