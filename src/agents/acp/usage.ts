import { costBetween } from '../cost.js';
import { NO_USAGE, type Usage } from '../events.js';
import type { PromptResult, SessionUpdate, TokenCount } from './schema.js';

/**
 * Turns what an agent reports (a running cost and the context of the session, tokens of the turn) into what one
 * exchange used. The cost of a session goes on over turns, and over resumes too, so where nobody knows what it was
 * before, the first number of a resumed session tells nothing about the exchange it came in.
 */
export class UsageMeter {
  /** What has been accounted for; null = the session was resumed and nobody has said yet. */
  #accountedCost: number | null;
  #cost: number | null = null;
  #context: Pick<Usage, 'contextTokens' | 'contextWindow'> = { contextTokens: null, contextWindow: null };
  #hasNews = false;

  /** `costBefore` is what a resumed session had cost when it was left, if that is known. */
  constructor(options: { isResumed: boolean; costBefore?: number | undefined }) {
    this.#accountedCost = options.isResumed ? (options.costBefore ?? null) : 0;
  }

  /** What the session has cost so far; null where nobody said. */
  get totalCost(): number | null {
    return this.#cost;
  }

  /** Notes a `usage_update`. */
  note(update: SessionUpdate): void {
    this.#hasNews = true;
    this.#context = {
      contextTokens: update.used ?? this.#context.contextTokens,
      contextWindow: update.size || this.#context.contextWindow,
    };
    if (update.cost?.currency === 'USD') this.#cost = update.cost.amount;
  }

  /** Everything that came before the first exchange is not of it. */
  startTurn(): void {
    this.#hasNews = false;
    const isNewSum = this.#cost !== null && this.#cost < (this.#accountedCost ?? 0);
    if (this.#accountedCost === null || isNewSum) this.#accountedCost = this.#cost;
  }

  /** What the exchange used; null when the agent said nothing about it. */
  endTurn(result: PromptResult | null): Usage | null {
    const tokens = result?.usage ?? result?._meta?.quota?.token_count;
    if (tokens === undefined && !this.#hasNews) return null;
    return { ...NO_USAGE, ...countsOf(tokens), ...this.#context, costUsd: this.#takeCost() };
  }

  #takeCost(): number | null {
    const cost = this.#cost;
    const accounted = this.#accountedCost;
    if (cost === null) return null;
    this.#accountedCost = cost;
    if (accounted === null) return null;
    // A sum that shrank was begun anew.
    return cost >= accounted ? costBetween(accounted, cost) : cost;
  }
}

function countsOf(tokens: TokenCount | undefined): Partial<Usage> {
  if (tokens === undefined) return {};
  return {
    inputTokens: tokens.inputTokens ?? tokens.input_tokens ?? 0,
    outputTokens: tokens.outputTokens ?? tokens.output_tokens ?? 0,
    cacheReadTokens: tokens.cachedReadTokens ?? tokens.cachedInputTokens ?? 0,
    cacheWriteTokens: tokens.cachedWriteTokens ?? 0,
  };
}
