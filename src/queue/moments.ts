import { InvalidInputError, visibleExcerpt } from '../foundation/index.js';

const HOURS = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/**
 * The moment that `22:00` means in local time: the next time the wall clock shows it, today or tomorrow. A time that
 * daylight saving skips is the moment at which the clock jumps past it. A date with a time is taken literally. Throws
 * INVALID_INPUT.
 */
export function nextMoment(text: string, now: Date): Date {
  const [, hours, minutes] = HOURS.exec(text.trim()) ?? [];
  if (hours !== undefined && minutes !== undefined) {
    const today = onDay(now, 0, Number(hours), Number(minutes));
    return today.getTime() > now.getTime() ? today : onDay(now, 1, Number(hours), Number(minutes));
  }
  const moment = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new InvalidInputError(`Not a time: ${visibleExcerpt(text, 60)}`, {
    hint: 'Write it as 22:00 (the next one, local time), or as 2026-03-01T22:00.',
  });
}

/** By the calendar, not by adding 24 hours: a day may have 23 or 25. */
function onDay(now: Date, days: number, hours: number, minutes: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours, minutes);
}
