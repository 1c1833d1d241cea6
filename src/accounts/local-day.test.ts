import { describe, expect, it } from 'vitest';
import { localDayOf, nextDayAfter } from './local-day.js';

describe('a local day', () => {
  it('is what the clocks of its zone show', () => {
    const time = new Date('2026-11-16T23:30:00.000Z');
    expect(localDayOf(time, 'UTC')).toBe('2026-11-16');
    expect(localDayOf(time, 'Europe/Berlin')).toBe('2026-11-17');
    expect(localDayOf(time, 'America/New_York')).toBe('2026-11-16');
  });

  it.each([
    ['an ordinary day', 'Europe/Berlin', '2026-11-16T12:00:00Z', '2026-11-16T23:00:00.000Z'],
    ['the day of 23 hours', 'Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-29T22:00:00.000Z'],
    ['the day of 25 hours', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00.000Z'],
    ['a midnight that is left out', 'Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00.000Z'],
    ['a midnight that comes again', 'Africa/Cairo', '2026-10-29T12:00:00Z', '2026-10-29T22:00:00.000Z'],
    ['a shift of half an hour', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', '2026-10-03T13:30:00.000Z'],
    ['a zone far in the east', 'Pacific/Kiritimati', '2026-11-16T09:59:59.999Z', '2026-11-16T10:00:00.000Z'],
  ])('ends when the next one begins: %s', (_, zone, now, next) => {
    const time = new Date(now);
    const end = nextDayAfter(time, zone);
    expect(end.toISOString()).toBe(next);
    expect(localDayOf(end, zone)).not.toBe(localDayOf(time, zone));
    expect(localDayOf(new Date(end.getTime() - 1), zone)).toBe(localDayOf(time, zone));
  });
});
