import { withoutNoise } from '../foundation/index.js';
import { type AgentEvent, NO_USAGE, type TokenCounts, type Usage } from './events.js';

export type { TokenCounts } from './events.js';

/** No reply has this many tokens; a larger number cannot be real. */
const MAX_TOKENS = 1_000_000_000;
/** The same limit in dollars. */
const MAX_USD = 1_000_000;

/**
 * A number of tokens as an agent reported it: whole and plausible, or 0. A wrong number is dropped, but never costs the
 * answer.
 */
export function countOf(value: unknown): number {
  return isCountable(value) ? value + 0 : 0;
}

function isCountable(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}

/** Takes the numbers of an agent, and reports once per connection that some of them were impossible. */
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

  /** The report, if it has not been made yet: once, and never again. */
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

/** How many of them are listed. */
const MAX_ODD = 5;

/** Dollars as an agent reported them; null for an impossible amount. */
export function dollarsOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MAX_USD ? withoutNoise(value) + 0 : null;
}

/** Usage with every number checked, whatever the agent reported. */
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

/** The sum of earlier usage and one more reply. */
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

/** How much `a` exceeds `b`, never below 0. */
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
