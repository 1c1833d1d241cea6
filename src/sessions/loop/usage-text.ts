import { costWords, type KnownCost } from '../../foundation/index.js';
import { isCostUnknown } from './policies/budget.js';
import type { LoopUsage } from './schema.js';

/** The usage that is shown; files of release 0.1 have only the first two numbers. */
export type ShownUsage = Pick<
  LoopUsage,
  'tokens' | 'costUsd' | 'cacheReadTokens' | 'pricedUsd' | 'unpricedTokens' | 'estimatedTokens'
>;

/** Where the cost comes from: the agent, a price list (at least in part), or unknown. */
export type CostSource = KnownCost['costSource'];

export function costSourceOf(usage: ShownUsage): CostSource {
  if (isCostUnknown(usage)) return 'unknown';
  return (usage.pricedUsd ?? 0) > 0 || (usage.unpricedTokens ?? 0) > 0 ? 'priced' : 'reported';
}

/** `$0.36`, `≈ $0.36` if part of it comes from a price list, `unknown` if it is not known. */
export function costText(usage: ShownUsage): string {
  return costWords({ ...usage, costSource: costSourceOf(usage) });
}

/** `12993`, and how many of them are estimated. */
export function tokensText({ tokens, estimatedTokens = 0 }: ShownUsage): string {
  return estimatedTokens === 0 ? String(tokens) : `${tokens}, ${estimatedTokens} of them estimated`;
}
