import { expect, it } from 'vitest';
import { NO_USAGE } from '../../agents/index.js';
import { Gatherer } from './gatherer.js';

it('adds up the usage of each reply in an exchange, and keeps how full the context is at the end', () => {
  const gatherer = new Gatherer();
  const replies = [
    { ...NO_USAGE, inputTokens: 100, outputTokens: 10, cacheReadTokens: 5, contextTokens: 115 },
    { ...NO_USAGE, inputTokens: 20, outputTokens: 2, contextTokens: 137, contextWindow: 1_000, costUsd: 0.5 },
    NO_USAGE,
  ];
  for (const usage of replies) gatherer.add({ type: 'usage', usage });
  expect(gatherer.usage).toEqual({
    inputTokens: 120,
    outputTokens: 12,
    cacheReadTokens: 5,
    cacheWriteTokens: 0,
    contextTokens: 137,
    contextWindow: 1_000,
    costUsd: 0.5,
  });
});
