import { withoutNoise } from '../../foundation/index.js';
import { costBetween } from '../cost.js';
import type { AgentEvent, Usage } from '../events.js';
import {
  countOf,
  dollarsOf,
  NO_TOKENS,
  NumberCheck,
  plusTokens,
  type TokenCounts,
  tokensBeyond,
} from '../usage.js';
import type { ModelUsage, ResultLine, Tokens } from './schema.js';

/**
 * What each reply of a turn used, as soon as it is known, and at the end whatever was not reported yet, with the dollars
 * of the turn. Each reply is reported with growing numbers: the input when it begins, the output when it ends.
 *
 *
 * `total_cost_usd` is a sum that continues across turns and resumes, but not after a kill: then it restarts at 0, without
 * saying so. So a sum reported by another process is never subtracted from it.
 */
export class UsageMeter {
  #replies = new Map<string, TokenCounts>();
  #told = NO_TOKENS;
  readonly #check = new NumberCheck();
  /** The sum after the last turn of this process; null = it began with an unknown sum. */
  #totalUsd: number | null;

  constructor(options: { isResumed: boolean }) {
    this.#totalUsd = options.isResumed ? null : 0;
  }

  /** What a reply used beyond what was known so far. */
  tellReply(id: string, tokens: Tokens): TokenCounts {
    this.#noteOdd(tokens);
    const known = this.#replies.get(id) ?? NO_TOKENS;
    const more = tokensBeyond(tokenCounts(tokens), known);
    this.#replies.set(id, plusTokens(known, more));
    this.#told = plusTokens(this.#told, more);
    return more;
  }

  /**
   * What the turn used beyond what was reported for its replies, and what it cost; undefined if the result does not say.
   * The agent's own sums do not include a reply that was cut off.
   */
  endTurn(
    result: ResultLine,
  ): { rest: TokenCounts & Pick<Usage, 'costUsd'>; uncovered: TokenCounts } | undefined {
    const told = this.#told;
    this.#told = NO_TOKENS;
    this.#replies = new Map();
    const costUsd = this.#costOf(result);
    const tokens = tokensOfTurn(result);
    if (tokens === undefined) return undefined;
    return {
      rest: { ...tokensBeyond(tokens, told), costUsd },
      uncovered: tokensBeyond(told, tokens),
    };
  }

  /** The reports about numbers that were not counted. */
  takeOdd(): AgentEvent[] {
    return this.#check.take();
  }

  #noteOdd(tokens: Tokens): void {
    for (const [name, value] of Object.entries(tokens)) this.#check.count(name, value);
  }

  #costOf(result: ResultLine): number | null {
    const before = this.#totalUsd;
    const total = this.#check.dollars('total_cost_usd', result.total_cost_usd);
    if (result.usage != null) this.#noteOdd(result.usage);
    if (total !== null) this.#totalUsd = total;
    const since = costIn(result.model_usage_since_last_result);
    if (since !== null || total === null) return since;
    if (before !== null) return total >= before ? costBetween(before, total) : null;
    // The first turn after a resume: if the sum covers exactly the tokens of this turn, it is the turn's cost.
    const summed = JSON.stringify(tokensIn(result.modelUsage));
    const used = result.usage ?? undefined;
    return used !== undefined && summed === JSON.stringify(tokenCounts(used)) ? total : null;
  }
}

/** Tokens as the service counts them. */
export function tokenCounts(tokens: Tokens): TokenCounts {
  return {
    inputTokens: countOf(tokens.input_tokens),
    outputTokens: countOf(tokens.output_tokens),
    cacheReadTokens: countOf(tokens.cache_read_input_tokens),
    cacheWriteTokens: countOf(tokens.cache_creation_input_tokens),
  };
}

/** Preferably the counts by model, which include the replies of sub-agents and of other models. */
function tokensOfTurn(result: ResultLine): TokenCounts | undefined {
  const since = result.model_usage_since_last_result ?? {};
  if (Object.keys(since).length > 0) return tokensIn(since);
  return result.usage === undefined || result.usage === null ? undefined : tokenCounts(result.usage);
}

function tokensIn(usage: ModelUsage | null | undefined): TokenCounts {
  return Object.values(usage ?? {})
    .map((model) => ({
      inputTokens: countOf(model.inputTokens),
      outputTokens: countOf(model.outputTokens),
      cacheReadTokens: countOf(model.cacheReadInputTokens),
      cacheWriteTokens: countOf(model.cacheCreationInputTokens),
    }))
    .reduce(plusTokens, NO_TOKENS);
}

function costIn(usage: ModelUsage | null | undefined): number | null {
  const costs = Object.values(usage ?? {}).map(({ costUSD }) => dollarsOf(costUSD));
  if (costs.length === 0 || costs.includes(null)) return null;
  return withoutNoise(costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0));
}
