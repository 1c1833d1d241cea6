import { counted } from '../../foundation/index.js';
import { isCostUnknown } from './policies/budget.js';
import type { LoopUsage } from './schema.js';

/** What is shown of tokens and money; what release 0.1 wrote lacks all but the first two. */
export type ShownUsage = Pick<
  LoopUsage,
  'tokens' | 'costUsd' | 'cacheReadTokens' | 'pricedUsd' | 'unpricedTokens' | 'estimatedTokens'
>;

/** Who says what it cost: the agent, a list of prices (at least for a part of it), or nobody. */
export type CostSource = 'reported' | 'priced' | 'unknown';

export function costSourceOf(usage: ShownUsage): CostSource {
  if (isCostUnknown(usage)) return 'unknown';
  return (usage.pricedUsd ?? 0) > 0 || (usage.unpricedTokens ?? 0) > 0 ? 'priced' : 'reported';
}

/** `$0.36`, `≈ $0.36` where a part of it is by a list of prices, `unknown` where nobody knows. */
export function costText(usage: ShownUsage): string {
  if (costSourceOf(usage) === 'unknown') return 'unknown';
  const { pricedUsd = 0, unpricedTokens = 0 } = usage;
  const rest = unpricedTokens === 0 ? '' : ` + ${counted(unpricedTokens, 'unpriced token')}`;
  return `${pricedUsd > 0 ? '≈ ' : ''}${dollarsText(usage.costUsd)}${rest}`;
}

/** `12993`, with what of it is a guess. */
export function tokensText({ tokens, estimatedTokens = 0 }: ShownUsage): string {
  return estimatedTokens === 0 ? String(tokens) : `${tokens}, ${estimatedTokens} of them estimated`;
}

/** Cents are too coarse for what a short turn costs. */
export function dollarsText(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 3 : 2)}`;
}
