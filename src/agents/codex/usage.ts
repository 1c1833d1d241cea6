import type { Usage } from '../events.js';
import type { Totals } from './schema.js';

/**
 * Turns the totals of a thread into what each turn used. A turn that failed or was cancelled tells nothing, so its
 * tokens count in the next one. After a resume the total before it is not known: the first turn has no usage.
 */
export class UsageMeter {
  #before: Totals | undefined;

  constructor(options: { isResumed: boolean }) {
    this.#before = options.isResumed ? undefined : { input_tokens: 0, output_tokens: 0 };
  }

  usageOf(totals: Totals): Usage | undefined {
    const before = this.#before;
    this.#before = totals;
    // A total that fell was counted anew; since when is not known.
    if (before === undefined || totals.input_tokens < before.input_tokens) return undefined;
    const difference = (key: 'input_tokens' | 'output_tokens' | OptionalTotal) =>
      Math.max(0, (totals[key] ?? 0) - (before[key] ?? 0));
    const cacheReadTokens = difference('cached_input_tokens');
    const cacheWriteTokens = difference('cache_write_input_tokens');
    return {
      inputTokens: Math.max(0, difference('input_tokens') - cacheReadTokens - cacheWriteTokens),
      outputTokens: difference('output_tokens'),
      cacheReadTokens,
      cacheWriteTokens,
      // Sums over all requests say nothing about how full the context is.
      contextTokens: null,
      contextWindow: null,
      costUsd: null,
    };
  }
}

type OptionalTotal = 'cached_input_tokens' | 'cache_write_input_tokens';
