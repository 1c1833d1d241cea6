import type { TurnEndReason } from '../events.js';
import { absoluteTimeIn } from '../reset-time.js';
import { serviceTroubleOf } from '../service-errors.js';

export interface Failure {
  readonly reason: TurnEndReason;
  /** ISO 8601, if the end of the limit was reported with a date; any other wording depends on when it is read. */
  readonly resetsAt: string | null;
}

const CONTEXT_OVERFLOW = /\bcontext window\b|\bcontext_length_exceeded\b|\bmaximum context length\b/i;

/** Why a turn failed, from its text and from Codex's own word for it (`codexErrorInfo`), if there is one. */
export function classifyFailure(message: string, info?: unknown): Failure {
  if (info === 'contextWindowExceeded') return { reason: 'context-overflow', resetsAt: null };
  if (info === 'usageLimitExceeded' || info === 'rateLimitExceeded')
    return { reason: 'rate-limited', resetsAt: absoluteTimeIn(message)?.toISOString() ?? null };
  if (CONTEXT_OVERFLOW.test(message)) return { reason: 'context-overflow', resetsAt: null };
  const trouble = serviceTroubleOf({ service: 'codex', reason: 'failed', words: message });
  if (trouble?.kind === 'quota')
    return { reason: 'rate-limited', resetsAt: absoluteTimeIn(message)?.toISOString() ?? null };
  const isLimited =
    trouble?.kind === 'overload' && (trouble.status === 429 || /\brate limit\b/i.test(message));
  return { reason: isLimited ? 'rate-limited' : 'failed', resetsAt: null };
}

/** "Reconnecting... 1/5 (reason)", or without a number while there is no network: Codex is retrying on its own. */
export function readRetry(
  message: string,
): { attempt: number; status: number | null; reason: string } | undefined {
  const match = /^reconnecting\W+(?:(\d+)\/\d+)?(?:\s*\((.*)\)|(.*))?/is.exec(message);
  if (match === null) return undefined;
  const reason = match[2] || match[3]?.trim() || message;
  const status = /\bstatus:? (\d{3})\b/i.exec(reason)?.[1];
  return { attempt: Number(match[1] ?? 1), status: status === undefined ? null : Number(status), reason };
}
