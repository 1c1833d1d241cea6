import { redact } from '../../../foundation/index.js';
import type { RateLimit } from '../schema.js';

/** What an agent's service said about our calls, `words` being its own words. */
export type LimitSignal =
  /** A quota is used up, until this time if the service gave one. */
  | {
      readonly kind: 'quota';
      readonly resetsAt?: Date | null | undefined;
      /** Which allowance: `5h`, `weekly`, … */
      readonly scope?: string | null | undefined;
      readonly words?: string | undefined;
    }
  /** 429, 529, 5xx: try again soon. */
  | {
      readonly kind: 'overload';
      /** The HTTP status. */
      readonly status?: number | null | undefined;
      readonly retryAt?: Date | null | undefined;
      readonly words?: string | undefined;
    }
  /** It cannot be reached. */
  | { readonly kind: 'network'; readonly words?: string | undefined }
  /** Neither waiting nor retrying helps: a person must act first. */
  | { readonly kind: 'hopeless'; readonly reason: string };

/** What we are waiting for and until when, as facts. The display turns them into words. */
export type LimitWait =
  | {
      readonly cause: 'quota';
      readonly until: string;
      readonly scope: string | null;
      /** The service's own words. */
      readonly words: string | null;
    }
  | {
      readonly cause: 'overload';
      readonly until: string;
      readonly status: number | null;
      readonly words: string | null;
    }
  | { readonly cause: 'network'; readonly until: string; readonly words: string | null }
  | { readonly cause: 'calls-per-hour'; readonly until: string; readonly calls: number }
  /** The daily budget that all runs share is used up: `$5.02 of $5.00`. */
  | { readonly cause: 'day-budget'; readonly until: string; readonly words: string };

/** Whether the next call may be made, and if not, what to wait for. */
export type Permission =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly wait: LimitWait };

const MINUTE_MS = 60_000;
const WINDOW_MS = 60 * MINUTE_MS;
/** A reset time from the service is honoured however far off, unless it is nonsense: no allowance runs longer than a month. */
const MAX_WAIT_MS = 32 * 24 * 60 * MINUTE_MS;
const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 30 * MINUTE_MS;
const MAX_WORDS = 500;

export function newRateLimit(callsPerHour: number): RateLimit {
  return {
    hourly: { callsMade: 0, limit: callsPerHour, windowStart: null, nextReset: null, minutes: [] },
    quota: { detected: false, detectedAt: null, resumeAt: null, waiting: false },
    overload: { count: 0, retryAt: null },
    paused: false,
    pauseReason: null,
    pausedAt: null,
  };
}

/** Whether the agent may be called now. */
export function mayCall(limit: RateLimit, now: Date): Permission {
  const wait = limitWait(limit, now);
  return wait === null ? { isAllowed: true } : { isAllowed: false, wait };
}

/** What to wait for before the next call; null if it may be made now. */
export function limitWait(limit: RateLimit, now: Date): LimitWait | null {
  const { quota, overload, day } = limit;
  if (day != null && isAfter(day.until, now)) return { cause: 'day-budget', ...day };
  if (quota.waiting && isAfter(quota.resumeAt, now))
    return { cause: 'quota', until: quota.resumeAt, scope: quota.kind ?? null, words: quota.words ?? null };
  if (isAfter(overload.retryAt, now)) {
    const [until, words] = [overload.retryAt, overload.words ?? null];
    if (overload.cause === 'network') return { cause: 'network', until, words };
    return { cause: 'overload', until, status: overload.status ?? null, words };
  }
  const { hourly } = roll(limit, now);
  if (hourly.callsMade < hourly.limit || hourly.nextReset === null) return null;
  return { cause: 'calls-per-hour', until: hourly.nextReset, calls: hourly.limit };
}

/** A person wants the next call made now, whatever it is waiting for. The number of failed tries is kept. */
export function endWait(limit: RateLimit, now: Date): RateLimit {
  const ended = {
    ...limit,
    quota: { ...limit.quota, waiting: false, resumeAt: null },
    overload: { ...limit.overload, retryAt: null },
    day: null,
  };
  if (limitWait(ended, now) === null) return ended;
  const hourly = { ...limit.hourly, callsMade: 0, windowStart: null, nextReset: null, minutes: [] };
  return { ...ended, hourly };
}

/** A wait that all runs share ended early. Our own hourly calls and retries stay as they are. */
export function endSharedWait(limit: RateLimit): RateLimit {
  return { ...limit, quota: { ...limit.quota, waiting: false, resumeAt: null }, day: null };
}

/** Counts one more call, made now. */
export function recordCall(limit: RateLimit, now: Date): RateLimit {
  const minute = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS).toISOString();
  const { minutes } = roll(limit, now).hourly;
  const last = minutes.at(-1);
  const counted: typeof minutes =
    last !== undefined && last[0] === minute
      ? [...minutes.slice(0, -1), [minute, last[1] + 1]]
      : [...minutes, [minute, 1]];
  return roll({ ...limit, hourly: { ...limit.hourly, minutes: counted } }, now);
}

/** The agent answered, so every earlier complaint is settled. */
export function recordAnswer(limit: RateLimit): RateLimit {
  const { quota, overload } = limit;
  return {
    ...limit,
    quota: { ...quota, detected: false, waiting: false, resumeAt: null, words: null },
    overload: { ...overload, count: 0, retryAt: null, cause: null, status: null, words: null },
  };
}

/**
 * Records what the agent's service said. A reset time is waited for; without one each wait is twice as long as the
 * last. A hopeless signal changes nothing here: it halts the loop. `spread`, from 0 to 1, shortens a wait without a
 * known end by up to a quarter, so runs refused together do not come back together.
 */
export function recordLimit(limit: RateLimit, signal: LimitSignal, now: Date, spread = 0): RateLimit {
  if (signal.kind === 'hopeless') return limit;
  const { quota, overload } = limit;
  const { count } = overload;
  const longestMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(count, 20));
  const backoffMs = Math.round(longestMs * (1 - spread / 4));
  const backoff = new Date(now.getTime() + backoffMs);
  const words = signal.words === undefined ? null : redact(signal.words).slice(0, MAX_WORDS);
  if (signal.kind === 'quota') {
    const told = believed(signal.resetsAt, now);
    return {
      ...limit,
      quota: {
        ...quota,
        detected: true,
        detectedAt: now.toISOString(),
        resumeAt: (told ?? backoff).toISOString(),
        waiting: true,
        kind: signal.scope ?? null,
        words,
      },
      overload: { ...overload, count: told === null ? count + 1 : 0, retryAt: null },
    };
  }
  const told = signal.kind === 'overload' ? believed(signal.retryAt, now) : null;
  const status = signal.kind === 'overload' ? (signal.status ?? null) : null;
  const retryAt = new Date(Math.max(backoff.getTime(), told?.getTime() ?? 0)).toISOString();
  return {
    ...limit,
    quota: { ...quota, waiting: false, resumeAt: null },
    overload: { ...overload, count: count + 1, retryAt, cause: signal.kind, status, words },
  };
}

/** A number from 0 to 1 that differs between runs and tries, but is the same each time for the same run and try. */
export function spreadOf(sessionId: string, tries: number): number {
  let mixed = 0x811c9dc5;
  for (const character of `${sessionId}:${tries}`)
    mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return mixed / 0xffffffff;
}

/** `2d 7h`, `1h 2m`, `12m 34s`, `45s`, or that it is ready. */
export function countdown(until: string, now: Date): string {
  const seconds = Math.ceil((Date.parse(until) - now.getTime()) / 1_000);
  if (!(seconds > 0)) return 'Ready to resume';
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  if (hours >= 24) return `${Math.floor(hours / 24)}d ${hours % 24}h`;
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

/**
 * The window as of now. A minute leaves it more than an hour after the minute's end, so no hour ever has more calls
 * than allowed. Minutes in the future come from a different clock and are dropped.
 */
export function roll(limit: RateLimit, now: Date): RateLimit {
  const { hourly } = limit;
  const minutes = migrated(hourly).filter(([start]) => {
    const startMs = Date.parse(start);
    return startMs <= now.getTime() && startMs + MINUTE_MS + WINDOW_MS > now.getTime();
  });
  const [oldest] = minutes;
  const nextReset =
    oldest === undefined ? null : new Date(Date.parse(oldest[0]) + MINUTE_MS + WINDOW_MS).toISOString();
  return {
    ...limit,
    hourly: {
      ...hourly,
      minutes,
      callsMade: minutes.reduce((sum, [, calls]) => sum + calls, 0),
      windowStart: oldest?.[0] ?? null,
      nextReset,
    },
  };
}

/** A file written by another program counts its calls from the start of its window. */
function migrated(hourly: RateLimit['hourly']): RateLimit['hourly']['minutes'] {
  if (hourly.minutes.length > 0 || hourly.callsMade === 0 || hourly.windowStart === null)
    return hourly.minutes;
  return [[hourly.windowStart, hourly.callsMade]];
}

/** A reset time worth waiting for; null if there is none, it is past, or it is further off than any allowance. */
export function believed(time: Date | null | undefined, now: Date): Date | null {
  const waitMs = (time?.getTime() ?? Number.NaN) - now.getTime();
  return time && waitMs > 0 && waitMs <= MAX_WAIT_MS ? time : null;
}

function isAfter(time: string | null, now: Date): time is string {
  return time !== null && Date.parse(time) > now.getTime();
}
