import { withoutNoise } from '../foundation/index.js';
import { type AgentEvent, NO_USAGE, type TokenCounts, type Usage } from './events.js';

export type { TokenCounts } from './events.js';

/** No reply has as many tokens; a number beyond it counts nothing that exists. */
const MAX_TOKENS = 1_000_000_000;
/** The same in dollars. */
const MAX_USD = 1_000_000;

/** A number of tokens as an agent told it: whole and sane, or 0. An odd number costs the number, never the answer. */
export function countOf(value: unknown): number {
  return isCountable(value) ? value + 0 : 0;
}

function isCountable(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}

/** Takes the numbers of an agent, and says once of each connection that some of them counted nothing. */
export class NumberCheck {
  readonly #odd: string[] = [];
  #isTold = false;

  count(name: string, value: unknown): number {
    if (value !== undefined && value !== null && !isCountable(value)) this.#note(name, value);
    return countOf(value);
  }

  dollars(name: string, value: unknown): number | null {
    const dollars = dollarsOf(value);
    if (dollars === null && value !== undefined && value !== null) this.#note(name, value);
    return dollars;
  }

  /** What is to be told now: once, and then no more. */
  take(): Extract<AgentEvent, { type: 'error' }>[] {
    if (this.#isTold || this.#odd.length === 0) return [];
    this.#isTold = true;
    const message = `The agent reported impossible numbers, which were left out: ${this.#odd.join(', ')}`;
    return [{ type: 'error', message, status: null }];
  }

  #note(name: string, value: unknown): void {
    const told = `${name} ${typeof value === 'number' ? value : `a ${typeof value}`}`;
    if (!this.#isTold && this.#odd.length < MAX_ODD && !this.#odd.includes(told)) this.#odd.push(told);
  }
}

/** So many of them are told. */
const MAX_ODD = 5;

/** Dollars as an agent told them; null for what cannot be any. */
export function dollarsOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MAX_USD ? withoutNoise(value) + 0 : null;
}

/** Usage in which every number can be counted, whatever an agent said. */
export function checkedUsage(usage: Usage): Usage {
  return {
    inputTokens: countOf(usage.inputTokens),
    outputTokens: countOf(usage.outputTokens),
    cacheReadTokens: countOf(usage.cacheReadTokens),
    cacheWriteTokens: countOf(usage.cacheWriteTokens),
    contextTokens: usage.contextTokens === null ? null : countOf(usage.contextTokens),
    contextWindow: countOf(usage.contextWindow) || null,
    costUsd: dollarsOf(usage.costUsd),
  };
}

/** What was used before and by one more reply. */
export function plusUsage(before: Usage | null, more: Usage): Usage {
  const { contextTokens, contextWindow, costUsd } = before ?? NO_USAGE;
  return {
    ...plusTokens(before ?? NO_USAGE, more),
    contextTokens: more.contextTokens ?? contextTokens,
    contextWindow: more.contextWindow ?? contextWindow,
    costUsd:
      more.costUsd === null && costUsd === null ? null : withoutNoise((costUsd ?? 0) + (more.costUsd ?? 0)),
  };
}

export const NO_TOKENS: TokenCounts = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

export function plusTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  return mapTokens((key) => a[key] + b[key]);
}

/** What `a` has beyond `b`, nothing below 0. */
export function tokensBeyond(a: TokenCounts, b: TokenCounts): TokenCounts {
  return mapTokens((key) => Math.max(0, a[key] - b[key]));
}

export function hasTokens(tokens: TokenCounts): boolean {
  return tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens > 0;
}

function mapTokens(of: (key: keyof TokenCounts) => number): TokenCounts {
  return {
    inputTokens: of('inputTokens'),
    outputTokens: of('outputTokens'),
    cacheReadTokens: of('cacheReadTokens'),
    cacheWriteTokens: of('cacheWriteTokens'),
  };
}
