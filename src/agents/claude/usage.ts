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
 * What each reply of a turn used, as it becomes known, and at the end what nobody had told yet, with the dollars of the
 * turn. Replies are told with growing numbers: at their start the input, at their end the output.
 *
 * `total_cost_usd` is a sum that goes on over turns and resumes, but not over a kill: then it begins at 0, and nothing
 * says so. Therefore nothing that another process said is ever subtracted from it.
 */
export class UsageMeter {
  #replies = new Map<string, TokenCounts>();
  #told = NO_TOKENS;
  readonly #check = new NumberCheck();
  /** The sum after the last turn of this process; null = it began with a sum that we do not know. */
  #totalUsd: number | null;

  constructor(options: { isResumed: boolean }) {
    this.#totalUsd = options.isResumed ? null : 0;
  }

  /** What a reply used beyond what was known of it. */
  tellReply(id: string, tokens: Tokens): TokenCounts {
    this.#noteOdd(tokens);
    const known = this.#replies.get(id) ?? NO_TOKENS;
    const more = tokensBeyond(tokenCounts(tokens), known);
    this.#replies.set(id, plusTokens(known, more));
    this.#told = plusTokens(this.#told, more);
    return more;
  }

  /**
   * What the turn used beyond what was told of its replies, and what it cost; undefined where it does not say. A reply that
   * was cut off is not in the agent's own sums.
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

  /** What is to be told about numbers that count nothing. */
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
    // The first turn after a resume: a sum over exactly the tokens of this turn is its cost.
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

/** By model where it says so: that has the replies of sub-agents and of other models in it, too. */
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
