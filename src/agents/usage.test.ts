import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/support/verifies.js';
import { NO_USAGE } from './events.js';
import { Exchange } from './exchange.js';
import { checkedUsage, countOf, dollarsOf, plusUsage } from './usage.js';

describe('numbers that an agent reports', () => {
  it.each([
    [5, 5],
    [5.5, 0],
    [-0, 0],
    [2 ** 53 + 1, 0],
    [-1, 0],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 0],
    [1e300, 0],
    ['12', 0],
    [null, 0],
  ])('counts %o tokens as %d', (told, counted) => {
    expect(countOf(told)).toBe(counted);
  });

  it.each([
    [0.1 + 0.2, 0.3],
    [-1_000, null],
    [Number.NaN, null],
    [1e300, null],
  ])('takes %d dollars as %o', (told, taken) => {
    expect(dollarsOf(told)).toBe(taken);
  });

  it('are whole and not negative in every exchange, whatever the driver', () => {
    const number = fc.oneof(fc.double(), fc.integer(), fc.constant(1e300));
    const odd = fc.record({
      inputTokens: number,
      outputTokens: number,
      cacheReadTokens: number,
      cacheWriteTokens: number,
      contextTokens: fc.option(number),
      contextWindow: fc.option(number),
      costUsd: fc.option(number),
    });
    fc.assert(
      fc.asyncProperty(odd, async (usage) => {
        const exchange = new Exchange(() => {});
        exchange.push({ type: 'usage', usage });
        exchange.finish('completed');
        for await (const event of exchange) {
          if (event.type !== 'usage') continue;
          const { costUsd, contextTokens, contextWindow, ...tokens } = event.usage;
          for (const count of [...Object.values(tokens), contextTokens ?? 0, contextWindow ?? 0])
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          expect(costUsd === null || (Number.isFinite(costUsd) && costUsd >= 0)).toBe(true);
        }
      }),
    );
  });
});

describe('the usage of an exchange', () => {
  verifies('R13', 'is the sum of its replies, with the context of the last one', () => {
    const reply = { ...NO_USAGE, inputTokens: 10, outputTokens: 1, cacheReadTokens: 5, contextTokens: 16 };
    const first = plusUsage(null, checkedUsage(reply));
    const second = plusUsage(first, { ...reply, contextTokens: 32, costUsd: 0.1 });
    expect(plusUsage(second, { ...NO_USAGE, costUsd: 0.2 })).toEqual({
      inputTokens: 20,
      outputTokens: 2,
      cacheReadTokens: 10,
      cacheWriteTokens: 0,
      contextTokens: 32,
      contextWindow: null,
      costUsd: 0.3,
    });
  });
});
