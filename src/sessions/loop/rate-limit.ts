import { counted } from '../../foundation/index.js';
import type { RateLimit } from './schema.js';

/** What an agent's service said about our calls. */
export type LimitSignal =
  /** A quota is used up, until this time if it told one. */
  | { readonly kind: 'quota'; readonly resetsAt?: Date | undefined; readonly scope?: string | undefined }
  /** 429, 529, 5xx: try again soon. */
  | { readonly kind: 'overload'; readonly retryAfterMs?: number | undefined }
  /** Switched off by an administrator: waiting does not help. */
  | { readonly kind: 'disabled'; readonly message: string };

/** Whether the next call may be made, and if not, when and why. */
export type Permission =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly until: string; readonly reason: string };

const MINUTE_MS = 60_000;
const WINDOW_MS = 60 * MINUTE_MS;
/** A reset time in the past or far away is not believed. */
const MIN_WAIT_MS = MINUTE_MS;
const MAX_WAIT_MS = 6 * 60 * MINUTE_MS;
/** Quotas by the week tell resets that are days away. */
const MAX_WEEKLY_WAIT_MS = 8 * 24 * 60 * MINUTE_MS;
const UNKNOWN_RESET_MS = 60 * MINUTE_MS;
const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 30 * MINUTE_MS;

export function newRateLimit(callsPerHour: number): RateLimit {
  return {
    hourly: { callsMade: 0, limit: callsPerHour, windowStart: null, nextReset: null, minutes: [] },
    anthropic_5h: { detected: false, detectedAt: null, resumeAt: null, waiting: false },
    overload: { count: 0, retryAt: null },
    paused: false,
    pauseReason: null,
    pausedAt: null,
  };
}

/** Whether the agent may be called now. */
export function mayCall(limit: RateLimit, now: Date): Permission {
  const quota = limit.anthropic_5h;
  if (quota.waiting && isAfter(quota.resumeAt, now))
    return { isAllowed: false, until: quota.resumeAt, reason: "the agent's own limit" };
  if (isAfter(limit.overload.retryAt, now))
    return { isAllowed: false, until: limit.overload.retryAt, reason: "the agent's service is overloaded" };
  const { hourly } = roll(limit, now);
  if (hourly.callsMade < hourly.limit || hourly.nextReset === null) return { isAllowed: true };
  return {
    isAllowed: false,
    until: hourly.nextReset,
    reason: `${counted(hourly.limit, 'call')} within an hour`,
  };
}

/** One more call, made now. */
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

/** The agent answered: whatever it complained about is over. */
export function recordAnswer(limit: RateLimit): RateLimit {
  const { anthropic_5h: quota } = limit;
  return {
    ...limit,
    anthropic_5h: { ...quota, detected: false, waiting: false, resumeAt: null },
    overload: { ...limit.overload, count: 0, retryAt: null },
  };
}

/** What the agent's service said; `disabled` changes nothing here, it halts the loop. */
export function recordLimit(limit: RateLimit, signal: LimitSignal, now: Date): RateLimit {
  const at = now.toISOString();
  if (signal.kind === 'quota') {
    const resumeAt = resumeTime(signal, now);
    const kind = signal.scope ?? null;
    return {
      ...limit,
      anthropic_5h: { ...limit.anthropic_5h, detected: true, detectedAt: at, resumeAt, waiting: true, kind },
    };
  }
  if (signal.kind === 'overload') {
    const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(limit.overload.count, 20));
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(backoffMs, signal.retryAfterMs ?? 0));
    const retryAt = new Date(now.getTime() + waitMs).toISOString();
    return { ...limit, overload: { ...limit.overload, count: limit.overload.count + 1, retryAt } };
  }
  return limit;
}

/** `1h 2m`, `12m 34s`, `45s`, or that the time has come. */
export function countdown(until: string, now: Date): string {
  const seconds = Math.ceil((Date.parse(until) - now.getTime()) / 1_000);
  if (!(seconds > 0)) return 'Ready to resume';
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

/**
 * The window as it is now: minutes that are more than an hour past leave it, counted from their end, so that no hour
 * ever has more calls than allowed. Minutes of the future were written under another clock and are dropped.
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

/** A file of somebody else counts its calls from the start of its window. */
function migrated(hourly: RateLimit['hourly']): RateLimit['hourly']['minutes'] {
  if (hourly.minutes.length > 0 || hourly.callsMade === 0 || hourly.windowStart === null)
    return hourly.minutes;
  return [[hourly.windowStart, hourly.callsMade]];
}

function resumeTime(signal: Extract<LimitSignal, { kind: 'quota' }>, now: Date): string {
  const wantedMs = (signal.resetsAt?.getTime() ?? Number.NaN) - now.getTime();
  const maxMs = signal.scope === 'seven_day' ? MAX_WEEKLY_WAIT_MS : MAX_WAIT_MS;
  const waitMs = Number.isNaN(wantedMs) ? UNKNOWN_RESET_MS : Math.min(maxMs, Math.max(MIN_WAIT_MS, wantedMs));
  return new Date(now.getTime() + waitMs).toISOString();
}

function isAfter(time: string | null, now: Date): time is string {
  return time !== null && Date.parse(time) > now.getTime();
}
