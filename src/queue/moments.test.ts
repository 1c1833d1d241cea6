import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nextMoment } from './moments.js';

const zone = process.env.TZ;

describe('nextMoment', () => {
  beforeEach(() => {
    process.env.TZ = 'Europe/Berlin';
  });
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it.each([
    ['later today', '22:00', '2026-01-10T12:00:00Z', '2026-01-10T21:00:00.000Z'],
    ['tomorrow, if it is past', '07:00', '2026-01-10T12:00:00Z', '2026-01-11T06:00:00.000Z'],
    ['tomorrow, if it is exactly now', '13:00', '2026-01-10T12:00:00Z', '2026-01-11T12:00:00.000Z'],
    ['after a night of 23 hours', '07:00', '2026-03-28T21:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['after a night of 25 hours', '07:00', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00.000Z'],
    ['past an hour that is left out', '02:30', '2026-03-28T23:30:00Z', '2026-03-29T01:30:00.000Z'],
    ['a date as it is', '2026-03-01T22:00:00Z', '2026-01-10T12:00:00Z', '2026-03-01T22:00:00.000Z'],
  ])('%s', (_, text, now, expected) => {
    expect(nextMoment(text, new Date(now)).toISOString()).toBe(expected);
  });

  it.each(['25:00', '7', 'soon', '', '2026-13-01T22:00'])('refuses %j', (text) => {
    expect(() => nextMoment(text, new Date())).toThrow('Not a time');
  });
});
