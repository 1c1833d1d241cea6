/** The day that clocks in a zone show: `2026-11-16`. */
export function localDayOf(time: Date, zone: string = localZone()): string {
  const parts = formatOf(zone).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formats.set(zone, made);
  return made;
}

/** No day is longer than this, however the clocks change. */
const LONGEST_DAY_MS = 27 * 60 * 60_000;

/**
 * When the next day begins. It is searched for, not calculated: a day has 23, 24 or 25 hours, and in some zones a clock
 * change skips the first hour of a day.
 */
export function nextDayAfter(time: Date, zone: string = localZone()): Date {
  const today = localDayOf(time, zone);
  let [sameMs, otherMs] = [time.getTime(), time.getTime() + LONGEST_DAY_MS];
  while (otherMs - sameMs > 1) {
    const middleMs = Math.floor((sameMs + otherMs) / 2);
    if (localDayOf(new Date(middleMs), zone) === today) sameMs = middleMs;
    else otherMs = middleMs;
  }
  return new Date(otherMs);
}

export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
