import { withoutNoise } from '../../foundation/index.js';
import type { UsageRecord } from './schema.js';

/** The usage of several replies, added up. */
export interface UsageTotals {
  /** Input, output and cache writes. */
  readonly tokens: number;
  /** Read from a cache; not counted among the tokens. */
  readonly cacheReadTokens: number;
  readonly costUsd: number;
  /** How much of the cost comes from a price list instead of a report. */
  readonly pricedUsd: number;
  /** Tokens whose cost is unknown. */
  readonly unpricedTokens: number;
  /** Tokens estimated from lengths. */
  readonly estimatedTokens: number;
}

/**
 * Adds up the usage of replies. A reported cost covers everything its exchange used before it, except what is priced
 * with it. Anything still without a cost at the end of an exchange (it was cut short, or the agent reports none) is
 * priced by the price list.
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
