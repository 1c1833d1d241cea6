import type { TurnEndReason } from '../events.js';

export interface Failure {
  readonly reason: TurnEndReason;
  /** ISO 8601, of a limit whose end is told with its date. */
  readonly resetsAt: string | null;
}

const USAGE_LIMIT = /\busage limit\b/i;
const TOO_MANY_REQUESTS = /\b429\b|\brate limit\b/i;
const CONTEXT_OVERFLOW = /\bcontext window\b|\bcontext_length_exceeded\b|\bmaximum context length\b/i;

/** Why a turn failed, by its text and by the word that Codex has for it (`codexErrorInfo`), where it has one. */
export function classifyFailure(message: string, info?: unknown): Failure {
  if (info === 'contextWindowExceeded') return { reason: 'context-overflow', resetsAt: null };
  if (info === 'usageLimitExceeded' || info === 'rateLimitExceeded')
    return { reason: 'rate-limited', resetsAt: resetTimeOf(message) };
  if (USAGE_LIMIT.test(message)) return { reason: 'rate-limited', resetsAt: resetTimeOf(message) };
  if (CONTEXT_OVERFLOW.test(message)) return { reason: 'context-overflow', resetsAt: null };
  if (TOO_MANY_REQUESTS.test(message)) return { reason: 'rate-limited', resetsAt: null };
  return { reason: 'failed', resetsAt: null };
}

const FULL_TIME =
  /try again at ([a-z]{3,9}) (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? (?:at )?(\d{1,2}:\d{2}(?::\d{2})? ?[ap]m)/i;
const ISO_TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/;

/** "try again at 4:41 AM" does not say of which day; a full date is in the time zone of this machine. */
function resetTimeOf(message: string): string | null {
  const iso = ISO_TIME.exec(message)?.[0];
  const full = FULL_TIME.exec(message);
  const written =
    iso ?? (full === null ? undefined : `${full[1]} ${full[2]}, ${full[3]} ${spaced(full[4] ?? '')}`);
  const time = written === undefined ? Number.NaN : Date.parse(written);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function spaced(time: string): string {
  return time.replace(/ ?([ap]m)$/i, ' $1');
}

/** "Reconnecting... 1/5 (reason)": Codex tries again by itself. */
export function readRetry(
  message: string,
): { attempt: number; status: number | null; reason: string } | undefined {
  const match = /^reconnecting\W+(\d+)\/\d+(?:\s*\((.*)\))?/is.exec(message);
  if (match === null) return undefined;
  const reason = match[2] ?? message;
  const status = /\bstatus:? (\d{3})\b/i.exec(reason)?.[1];
  return { attempt: Number(match[1]), status: status === undefined ? null : Number(status), reason };
}
