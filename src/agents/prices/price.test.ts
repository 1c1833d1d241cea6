import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeList } from '../../../scripts/make-prices.mjs';
import { verifies } from '../../../test/support/verifies.js';
import { loadPrices } from './load.js';
import { priceBy } from './price.js';

const MILLION = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const TODAY = new Date('2026-11-15T00:00:00Z');

describe('the price of tokens', () => {
  verifies('R08', 'comes from a list with a name, a version and a date', async () => {
    const priceOf = await loadPrices({}, TODAY);
    const tokens = { inputTokens: 1_000, outputTokens: 50, cacheReadTokens: 200, cacheWriteTokens: 10 };
    expect(priceOf('gpt-5.5', tokens)).toEqual({
      usd: 0.00665,
      source: '@pydantic/genai-prices 0.1.8 of 2026-09-23',
    });
    // The result of Claude Code's own calculation.
    expect(priceOf('claude-opus-5-5', tokens)?.usd).toBe(0.00509);
    expect(priceOf('google/gemini-2.5-flash', tokens)?.usd).toBe(0.000434);
  });

  it('charges the whole request at the higher price once its input exceeds a tier', async () => {
    const priceOf = await loadPrices({}, TODAY);
    expect(priceOf('gpt-5.5', { ...MILLION, inputTokens: 271_999 })?.usd).toBe(1.359995);
    expect(priceOf('gpt-5.5', { ...MILLION, inputTokens: 272_000 })?.usd).toBe(2.72);
  });

  verifies('R08', 'is unknown for a model that is in no list', async () => {
    const priceOf = await loadPrices({}, TODAY);
    expect(priceOf('my-own-model', MILLION)).toBe(null);
    expect(priceOf(null, MILLION)).toBe(null);
    expect(priceOf('__proto__', MILLION)).toBe(null);
  });

  verifies('R08', "is the user's own if there is one", async () => {
    const priceOf = await loadPrices({ 'gpt-5.5': { input: 1, output: 2 } }, TODAY);
    expect(priceOf('gpt-5.5', { ...MILLION, cacheReadTokens: 1_000_000 })).toEqual({
      usd: 2,
      source: 'config.json',
    });
  });

  it('is the one valid on that day', () => {
    const models = [
      {
        match: { equals: 'm' },
        periods: [
          { input: 1, output: 1 },
          { from: '2026-11-01', input: 2, output: 2 },
          { from: '2027-01-01', input: 3, output: 3 },
        ],
      },
    ];
    expect(priceBy({ source: 's', models, own: {}, today: TODAY })('m', MILLION)?.usd).toBe(2);
  });

  it('matches the pinned package in the checked-in list', () => {
    expect(readFileSync('src/agents/prices/list.ts', 'utf8')).toBe(makeList());
  });
});
