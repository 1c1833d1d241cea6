import { costWords, type KnownCost } from '../../foundation/index.js';
import { isCostUnknown } from './policies/budget.js';
import type { LoopUsage } from './schema.js';

/** What is shown of tokens and money; what release 0.1 wrote lacks all but the first two. */
export type ShownUsage = Pick<
  LoopUsage,
  'tokens' | 'costUsd' | 'cacheReadTokens' | 'pricedUsd' | 'unpricedTokens' | 'estimatedTokens'
>;

/** Who says what it cost: the agent, a list of prices (at least for a part of it), or nobody. */
export type CostSource = KnownCost['costSource'];

export function costSourceOf(usage: ShownUsage): CostSource {
  if (isCostUnknown(usage)) return 'unknown';
  return (usage.pricedUsd ?? 0) > 0 || (usage.unpricedTokens ?? 0) > 0 ? 'priced' : 'reported';
}

/** `$0.36`, `≈ $0.36` where a part of it is by a list of prices, `unknown` where nobody knows. */
export function costText(usage: ShownUsage): string {
  return costWords({ ...usage, costSource: costSourceOf(usage) });
}

/** `12993`, with what of it is a guess. */
export function tokensText({ tokens, estimatedTokens = 0 }: ShownUsage): string {
  return estimatedTokens === 0 ? String(tokens) : `${tokens}, ${estimatedTokens} of them estimated`;
}
