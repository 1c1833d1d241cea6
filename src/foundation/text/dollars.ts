import { counted } from './counted.js';

/** A sum of dollars without floating-point noise: 0.1 + 0.2 is 0.30000000000000004. */
export function withoutNoise(usd: number): number {
  return Math.round(usd * 1e10) / 1e10;
}

/** Cents are too coarse for the cost of a short turn. */
export function dollarsText(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 3 : 2)}`;
}

/** What something cost, and how we know: from a report, from a price list, or not at all. */
export interface KnownCost {
  readonly costUsd: number;
  readonly costSource: 'reported' | 'priced' | 'unknown';
  readonly pricedUsd?: number | undefined;
  readonly unpricedTokens?: number | undefined;
}

/** `$0.36`; `≈ $0.36` if part of it comes from a price list; `unknown` if it is not known. */
export function costWords({ costUsd, costSource, pricedUsd = 0, unpricedTokens = 0 }: KnownCost): string {
  if (costSource === 'unknown') return 'unknown';
  const rest = unpricedTokens === 0 ? '' : ` + ${counted(unpricedTokens, 'unpriced token')}`;
  return `${pricedUsd > 0 ? '≈ ' : ''}${dollarsText(costUsd)}${rest}`;
}
