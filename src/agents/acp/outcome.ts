import type { AgentEvent, TurnEndReason } from '../events.js';
import { absoluteTimeIn } from '../reset-time.js';
import type { AcpPreset } from './presets.js';
import type { PromptResult } from './schema.js';
import { statusIn } from './translator.js';

/** How an exchange ended, and the events to report before that. */
export interface ExchangeOutcome {
  readonly reason: TurnEndReason;
  readonly message: string | null;
  readonly events: readonly AgentEvent[];
}

/** An error that the agent answered with, as opposed to one of the connection. */
export interface AnsweredError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const AUTHENTICATION_REQUIRED = -32_000;
const RATE_LIMIT_TEXT = /rate.?limit|usage limit|too many requests|quota|\b429\b/i;
const OVERFLOW_TEXT =
  /context.{0,20}(window|length|overflow|exceeded|too long)|prompt is too long|maximum context|too many tokens|token count.{0,20}exceeds/i;

export function isAnsweredError(error: unknown): error is Error & AnsweredError {
  return (
    error instanceof Error &&
    error.name === 'RequestError' &&
    typeof (error as { code?: unknown }).code === 'number'
  );
}

/** What the answer to a prompt means. `trouble` is the last problem the agent could not get over, if it reported one. */
export function outcomeOfResult(
  result: PromptResult,
  preset: Pick<AcpPreset, 'maxTokensMeansOverflow'>,
  trouble: string | null,
): ExchangeOutcome {
  switch (result.stopReason) {
    case 'end_turn':
      // codex-acp reports a good end even after an error that stayed; only its retries show it.
      return trouble === null ? ended('completed') : failed(trouble, null);
    case 'cancelled':
      return ended('cancelled');
    case 'refusal':
      return ended('refused');
    case 'max_tokens':
      return ended(preset.maxTokensMeansOverflow ? 'context-overflow' : 'turn-limit');
    case 'max_turn_requests':
      return ended('turn-limit');
    default:
      return failed(`the agent stopped for a reason we do not know: ${result.stopReason ?? 'none'}`, null);
  }
}

/**
 * What an error in answer to a prompt means. Agents agree on nothing here: Gemini answers with the HTTP status as code,
 * Claude's adapter with `errorKind`, Codex's with `codexErrorInfo`, opencode's with `errorName`. `said` is the end of the
 * turn's text, where some put the reason.
 */
export function outcomeOfError(error: AnsweredError, said: string): ExchangeOutcome {
  const details = JSON.stringify(error.data) ?? '';
  const status = httpStatusOf(error);
  const message = detailMessage(error);
  const hints = `${message}\n${details}`;
  if (status === 429 || /"(rate_limit|usageLimitExceeded)"/.test(details) || RATE_LIMIT_TEXT.test(hints)) {
    const resetsAt = absoluteTimeIn(`${hints}\n${said}`)?.toISOString() ?? null;
    return {
      reason: 'rate-limited',
      message,
      events: [{ type: 'rate-limit', status: 'rejected', resetsAt, message }],
    };
  }
  if (/"contextWindowExceeded"/i.test(details) || OVERFLOW_TEXT.test(hints)) {
    return { reason: 'context-overflow', message, events: [] };
  }
  return failed(message, status);
}

function ended(reason: TurnEndReason): ExchangeOutcome {
  return { reason, message: null, events: [] };
}

function failed(message: string, status: number | null): ExchangeOutcome {
  return { reason: 'failed', message, events: status === null ? [] : [{ type: 'error', message, status }] };
}

function httpStatusOf(error: AnsweredError): number | null {
  if (error.code >= 400 && error.code < 600) return error.code;
  if (error.code === AUTHENTICATION_REQUIRED) return 401;
  return statusIn(error.data);
}

/** `Internal error` says nothing; the reason usually follows it or is in the data. */
function detailMessage(error: AnsweredError): string {
  const { data } = error;
  const message = error.message.replace(/^Internal error: (?=\S)/, '');
  const withReason = (reason: string) =>
    message === 'Internal error' || message === reason ? reason : `${message}: ${reason}`;
  if (typeof data === 'string' && data !== '') return withReason(data);
  if (typeof data !== 'object' || data === null) return message;
  for (const key of ['message', 'details', 'errorMessage']) {
    const value = (data as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '') return withReason(value);
  }
  return message;
}
