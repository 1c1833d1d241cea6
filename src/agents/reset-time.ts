import { DAY_MS } from '../foundation/index.js';

/**
 * When a limit ends, according to the words of an agent's service: an ISO time, seconds since 1970, a date with or
 * without its year, a time of day (the next one), or a duration. A time without a zone is in `zone`, the agent's. Null if
 * the words give no end, or if the time of day has only just passed: services round, and repeat themselves. Pure.
 */
export function resetTimeIn(text: string, now: Date, zone: string = localZone()): Date | null {
  const absolute = absoluteTimeIn(text, zone);
  if (absolute !== null) return absolute;
  for (const { anchor, told, zone: place } of toldIn(text, zone)) {
    const time =
      secondsIn(anchor, told, now) ??
      durationIn(told, now) ??
      dateIn(told, { now, zone: place }) ??
      timeOfDayIn(told, { now, zone: place });
    if (time !== null) return time;
  }
  return null;
}

/** The same, but only if the words mean the same moment whenever they are read. */
export function absoluteTimeIn(text: string, zone: string = localZone()): Date | null {
  const dates = toldIn(text, zone).map(({ told, zone: place }) => dateIn(told, { now: null, zone: place }));
  return isoTimeIn(text) ?? epochIn(text) ?? dates.find((date) => date !== null) ?? null;
}

/** The passages that may say when a limit ends, each with its zone. */
function toldIn(text: string, zone: string): { anchor: string; told: string; zone: string }[] {
  return [...text.matchAll(ANCHORS)].map(({ 0: anchor, index }) => {
    const told = text.slice(index + anchor.length, index + anchor.length + MAX_TOLD);
    const [, inBrackets, plain] = ZONE.exec(told) ?? [];
    const zoned = inBrackets ?? plain;
    return { anchor, told, zone: zoned !== undefined && isZone(zoned) ? zoned : zone };
  });
}

/** The words that introduce the end of a limit. */
const ANCHORS =
  /\b(?:resets?|try(?:ing)? again|retry(?:ing)?(?:[ -]?after|Delay)?|available again|wait(?: until)?|until)\b["']?:?/gi;
const MAX_TOLD = 60;
const SECOND_MS = 1_000;
/** A time of day that passed less than this long ago does not mean tomorrow. */
const JUST_PASSED_MS = 5 * 60 * SECOND_MS;

function isoTimeIn(text: string): Date | null {
  const iso = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text)?.[0];
  return iso === undefined ? null : valid(Date.parse(iso));
}

/** Claude Code's `usage limit reached|1794717406`, and fields named like `resets_at`. */
function epochIn(text: string): Date | null {
  const seconds = /(?:\||reset\w*["']?\s*[:=]\s*)(\d{10})\b/i.exec(text)?.[1];
  return seconds === undefined ? null : valid(Number(seconds) * SECOND_MS);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 60 * 60 * SECOND_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};
const PART = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)\b`;
const DURATION = new RegExp(
  String.raw`^[\s"']*(?:in|after)?[\s"']*(?:about |~)?(${PART}(?:[\s,]*(?:and )?${PART})*)`,
  'i',
);
const COMPACT = /(\d+(?:\.\d+)?)(ms|[smhdw])(?=\d)/gi;

function durationIn(told: string, now: Date): Date | null {
  // `3h25m10s` has three parts.
  const spaced = told.replaceAll(COMPACT, '$1$2 ');
  const whole = DURATION.exec(spaced)?.[1];
  if (whole === undefined) return null;
  let totalMs = 0;
  for (const [, amount, unit = ''] of whole.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const isMilli = /^(?:ms|milli)/i.test(unit);
    totalMs += Number(amount) * (UNIT_MS[isMilli ? 'ms' : unit.charAt(0).toLowerCase()] ?? 0);
  }
  return valid(now.getTime() + totalMs);
}

/** `retry-after: 30` is a header, and headers give no units. */
function secondsIn(anchor: string, told: string, now: Date): Date | null {
  if (!/after/i.test(anchor)) return null;
  const seconds = /^[\s"']*(\d+(?:\.\d+)?)(?=[\s"',;)\]}]|$)(?!\s*(?:ms|[smhdw]))/i.exec(told)?.[1];
  return seconds === undefined ? null : valid(now.getTime() + Number(seconds) * SECOND_MS);
}

interface Place {
  readonly now: Date;
  readonly zone: string;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const CLOCK = String.raw`(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*([ap])?\.?m?\.?`;
const MONTH_DATE = new RegExp(
  String.raw`^\W*(?:on |at )?(${MONTHS.join('|')})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,? (?:at )?${CLOCK})?`,
  'i',
);
const NUMBER_DATE = new RegExp(
  String.raw`^\W*(?:on |at )?(\d{4})-(\d\d)-(\d\d)(?:[ ,]+(?:at )?${CLOCK})?`,
  'i',
);
const TIME_OF_DAY = /^\W*(?:at |by )?(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*(?:([ap])\.?m\b\.?)?/i;
/** `(UTC)`, `(Europe/Berlin)`, `UTC`. */
const ZONE = /\(([A-Za-z]+(?:\/[A-Za-z_+-]+)*)\)|\b(UTC|GMT)\b/;

/** Null if it has no year and the current time is not given. */
function dateIn(told: string, { now, zone }: { now: Date | null; zone: string }): Date | null {
  const named = MONTH_DATE.exec(told);
  const numbered = named === null ? NUMBER_DATE.exec(told) : null;
  if (named === null && numbered === null) return null;
  const month = named === null ? Number(numbered?.[2]) - 1 : MONTHS.indexOf((named[1] ?? '').toLowerCase());
  const day = Number(named?.[2] ?? numbered?.[3]);
  const clock = clockOf((named ?? numbered ?? []).slice(4));
  if (clock === null || month < 0 || month > 11 || day < 1 || day > 31) return null;
  const yearTold = named === null ? numbered?.[1] : named[3];
  if (yearTold !== undefined) return instantOf({ year: Number(yearTold), month, day, ...clock }, zone);
  if (now === null) return null;
  // Without a year it means the next such date.
  const { year } = wallTimeOf(now, zone);
  const time = instantOf({ year, month, day, ...clock }, zone);
  const isPast = time !== null && time.getTime() < now.getTime() - DAY_MS;
  return isPast ? instantOf({ year: year + 1, month, day, ...clock }, zone) : time;
}

function timeOfDayIn(told: string, { now, zone }: Place): Date | null {
  const match = TIME_OF_DAY.exec(told);
  // A bare number is not a time.
  if (match === null || (match[2] === undefined && match[4] === undefined)) return null;
  const clock = clockOf(match.slice(1));
  if (clock === null) return null;
  const { year, month, day } = wallTimeOf(now, zone);
  const today = instantOf({ year, month, day, ...clock }, zone);
  if (today === null || today.getTime() > now.getTime()) return today;
  if (now.getTime() - today.getTime() < JUST_PASSED_MS) return null;
  return instantOf({ year, month, day: day + 1, ...clock }, zone);
}

interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function clockOf([hourTold, minute = '0', second = '0', half]: (string | undefined)[]): TimeOfDay | null {
  if (hourTold === undefined) return { hour: 0, minute: 0, second: 0 };
  const hour = Number(hourTold);
  if (hour > (half === undefined ? 23 : 12) || Number(minute) > 59 || Number(second) > 59) return null;
  const halved = half === undefined ? hour : (hour % 12) + (/p/i.test(half) ? 12 : 0);
  return { hour: halved, minute: Number(minute), second: Number(second) };
}

type WallTime = TimeOfDay & { readonly year: number; readonly month: number; readonly day: number };

/** The moment at which the clocks of a zone show this. */
function instantOf({ year, month, day, hour, minute, second }: WallTime, zone: string): Date | null {
  const asUtcMs = Date.UTC(year, month, day, hour, minute, second);
  const guessMs = asUtcMs - offsetMsAt(asUtcMs, zone);
  // The offset may be different at that moment, because clocks change.
  return valid(asUtcMs - offsetMsAt(guessMs, zone));
}

function offsetMsAt(ms: number, zone: string): number {
  const { year, month, day, hour, minute, second } = wallTimeOf(new Date(ms), zone);
  return Date.UTC(year, month, day, hour, minute, second) - Math.floor(ms / SECOND_MS) * SECOND_MS;
}

function wallTimeOf(time: Date, zone: string): WallTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return {
    year: part('year'),
    month: part('month') - 1,
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  };
}

function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    return false; // the answer: it is not a zone
  }
}

function valid(ms: number): Date | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date;
}
