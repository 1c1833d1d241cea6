import type { TurnEndReason } from '../events.js';
import { countOf } from '../usage.js';
import type { ModelUsage, ResultLine, Tokens } from './schema.js';

/** What else is known about a turn when its `result` arrives. */
export interface ResultFacts {
  /** We asked the turn to end. */
  readonly isCancelling: boolean;
  /** A limit was reported, by an event or as the error of a reply. */
  readonly isLimited: boolean;
}

/** Anthropic's "overloaded" counts as a limit: trying again later helps. */
const LIMIT_STATUSES: readonly number[] = [429, 529];
const LIMIT_TEXT = /\b(hit|reached) your\b.*\blimit\b|\busage limit reached\b/i;
const OVERFLOW_TEXT = /^prompt is too long\b/i;

/** Why a turn ended. `subtype: "success"` alone says nothing: a failed turn has it too, with `is_error`. */
export function reasonOf(result: ResultLine, facts: ResultFacts): TurnEndReason {
  const { subtype, terminal_reason: terminal = '', stop_reason: stop } = result;
  const text = result.result ?? '';
  const isFailure = result.is_error === true || subtype !== 'success';
  if (terminal?.startsWith('aborted')) return 'cancelled';
  if (subtype === 'error_max_turns') return 'turn-limit';
  if (terminal === 'prompt_too_long' || (isFailure && OVERFLOW_TEXT.test(text))) return 'context-overflow';
  if (stop === 'refusal') return 'refused';
  if (!isFailure) return 'completed';
  if (facts.isCancelling && subtype === 'error_during_execution') return 'cancelled';
  const hasLimitStatus = LIMIT_STATUSES.includes(result.api_error_status ?? 0);
  if (hasLimitStatus || facts.isLimited || LIMIT_TEXT.test(text)) return 'rate-limited';
  return 'failed';
}

/** The message of a turn that did not complete. */
export function messageOfResult(result: ResultLine): string {
  if (result.result) return result.result;
  if (result.errors?.length) return result.errors.join('\n');
  return result.terminal_reason ?? result.subtype ?? 'it gave no reason';
}

/** Everything a request sent and got back is in the context of the next one. */
export function contextTokensOf(tokens: Tokens): number {
  return (
    countOf(tokens.input_tokens) +
    countOf(tokens.cache_read_input_tokens) +
    countOf(tokens.cache_creation_input_tokens) +
    countOf(tokens.output_tokens)
  );
}

/** The window of the model that answers, otherwise of the one that read most: small models do side work in between. */
export function contextWindowOf(usage: ModelUsage, models: readonly (string | null)[]): number | null {
  for (const model of models) {
    const window = model === null ? undefined : usage[model]?.contextWindow;
    if (typeof window === 'number') return window;
  }
  const byInput = Object.values(usage).sort((a, b) => inputOf(b) - inputOf(a));
  return byInput[0]?.contextWindow ?? null;
}

function inputOf(usage: ModelUsage[string]): number {
  return (usage.inputTokens ?? 0) + (usage.cacheReadInputTokens ?? 0);
}
