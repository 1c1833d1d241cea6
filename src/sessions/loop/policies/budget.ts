import { counted, withoutNoise } from '../../../foundation/index.js';
import type { Budget, LoopUsage } from '../schema.js';
import { plus } from './plus.js';

/** A limit that was reached: which one, how much was used, how much was allowed. */
export interface BudgetReached {
  readonly what: 'iterations' | 'time' | 'tokens' | 'cost';
  readonly used: number;
  readonly limit: number;
  readonly reason: string;
}

export const NO_USAGE: LoopUsage = { iterations: 0, activeMs: 0, tokens: 0, costUsd: 0 };

/** The first limit that was reached, or null. */
export function checkBudget(usage: LoopUsage, budget: Budget): BudgetReached | null {
  const checks = [
    ['iterations', usage.iterations, budget.iterations, (n: number) => counted(n, 'iteration')],
    ['time', usage.activeMs, budget.activeMs, (n: number) => counted(Math.round(n / 60_000), 'minute')],
    ['tokens', usage.tokens, budget.tokens, (n: number) => counted(n, 'token')],
    ['cost', likelyCost(usage), budget.costUsd, (n: number) => `$${n.toFixed(2)}`],
  ] as const;
  for (const [what, used, limit, words] of checks) {
    if (limit !== undefined && used >= limit)
      return { what, used, limit, reason: `the limit of ${words(limit)} is reached` };
  }
  if (budget.costUsd !== undefined && isCostUnknown(usage))
    return {
      what: 'cost',
      used: usage.costUsd,
      limit: budget.costUsd,
      reason: `the cost is unknown, so the limit of $${budget.costUsd.toFixed(2)} cannot be enforced; use --max-tokens instead`,
    };
  return null;
}

/** Whether the cost so far is unknown. Release 0.1 stored only a sum, and 0 if no cost was reported. */
export function isCostUnknown({
  tokens,
  costUsd,
  unpricedTokens,
}: Pick<LoopUsage, 'tokens' | 'costUsd' | 'unpricedTokens'>): boolean {
  return costUsd === 0 && (unpricedTokens ?? tokens) > 0;
}

/** What was spent, assuming that tokens without a price cost as much as the rest. */
export function likelyCost(
  usage: Pick<LoopUsage, 'tokens' | 'costUsd' | 'cacheReadTokens' | 'unpricedTokens'>,
): number {
  const { tokens, costUsd, cacheReadTokens = 0, unpricedTokens = 0 } = usage;
  const priced = tokens + cacheReadTokens - unpricedTokens;
  return priced > 0 ? costUsd * (1 + unpricedTokens / priced) : costUsd;
}

/** What is added to a session's usage; for `countedRecords` the latest value counts. */
export type Used = Partial<Pick<LoopUsage, AddedKey | 'countedRecords'>>;

/** Adds the usage of one more iteration, or of a turn that does not count as one. */
export function addUsage(usage: LoopUsage, more: Used, iterations: 0 | 1 = 1): LoopUsage {
  const sum = (key: AddedKey) => plus(usage[key] ?? 0, more[key] ?? 0);
  const known = ADDED.filter((key) => usage[key] !== undefined || more[key] !== undefined);
  const counted = more.countedRecords ?? usage.countedRecords;
  return {
    ...usage,
    iterations: usage.iterations + iterations,
    activeMs: sum('activeMs'),
    tokens: sum('tokens'),
    costUsd: withoutNoise(sum('costUsd')),
    ...Object.fromEntries(known.map((key) => [key, withoutNoise(sum(key))])),
    ...(counted === undefined ? {} : { countedRecords: counted }),
  };
}

const ADDED = ['cacheReadTokens', 'pricedUsd', 'unpricedTokens', 'estimatedTokens'] as const;
type AddedKey = (typeof ADDED)[number] | 'activeMs' | 'tokens' | 'costUsd';
