import { withoutNoise } from '../../foundation/index.js';
import type { UsageRecord } from './schema.js';

/** What replies used, added up. */
export interface UsageTotals {
  /** Input, output and what was written to a cache. */
  readonly tokens: number;
  /** Read from a cache; not among the tokens. */
  readonly cacheReadTokens: number;
  readonly costUsd: number;
  /** How much of the cost is by a list of prices, not as reported. */
  readonly pricedUsd: number;
  /** Tokens whose cost nobody knows. */
  readonly unpricedTokens: number;
  /** Tokens that are a guess from lengths. */
  readonly estimatedTokens: number;
}

/**
 * Adds up what replies used. A reported cost covers all that its exchange used before it (but what is priced with it); what is left without one at the
 * end of an exchange (it was cut short, or the agent tells none) counts by the list of prices.
 */
export function sumUsage(records: readonly UsageRecord[]): UsageTotals {
  let [tokens, cacheReadTokens, reportedUsd, pricedUsd, unpricedTokens, estimatedTokens] = [0, 0, 0, 0, 0, 0];
  const open = new Map<number, UsageRecord[]>();
  for (const record of records) {
    tokens += tokensOf(record);
    cacheReadTokens += record.cacheReadTokens;
    if (record.source === 'estimated') estimatedTokens += tokensOf(record);
    if (record.costUsd === null) open.set(record.turn, [...(open.get(record.turn) ?? []), record]);
    else {
      reportedUsd += record.costUsd;
      pricedUsd += record.pricedUsd ?? 0;
      open.delete(record.turn);
    }
  }
  for (const record of [...open.values()].flat()) {
    if (record.pricedUsd === null) unpricedTokens += tokensOf(record) + record.cacheReadTokens;
    else pricedUsd += record.pricedUsd;
  }
  return {
    tokens,
    cacheReadTokens,
    costUsd: withoutNoise(reportedUsd + pricedUsd),
    pricedUsd: withoutNoise(pricedUsd),
    unpricedTokens,
    estimatedTokens,
  };
}

function tokensOf({ inputTokens, outputTokens, cacheWriteTokens }: UsageRecord): number {
  return inputTokens + outputTokens + cacheWriteTokens;
}
