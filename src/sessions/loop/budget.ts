import { counted } from '../../foundation/index.js';
import type { Budget, Usage } from './schema.js';

/** A limit that is reached: which, how much was used, how much was allowed. */
export interface BudgetReached {
  readonly what: 'iterations' | 'time' | 'tokens' | 'cost';
  readonly used: number;
  readonly limit: number;
  readonly reason: string;
}

export const NO_USAGE: Usage = { iterations: 0, activeMs: 0, tokens: 0, costUsd: 0 };

/** The first limit that is reached, or null. */
export function checkBudget(usage: Usage, budget: Budget): BudgetReached | null {
  const checks = [
    ['iterations', usage.iterations, budget.iterations, (n: number) => counted(n, 'iteration')],
    ['time', usage.activeMs, budget.activeMs, (n: number) => counted(Math.round(n / 60_000), 'minute')],
    ['tokens', usage.tokens, budget.tokens, (n: number) => counted(n, 'token')],
    ['cost', usage.costUsd, budget.costUsd, (n: number) => `$${n.toFixed(2)}`],
  ] as const;
  for (const [what, used, limit, words] of checks) {
    if (limit !== undefined && used >= limit)
      return { what, used, limit, reason: `the limit of ${words(limit)} is reached` };
  }
  return null;
}

/** What was used before and in one more iteration, or in a turn that does not count as one. */
export function addUsage(
  usage: Usage,
  more: Partial<Pick<Usage, 'activeMs' | 'tokens' | 'costUsd'>>,
  iterations: 0 | 1 = 1,
): Usage {
  return {
    ...usage,
    iterations: usage.iterations + iterations,
    activeMs: usage.activeMs + (more.activeMs ?? 0),
    tokens: usage.tokens + (more.tokens ?? 0),
    costUsd: usage.costUsd + (more.costUsd ?? 0),
  };
}
