import { describe, expect, it } from 'vitest';
import { absoluteTimeIn, resetTimeIn } from './reset-time.js';

/** A Sunday evening; Berlin is an hour ahead. */
const NOW = new Date('2026-11-15T18:51:00.000Z');

describe('when a limit ends', () => {
  it.each([
    ['resets at 2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['resets at 2026-01-02T03:04+01:00', '2026-01-02T02:04:00.000Z'],
    ['Claude AI usage limit reached|1794717406', '2026-11-15T04:36:46.000Z'],
    ['{"resets_at": 1794717406}', '2026-11-15T04:36:46.000Z'],
    ['resets at 2026-12-02', '2026-12-02T00:00:00.000Z'],
    ['resets 2026-12-02 14:30', '2026-12-02T14:30:00.000Z'],
    ['or try again at Nov 18th, 2026 2:46 AM.', '2026-11-18T02:46:00.000Z'],
    ['resets Nov 18, 2:35am (UTC)', '2026-11-18T02:35:00.000Z'],
    ['resets Nov 18 at 2:35am (Europe/Berlin)', '2026-11-18T01:35:00.000Z'],
    ['resets Jan 2, 9am (UTC)', '2027-01-02T09:00:00.000Z'],
    ['try again at 6:52 PM.', '2026-11-15T18:52:00.000Z'],
    ['try again at 4:41 AM.', '2026-11-16T04:41:00.000Z'],
    ['resets 5pm (UTC)', '2026-11-16T17:00:00.000Z'],
    ['resets 8pm (Europe/Berlin)', '2026-11-15T19:00:00.000Z'],
    ['resets at 23:30', '2026-11-15T23:30:00.000Z'],
    ['try again at 12:05 AM', '2026-11-16T00:05:00.000Z'],
    ['try again in 3 days 6 hours 2 minutes.', '2026-11-19T00:53:00.000Z'],
    ['Please retry in 34.5s.', '2026-11-15T18:51:34.500Z'],
    ['Your quota will reset after 3h25m10s.', '2026-11-15T22:16:10.000Z'],
    ['try again in 2h 5m', '2026-11-15T20:56:00.000Z'],
    ['Suggested retry after 1s.', '2026-11-15T18:51:01.000Z'],
    ['retry-after: 90', '2026-11-15T18:52:30.000Z'],
    ['"retryDelay": "41s"', '2026-11-15T18:51:41.000Z'],
  ])('%s', (words, expected) => {
    expect(resetTimeIn(words, NOW, 'UTC')?.toISOString()).toBe(expected);
  });

  it.each([
    '',
    'resets at 2026-99-99T99:99:99Z',
    'Please try again later.',
    'try again at 25:00',
    'try again at 5',
    'You used 3 of 5 files until line 12',
  ])('is not given by: %s', (words) => {
    expect(resetTimeIn(words, NOW, 'UTC')).toBeNull();
  });

  it('a time of day is the next one in the zone of the agent', () => {
    expect(resetTimeIn('try again at 7:52 PM', NOW, 'Europe/Berlin')?.toISOString()).toBe(
      '2026-11-15T18:52:00.000Z',
    );
    expect(resetTimeIn('try again at 1:30 PM', NOW, 'America/New_York')?.toISOString()).toBe(
      '2026-11-16T18:30:00.000Z',
    );
  });

  it('a time of day that has only just passed does not mean tomorrow: services round, and repeat themselves', () => {
    expect(resetTimeIn('try again at 6:51 PM', new Date('2026-11-15T18:51:20Z'), 'UTC')).toBeNull();
    expect(resetTimeIn('try again at 6:51 PM', new Date('2026-11-15T19:00:00Z'), 'UTC')).toEqual(
      new Date('2026-11-16T18:51:00Z'),
    );
  });

  it('is at the hour that the clocks of the zone show, however they change in between', () => {
    const saturday = new Date('2026-10-24T12:00:00Z');
    expect(resetTimeIn('resets Oct 26, 9am (Europe/Berlin)', saturday)).toEqual(
      new Date('2026-10-26T08:00:00Z'),
    );
    expect(resetTimeIn('resets Oct 25, 1am (Europe/Berlin)', saturday)).toEqual(
      new Date('2026-10-24T23:00:00Z'),
    );
  });

  it('an unknown zone counts as that of the agent', () => {
    expect(resetTimeIn('resets 8pm (Nowhere/Land)', NOW, 'UTC')).toEqual(new Date('2026-11-15T20:00:00Z'));
  });

  it('without knowing the current time, only a time with its date is understood', () => {
    expect(absoluteTimeIn('try again at Nov 18th, 2026 2:46 AM', 'UTC')).toEqual(
      new Date('2026-11-18T02:46:00Z'),
    );
    for (const words of ['resets Nov 18, 2:35am', 'try again at 4:41 AM', 'try again in 3 days'])
      expect(absoluteTimeIn(words, 'UTC')).toBeNull();
  });
});
