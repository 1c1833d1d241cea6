// Made by scripts/make-prices.mjs from @pydantic/genai-prices 0.1.8 (MIT, Copyright (c) Pydantic Services Inc.
// 2025 to present). Not to be edited.
import type { ListedModel } from './price.js';

export const PRICE_SOURCE = '@pydantic/genai-prices 0.1.8 of 2026-09-23';

/** US dollars per million tokens. */
export const LISTED_MODELS: readonly ListedModel[] = [
  {
    match: { or: [{ starts_with: 'claude-2' }, { contains: 'claude-v2' }] },
    periods: [{ input: 8, output: 24 }],
  },
  {
    match: { or: [{ starts_with: 'claude-3-5-haiku' }, { starts_with: 'claude-3.5-haiku' }] },
    periods: [{ input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1 }],
  },
  {
    match: { or: [{ starts_with: 'claude-3-5-sonnet' }, { starts_with: 'claude-3.5-sonnet' }] },
    periods: [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-3-7-sonnet' },
        { starts_with: 'claude-3.7-sonnet' },
        { starts_with: 'claude-sonnet-3.7' },
        { starts_with: 'claude-sonnet-3-7' },
      ],
    },
    periods: [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  },
  {
    match: { starts_with: 'claude-3-haiku' },
    periods: [{ input: 0.25, output: 1.25, cacheRead: 0.03, cacheWrite: 0.3 }],
  },
  {
    match: { starts_with: 'claude-3-opus' },
    periods: [{ input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }],
  },
  {
    match: { starts_with: 'claude-3-sonnet' },
    periods: [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  },
  {
    match: { or: [{ equals: 'claude-fable-5' }, { regex: '^claude-fable-5-\\d{8}$' }] },
    periods: [{ input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }],
  },
  {
    match: { or: [{ equals: 'claude-fable-5-1' }, { regex: '^claude-fable-5-1-\\d{8}$' }] },
    periods: [{ input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 }],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-haiku-4-5' },
        { starts_with: 'claude-haiku-4.5' },
        { starts_with: 'claude-4-5-haiku' },
        { starts_with: 'claude-4.5-haiku' },
      ],
    },
    periods: [{ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-opus-4-0' },
        { starts_with: 'claude-4-opus' },
        { equals: 'claude-opus-4' },
        { equals: 'claude-opus-4-20250514' },
      ],
    },
    periods: [{ input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }],
  },
  {
    match: { or: [{ starts_with: 'claude-opus-4-1' }, { starts_with: 'claude-opus-4.1' }] },
    periods: [{ input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-opus-4-5' },
        { starts_with: 'claude-opus-4.5' },
        { starts_with: 'claude-4-5-opus' },
        { starts_with: 'claude-4.5-opus' },
      ],
    },
    periods: [{ input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-opus-4-6' },
        { starts_with: 'claude-opus-4.6' },
        { starts_with: 'claude-4-6-opus' },
        { starts_with: 'claude-4.6-opus' },
      ],
    },
    periods: [
      {
        input: { base: 5, tiers: [{ above: 200000, price: 10 }] },
        output: { base: 25, tiers: [{ above: 200000, price: 37.5 }] },
        cacheRead: { base: 0.5, tiers: [{ above: 200000, price: 1 }] },
        cacheWrite: { base: 6.25, tiers: [{ above: 200000, price: 12.5 }] },
      },
      { from: '2026-03-13', input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    ],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-opus-4-7' },
        { starts_with: 'claude-opus-4.7' },
        { starts_with: 'claude-4-7-opus' },
        { starts_with: 'claude-4.7-opus' },
      ],
    },
    periods: [{ input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-opus-4-8' },
        { starts_with: 'claude-opus-4.8' },
        { starts_with: 'claude-4-8-opus' },
        { starts_with: 'claude-4.8-opus' },
      ],
    },
    periods: [{ input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
  },
  {
    match: {
      or: [
        { equals: 'claude-opus-5' },
        { regex: '^claude-opus-5-\\d{8}$' },
        { starts_with: 'claude-opus-5.0' },
        { starts_with: 'claude-5-opus' },
        { starts_with: 'claude-5.0-opus' },
      ],
    },
    periods: [{ input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
  },
  {
    match: {
      or: [
        { equals: 'claude-opus-5-5' },
        { regex: '^claude-opus-5-5-\\d{8}$' },
        { starts_with: 'claude-opus-5.5' },
        { starts_with: 'claude-5-5-opus' },
        { starts_with: 'claude-5.5-opus' },
      ],
    },
    periods: [{ input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 }],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-sonnet-4-2025' },
        { starts_with: 'claude-sonnet-4-0' },
        { starts_with: 'claude-sonnet-4@' },
        { equals: 'claude-sonnet-4' },
        { starts_with: 'claude-4-sonnet' },
      ],
    },
    periods: [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  },
  {
    match: { or: [{ starts_with: 'claude-sonnet-4-5' }, { starts_with: 'claude-sonnet-4.5' }] },
    periods: [
      {
        input: { base: 3, tiers: [{ above: 200000, price: 6 }] },
        output: { base: 15, tiers: [{ above: 200000, price: 22.5 }] },
        cacheRead: { base: 0.3, tiers: [{ above: 200000, price: 0.6 }] },
        cacheWrite: { base: 3.75, tiers: [{ above: 200000, price: 7.5 }] },
      },
    ],
  },
  {
    match: { or: [{ starts_with: 'claude-sonnet-4-6' }, { starts_with: 'claude-sonnet-4.6' }] },
    periods: [
      {
        input: { base: 3, tiers: [{ above: 200000, price: 6 }] },
        output: { base: 15, tiers: [{ above: 200000, price: 22.5 }] },
        cacheRead: { base: 0.3, tiers: [{ above: 200000, price: 0.6 }] },
        cacheWrite: { base: 3.75, tiers: [{ above: 200000, price: 7.5 }] },
      },
      { from: '2026-03-13', input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    ],
  },
  {
    match: {
      or: [
        { starts_with: 'claude-sonnet-5' },
        { starts_with: 'claude-sonnet-5.0' },
        { starts_with: 'claude-5-sonnet' },
        { starts_with: 'claude-5.0-sonnet' },
      ],
    },
    periods: [{ input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }],
  },
  { match: { equals: 'claude-v1' }, periods: [{ input: 8, output: 24 }] },
  { match: { or: [{ equals: 'ada' }, { equals: 'text-ada-001' }] }, periods: [{ input: 0.4, output: 0.4 }] },
  { match: { equals: 'babbage' }, periods: [{ input: 0.5, output: 0.5 }] },
  { match: { equals: 'chatgpt-4o-latest' }, periods: [{ input: 5, output: 15 }] },
  {
    match: { or: [{ equals: 'codex-mini' }, { equals: 'codex-mini-latest' }] },
    periods: [{ input: 1.5, output: 6, cacheRead: 0.375 }],
  },
  { match: { starts_with: 'computer-use' }, periods: [{ input: 3, output: 12 }] },
  { match: { or: [{ equals: 'curie' }, { equals: 'text-curie-001' }] }, periods: [{ input: 2, output: 2 }] },
  {
    match: { or: [{ equals: 'davinci' }, { equals: 'text-davinci-001' }] },
    periods: [{ input: 20, output: 20 }],
  },
  { match: { starts_with: 'ft:gpt-3.5-turbo' }, periods: [{ input: 3, output: 6 }] },
  { match: { starts_with: 'ft:gpt-4o-2024-' }, periods: [{ input: 3.75, output: 15 }] },
  { match: { starts_with: 'ft:gpt-4o-mini-2024-' }, periods: [{ input: 0.3, output: 1.2 }] },
  {
    match: { or: [{ equals: 'gpt-3.5-turbo-0301' }, { equals: 'gpt-3.5-0301' }] },
    periods: [{ input: 1.5, output: 2 }],
  },
  {
    match: {
      or: [{ equals: 'gpt-3.5-turbo' }, { equals: 'gpt-35-turbo' }, { equals: 'gpt-3.5-turbo-0125' }],
    },
    periods: [{ input: 0.5, output: 1.5 }],
  },
  { match: { equals: 'gpt-3.5-turbo-0613' }, periods: [{ input: 1.5, output: 2 }] },
  { match: { equals: 'gpt-3.5-turbo-1106' }, periods: [{ input: 1, output: 2 }] },
  {
    match: {
      or: [
        { equals: 'gpt-3.5-turbo-16k' },
        { equals: 'gpt-3.5-turbo-16k-0613' },
        { equals: 'gpt-35-turbo-16k-0613' },
        { equals: 'gpt-35-turbo-16k' },
      ],
    },
    periods: [{ input: 3, output: 4 }],
  },
  {
    match: { or: [{ starts_with: 'gpt-3.5-turbo-instruct' }, { equals: 'gpt-3.5-turbo-instruct-0914' }] },
    periods: [{ input: 1.5, output: 2 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-4' },
        { equals: 'gpt-4-0314' },
        { equals: 'gpt-4-0613' },
        { starts_with: 'ft:gpt-4-0' },
      ],
    },
    periods: [{ input: 30, output: 60 }],
  },
  {
    match: { or: [{ equals: 'gpt-4-32k' }, { equals: 'gpt-4-32k-0314' }, { equals: 'gpt-4-32k-0613' }] },
    periods: [{ input: 60, output: 120 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-4-turbo' },
        { equals: 'gpt-4-turbo-2024-04-09' },
        { equals: 'gpt-4-turbo-0125-preview' },
        { equals: 'gpt-4-0125-preview' },
        { equals: 'gpt-4-1106-preview' },
        { equals: 'gpt-4-turbo-preview' },
      ],
    },
    periods: [{ input: 10, output: 30 }],
  },
  {
    match: { or: [{ equals: 'gpt-4-vision-preview' }, { equals: 'gpt-4-1106-vision-preview' }] },
    periods: [{ input: 10, output: 30 }],
  },
  {
    match: { or: [{ equals: 'gpt-4.1' }, { equals: 'gpt-4.1-2025-04-14' }] },
    periods: [{ input: 2, output: 8, cacheRead: 0.5 }],
  },
  {
    match: { or: [{ equals: 'gpt-4.1-mini' }, { equals: 'gpt-4.1-mini-2025-04-14' }] },
    periods: [{ input: 0.4, output: 1.6, cacheRead: 0.1 }],
  },
  {
    match: { or: [{ equals: 'gpt-4.1-nano' }, { equals: 'gpt-4.1-nano-2025-04-14' }] },
    periods: [{ input: 0.1, output: 0.4, cacheRead: 0.025 }],
  },
  { match: { starts_with: 'gpt-4.5-preview' }, periods: [{ input: 75, output: 150, cacheRead: 37.5 }] },
  {
    match: { or: [{ equals: 'gpt-4o' }, { equals: 'gpt-4o-2024-08-06' }, { equals: 'gpt-4o-2024-11-20' }] },
    periods: [{ input: 2.5, output: 10, cacheRead: 1.25 }],
  },
  { match: { equals: 'gpt-4o-2024-05-13' }, periods: [{ input: 5, output: 15 }] },
  { match: { starts_with: 'gpt-4o-audio-preview' }, periods: [{ input: 2.5, output: 10 }] },
  {
    match: {
      or: [
        { equals: 'gpt-4o-mini' },
        { equals: 'gpt-4o-mini-2024-07-18' },
        { equals: 'gpt-4o-mini-search-preview' },
        { equals: 'gpt-4o-mini-search-preview-2025-03-11' },
      ],
    },
    periods: [{ input: 0.15, output: 0.6, cacheRead: 0.075 }],
  },
  { match: { starts_with: 'gpt-4o-mini-2024-07-18.ft-' }, periods: [{ input: 0.3, output: 1.2 }] },
  { match: { starts_with: 'gpt-4o-mini-audio' }, periods: [{ input: 0.15, output: 0.6 }] },
  { match: { starts_with: 'gpt-4o-mini-realtime' }, periods: [{ input: 0.6, output: 2.4, cacheRead: 0.3 }] },
  { match: { equals: 'gpt-4o-mini-transcribe' }, periods: [{ input: 1.25, output: 5 }] },
  { match: { equals: 'gpt-4o-mini-tts' }, periods: [{ input: 0.6, output: 12 }] },
  { match: { starts_with: 'gpt-4o-realtime' }, periods: [{ input: 5, output: 20, cacheRead: 2.5 }] },
  {
    match: { or: [{ equals: 'gpt-4o-search-preview' }, { equals: 'gpt-4o-search-preview-2025-03-11' }] },
    periods: [{ input: 2.5, output: 10 }],
  },
  {
    match: { or: [{ equals: 'gpt-4o-transcribe' }, { equals: 'gpt-4o-transcribe-diarize' }] },
    periods: [{ input: 2.5, output: 10 }],
  },
  { match: { equals: 'gpt-4o:extended' }, periods: [{ input: 6, output: 18 }] },
  {
    match: {
      or: [
        { equals: 'gpt-5' },
        { equals: 'gpt-5-2025-08-07' },
        { equals: 'gpt-5-chat' },
        { equals: 'gpt-5-chat-latest' },
        { equals: 'gpt-5-codex' },
      ],
    },
    periods: [{ input: 1.25, output: 10, cacheRead: 0.125 }],
  },
  { match: { equals: 'gpt-5-image' }, periods: [{ input: 10, output: 10, cacheRead: 1.25 }] },
  { match: { equals: 'gpt-5-image-mini' }, periods: [{ input: 2.5, output: 2, cacheRead: 0.25 }] },
  {
    match: { or: [{ equals: 'gpt-5-mini' }, { equals: 'gpt-5-mini-2025-08-07' }] },
    periods: [{ input: 0.25, output: 2, cacheRead: 0.025 }],
  },
  {
    match: { or: [{ equals: 'gpt-5-nano' }, { starts_with: 'gpt-5-nano-' }] },
    periods: [{ input: 0.05, output: 0.4, cacheRead: 0.005 }],
  },
  {
    match: { or: [{ equals: 'gpt-5-pro' }, { equals: 'gpt-5-pro-2025-10-06' }] },
    periods: [{ input: 15, output: 120 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.1' },
        { equals: 'gpt-5.1-2025-11-13' },
        { equals: 'gpt-5.1-codex' },
        { equals: 'gpt-5.1-codex-max' },
        { equals: 'gpt-5.1-chat' },
        { equals: 'gpt-5.1-chat-latest' },
        { equals: 'gpt-5-1' },
        { equals: 'gpt-5-1-2025-11-13' },
        { equals: 'gpt-5-1-codex' },
        { equals: 'gpt-5-1-codex-max' },
        { equals: 'gpt-5-1-chat' },
        { equals: 'gpt-5-1-chat-latest' },
      ],
    },
    periods: [{ input: 1.25, output: 10, cacheRead: 0.125 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.1-codex-mini' },
        { equals: 'gpt-5.1-mini' },
        { equals: 'gpt-5-1-codex-mini' },
        { equals: 'gpt-5-1-mini' },
      ],
    },
    periods: [{ input: 0.25, output: 2, cacheRead: 0.025 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.2' },
        { equals: 'gpt-5.2-2025-12-11' },
        { equals: 'gpt-5-2' },
        { equals: 'gpt-5-2-2025-12-11' },
        { equals: 'gpt-5.2-chat' },
        { equals: 'gpt-5.2-chat-latest' },
        { equals: 'gpt-5-2-chat' },
        { equals: 'gpt-5-2-chat-latest' },
        { equals: 'gpt-5.2-codex' },
        { equals: 'gpt-5-2-codex' },
      ],
    },
    periods: [{ input: 1.75, output: 14, cacheRead: 0.175 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.2-pro' },
        { equals: 'gpt-5.2-pro-2025-12-11' },
        { equals: 'gpt-5-2-pro-2025-12-11' },
      ],
    },
    periods: [{ input: 21, output: 168 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.3' },
        { equals: 'gpt-5-3' },
        { equals: 'gpt-5.3-chat' },
        { equals: 'gpt-5.3-chat-latest' },
        { equals: 'gpt-5-3-chat' },
        { equals: 'gpt-5-3-chat-latest' },
      ],
    },
    periods: [{ input: 1.75, output: 14, cacheRead: 0.175 }],
  },
  {
    match: { or: [{ equals: 'gpt-5.3-codex' }, { equals: 'gpt-5-3-codex' }] },
    periods: [{ input: 1.75, output: 14, cacheRead: 0.175 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.4' },
        { equals: 'gpt-5.4-2026-03-05' },
        { equals: 'gpt-5-4' },
        { equals: 'gpt-5-4-2026-03-05' },
      ],
    },
    periods: [
      {
        input: { base: 2.5, tiers: [{ above: 271999, price: 5 }] },
        output: { base: 15, tiers: [{ above: 271999, price: 22.5 }] },
        cacheRead: { base: 0.25, tiers: [{ above: 271999, price: 0.5 }] },
      },
    ],
  },
  { match: { equals: 'gpt-5.4-image-2' }, periods: [{ input: 8, output: 15, cacheRead: 2 }] },
  {
    match: {
      or: [
        { equals: 'gpt-5.4-mini' },
        { equals: 'gpt-5.4-mini-2026-03-17' },
        { equals: 'gpt-5-4-mini' },
        { equals: 'gpt-5-4-mini-2026-03-17' },
      ],
    },
    periods: [{ input: 0.75, output: 4.5, cacheRead: 0.075 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.4-nano' },
        { equals: 'gpt-5.4-nano-2026-03-17' },
        { equals: 'gpt-5-4-nano' },
        { equals: 'gpt-5-4-nano-2026-03-17' },
      ],
    },
    periods: [{ input: 0.2, output: 1.25, cacheRead: 0.02 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.4-pro' },
        { equals: 'gpt-5.4-pro-2026-03-05' },
        { equals: 'gpt-5-4-pro' },
        { equals: 'gpt-5-4-pro-2026-03-05' },
      ],
    },
    periods: [
      {
        input: { base: 30, tiers: [{ above: 271999, price: 60 }] },
        output: { base: 180, tiers: [{ above: 271999, price: 270 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.5' },
        { equals: 'gpt-5.5-2026-04-23' },
        { equals: 'gpt-5.5-2026-04-24' },
        { equals: 'gpt-5-5' },
        { equals: 'gpt-5-5-2026-04-23' },
        { equals: 'gpt-5-5-2026-04-24' },
        { equals: 'gpt-5.5-chat' },
        { equals: 'gpt-5.5-chat-latest' },
        { equals: 'gpt-5-5-chat' },
        { equals: 'gpt-5-5-chat-latest' },
        { equals: 'gpt-5.5-codex' },
        { equals: 'gpt-5-5-codex' },
      ],
    },
    periods: [
      {
        input: { base: 5, tiers: [{ above: 271999, price: 10 }] },
        output: { base: 30, tiers: [{ above: 271999, price: 45 }] },
        cacheRead: { base: 0.5, tiers: [{ above: 271999, price: 1 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.5-pro' },
        { equals: 'gpt-5.5-pro-2026-04-23' },
        { equals: 'gpt-5-5-pro' },
        { equals: 'gpt-5-5-pro-2026-04-23' },
      ],
    },
    periods: [
      {
        input: { base: 30, tiers: [{ above: 271999, price: 60 }] },
        output: { base: 180, tiers: [{ above: 271999, price: 270 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.6-luna' },
        { equals: 'gpt-5-6-luna' },
        { regex: '^gpt-5\\.6-luna-\\d{4}-\\d{2}-\\d{2}$' },
        { regex: '^gpt-5-6-luna-\\d{4}-\\d{2}-\\d{2}$' },
      ],
    },
    periods: [
      {
        input: { base: 1, tiers: [{ above: 271999, price: 2 }] },
        output: { base: 6, tiers: [{ above: 271999, price: 9 }] },
        cacheRead: { base: 0.1, tiers: [{ above: 271999, price: 0.2 }] },
        cacheWrite: { base: 1.25, tiers: [{ above: 271999, price: 2.5 }] },
      },
      {
        from: '2026-07-30',
        input: { base: 0.2, tiers: [{ above: 271999, price: 0.4 }] },
        output: { base: 1.2, tiers: [{ above: 271999, price: 1.8 }] },
        cacheRead: { base: 0.02, tiers: [{ above: 271999, price: 0.04 }] },
        cacheWrite: { base: 0.25, tiers: [{ above: 271999, price: 0.5 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.6-sol' },
        { equals: 'gpt-5-6-sol' },
        { equals: 'gpt-5.6' },
        { equals: 'gpt-5-6' },
        { regex: '^gpt-5\\.6-sol-\\d{4}-\\d{2}-\\d{2}$' },
        { regex: '^gpt-5-6-sol-\\d{4}-\\d{2}-\\d{2}$' },
      ],
    },
    periods: [
      {
        input: { base: 5, tiers: [{ above: 271999, price: 10 }] },
        output: { base: 30, tiers: [{ above: 271999, price: 45 }] },
        cacheRead: { base: 0.5, tiers: [{ above: 271999, price: 1 }] },
        cacheWrite: { base: 6.25, tiers: [{ above: 271999, price: 12.5 }] },
      },
      {
        from: '2026-08-21',
        input: { base: 4, tiers: [{ above: 271999, price: 8 }] },
        output: { base: 20, tiers: [{ above: 271999, price: 30 }] },
        cacheRead: { base: 0.4, tiers: [{ above: 271999, price: 0.8 }] },
        cacheWrite: { base: 5, tiers: [{ above: 271999, price: 10 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { equals: 'gpt-5.6-terra' },
        { equals: 'gpt-5-6-terra' },
        { regex: '^gpt-5\\.6-terra-\\d{4}-\\d{2}-\\d{2}$' },
        { regex: '^gpt-5-6-terra-\\d{4}-\\d{2}-\\d{2}$' },
      ],
    },
    periods: [
      {
        input: { base: 2.5, tiers: [{ above: 271999, price: 5 }] },
        output: { base: 15, tiers: [{ above: 271999, price: 22.5 }] },
        cacheRead: { base: 0.25, tiers: [{ above: 271999, price: 0.5 }] },
        cacheWrite: { base: 3.125, tiers: [{ above: 271999, price: 6.25 }] },
      },
      {
        from: '2026-07-30',
        input: { base: 2, tiers: [{ above: 271999, price: 4 }] },
        output: { base: 12, tiers: [{ above: 271999, price: 18 }] },
        cacheRead: { base: 0.2, tiers: [{ above: 271999, price: 0.4 }] },
        cacheWrite: { base: 2.5, tiers: [{ above: 271999, price: 5 }] },
      },
    ],
  },
  {
    match: { or: [{ equals: 'gpt-6-astra' }, { regex: '^gpt-6-astra-\\d{4}-\\d{2}-\\d{2}$' }] },
    periods: [
      {
        input: { base: 10, tiers: [{ above: 271999, price: 20 }] },
        output: { base: 50, tiers: [{ above: 271999, price: 75 }] },
        cacheRead: { base: 1, tiers: [{ above: 271999, price: 2 }] },
        cacheWrite: { base: 12.5, tiers: [{ above: 271999, price: 25 }] },
      },
    ],
  },
  {
    match: { or: [{ equals: 'gpt-6-luna' }, { regex: '^gpt-6-luna-\\d{4}-\\d{2}-\\d{2}$' }] },
    periods: [
      {
        input: { base: 0.1, tiers: [{ above: 272000, price: 0.2 }] },
        output: { base: 0.5, tiers: [{ above: 272000, price: 0.75 }] },
        cacheRead: { base: 0.01, tiers: [{ above: 272000, price: 0.02 }] },
        cacheWrite: { base: 0.125, tiers: [{ above: 272000, price: 0.25 }] },
      },
    ],
  },
  {
    match: { or: [{ equals: 'gpt-6-sol' }, { regex: '^gpt-6-sol-\\d{4}-\\d{2}-\\d{2}$' }] },
    periods: [
      {
        input: { base: 2, tiers: [{ above: 272000, price: 4 }] },
        output: { base: 10, tiers: [{ above: 272000, price: 15 }] },
        cacheRead: { base: 0.2, tiers: [{ above: 272000, price: 0.4 }] },
        cacheWrite: { base: 2.5, tiers: [{ above: 272000, price: 5 }] },
      },
    ],
  },
  {
    match: { or: [{ equals: 'gpt-audio' }, { equals: 'gpt-audio-2025-08-28' }, { equals: 'gpt-audio-1.5' }] },
    periods: [{ input: 2.5, output: 10 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-audio-mini' },
        { equals: 'gpt-audio-mini-2025-10-06' },
        { equals: 'gpt-audio-mini-2025-12-15' },
      ],
    },
    periods: [{ input: 0.6, output: 2.4 }],
  },
  { match: { equals: 'gpt-chat-latest' }, periods: [{ input: 5, output: 30, cacheRead: 0.5 }] },
  { match: { equals: 'gpt-image-1' }, periods: [{ input: 5, output: 40, cacheRead: 1.25 }] },
  { match: { or: [{ equals: 'gpt-image-1-mini' }] }, periods: [{ input: 2, output: 8, cacheRead: 0.2 }] },
  {
    match: { or: [{ equals: 'gpt-image-1.5' }, { equals: 'gpt-image-1.5-2025-12-16' }] },
    periods: [{ input: 5, output: 10, cacheRead: 1.25 }],
  },
  {
    match: { or: [{ equals: 'gpt-image-2' }, { equals: 'gpt-image-2-2026-04-21' }] },
    periods: [{ input: 5, output: 30, cacheRead: 1.25 }],
  },
  { match: { equals: 'gpt-oss-120b' }, periods: [{ input: 0.039, output: 0.18 }] },
  { match: { equals: 'gpt-oss-20b' }, periods: [{ input: 0.029, output: 0.14 }] },
  { match: { equals: 'gpt-oss-safeguard-20b' }, periods: [{ input: 0.075, output: 0.3, cacheRead: 0.037 }] },
  {
    match: {
      or: [{ equals: 'gpt-realtime' }, { equals: 'gpt-realtime-2025-08-28' }, { equals: 'gpt-realtime-1.5' }],
    },
    periods: [{ input: 4, output: 16, cacheRead: 0.4 }],
  },
  {
    match: { or: [{ equals: 'gpt-realtime-2' }, { equals: 'gpt-realtime-2.1' }] },
    periods: [{ input: 4, output: 24, cacheRead: 0.4 }],
  },
  {
    match: {
      or: [
        { equals: 'gpt-realtime-mini' },
        { equals: 'gpt-realtime-2.1-mini' },
        { equals: 'gpt-realtime-mini-2025-12-15' },
        { equals: 'gpt-realtime-mini-2025-10-06' },
      ],
    },
    periods: [{ input: 0.6, output: 2.4, cacheRead: 0.06 }],
  },
  {
    match: { or: [{ equals: 'o1' }, { equals: 'o1-2024-12-17' }] },
    periods: [{ input: 15, output: 60, cacheRead: 7.5 }],
  },
  {
    match: { or: [{ equals: 'o1-mini' }, { equals: 'o1-mini-2024-09-12' }] },
    periods: [{ input: 1.1, output: 4.4, cacheRead: 0.55 }],
  },
  {
    match: { or: [{ equals: 'o1-preview' }, { equals: 'o1-preview-2024-09-12' }] },
    periods: [{ input: 15, output: 60, cacheRead: 7.5 }],
  },
  {
    match: { or: [{ equals: 'o1-pro' }, { equals: 'o1-pro-2025-03-19' }] },
    periods: [{ input: 150, output: 600 }],
  },
  {
    match: { or: [{ equals: 'o3' }, { equals: 'o3-2025-04-16' }] },
    periods: [
      { input: 10, output: 40, cacheRead: 0.5 },
      { from: '2025-06-10', input: 2, output: 8, cacheRead: 0.5 },
    ],
  },
  {
    match: { or: [{ equals: 'o3-deep-research' }, { equals: 'o3-deep-research-2025-06-26' }] },
    periods: [{ input: 10, output: 40, cacheRead: 2.5 }],
  },
  {
    match: { or: [{ equals: 'o3-mini' }, { equals: 'o3-mini-2025-01-31' }, { equals: 'o3-mini-high' }] },
    periods: [{ input: 1.1, output: 4.4, cacheRead: 0.55 }],
  },
  {
    match: { or: [{ equals: 'o3-pro' }, { equals: 'o3-pro-2025-06-10' }] },
    periods: [{ input: 20, output: 80 }],
  },
  {
    match: { or: [{ equals: 'o4-mini-2025-04-16' }, { equals: 'o4-mini-high' }, { equals: 'o4-mini' }] },
    periods: [{ input: 1.1, output: 4.4, cacheRead: 0.275 }],
  },
  {
    match: { or: [{ equals: 'o4-mini-deep-research' }, { equals: 'o4-mini-deep-research-2025-06-26' }] },
    periods: [{ input: 2, output: 8, cacheRead: 0.5 }],
  },
  { match: { equals: 'text-davinci-002' }, periods: [{ input: 20, output: 20 }] },
  { match: { equals: 'text-davinci-003' }, periods: [{ input: 20, output: 20 }] },
  {
    match: { contains: 'claude-3-5-haiku' },
    periods: [{ input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1 }],
  },
  {
    match: { contains: 'claude-3-5-sonnet' },
    periods: [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  },
  {
    match: { contains: 'claude-3-7-sonnet' },
    periods: [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  },
  {
    match: { contains: 'claude-3-haiku' },
    periods: [{ input: 0.25, output: 1.25, cacheRead: 0.03, cacheWrite: 0.3 }],
  },
  {
    match: { contains: 'claude-3-opus' },
    periods: [{ input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }],
  },
  {
    match: {
      or: [
        { contains: 'claude-4-opus' },
        { contains: 'claude-opus-4@' },
        { contains: 'claude-opus-4-0' },
        { contains: 'claude-opus-4-1' },
        { equals: 'claude-opus-4' },
      ],
    },
    periods: [{ input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }],
  },
  {
    match: {
      or: [
        { contains: 'claude-4-sonnet' },
        { contains: 'claude-sonnet-4-0' },
        { contains: 'claude-sonnet-4@' },
        { contains: 'claude-sonnet-4-2025' },
        { equals: 'claude-sonnet-4' },
        { equals: 'anthropic/claude-sonnet-4' },
      ],
    },
    periods: [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  },
  {
    match: { or: [{ ends_with: 'claude-fable-5' }, { contains: 'claude-fable-5@' }] },
    periods: [{ input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }],
  },
  {
    match: { or: [{ ends_with: 'claude-fable-5-1' }, { contains: 'claude-fable-5-1@' }] },
    periods: [{ input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 }],
  },
  {
    match: {
      or: [
        { contains: 'claude-4-6-opus' },
        { contains: 'claude-opus-4-6' },
        { contains: 'claude-4.6-opus' },
        { contains: 'claude-opus-4.6' },
      ],
    },
    periods: [
      {
        input: { base: 5, tiers: [{ above: 200000, price: 10 }] },
        output: { base: 25, tiers: [{ above: 200000, price: 37.5 }] },
        cacheRead: { base: 0.5, tiers: [{ above: 200000, price: 1 }] },
        cacheWrite: { base: 6.25, tiers: [{ above: 200000, price: 12.5 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { contains: 'claude-4-7-opus' },
        { contains: 'claude-opus-4-7' },
        { contains: 'claude-4.7-opus' },
        { contains: 'claude-opus-4.7' },
      ],
    },
    periods: [{ input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
  },
  {
    match: {
      or: [
        { contains: 'claude-4-8-opus' },
        { contains: 'claude-opus-4-8' },
        { contains: 'claude-4.8-opus' },
        { contains: 'claude-opus-4.8' },
      ],
    },
    periods: [{ input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
  },
  {
    match: {
      or: [
        { contains: 'claude-5-opus' },
        { ends_with: 'claude-opus-5' },
        { contains: 'claude-opus-5@' },
        { contains: 'claude-5.0-opus' },
        { contains: 'claude-opus-5.0' },
      ],
    },
    periods: [{ input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
  },
  {
    match: {
      or: [
        { contains: 'claude-5-5-opus' },
        { ends_with: 'claude-opus-5-5' },
        { contains: 'claude-opus-5-5@' },
        { contains: 'claude-5.5-opus' },
        { contains: 'claude-opus-5.5' },
      ],
    },
    periods: [{ input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 }],
  },
  {
    match: { or: [{ contains: 'claude-sonnet-4-5' }, { contains: 'claude-sonnet-4.5' }] },
    periods: [
      {
        input: { base: 3, tiers: [{ above: 200000, price: 6 }] },
        output: { base: 15, tiers: [{ above: 200000, price: 22.5 }] },
        cacheRead: { base: 0.3, tiers: [{ above: 200000, price: 0.6 }] },
        cacheWrite: { base: 3.75, tiers: [{ above: 200000, price: 7.5 }] },
      },
    ],
  },
  {
    match: { or: [{ contains: 'claude-sonnet-4-6' }, { contains: 'claude-sonnet-4.6' }] },
    periods: [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  },
  { match: { equals: 'gemini-1.0-pro-vision-001' }, periods: [{ input: 0.125, output: 0.375 }] },
  {
    match: { contains: 'gemini-1.5-flash' },
    periods: [
      {
        input: { base: 0.075, tiers: [{ above: 128000, price: 0.15 }] },
        output: { base: 0.3, tiers: [{ above: 128000, price: 0.6 }] },
        cacheRead: { base: 0.01875, tiers: [{ above: 128000, price: 0.0375 }] },
      },
    ],
  },
  {
    match: { contains: 'gemini-1.5-pro' },
    periods: [
      {
        input: { base: 1.25, tiers: [{ above: 128000, price: 2.5 }] },
        output: { base: 5, tiers: [{ above: 128000, price: 10 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { ends_with: 'gemini-2.0-flash' },
        { contains: 'gemini-2.0-flash-0' },
        { contains: 'gemini-2.0-flash-exp' },
        { contains: 'gemini-2.0-flash-thinking' },
        { contains: 'gemini-2.0-flash-latest' },
      ],
    },
    periods: [{ input: 0.1, output: 0.4, cacheRead: 0.025 }],
  },
  { match: { contains: 'gemini-2.0-flash-lite' }, periods: [{ input: 0.075, output: 0.3 }] },
  {
    match: {
      or: [
        { equals: 'gemini-2.5-flash' },
        { equals: 'gemini-2.5-flash-latest' },
        { equals: 'gemini-2.5-flash-preview-09-2025' },
      ],
    },
    periods: [{ input: 0.3, output: 2.5, cacheRead: 0.03 }],
  },
  {
    match: { or: [{ equals: 'gemini-2.5-flash-image' }, { equals: 'gemini-2.5-flash-image-preview' }] },
    periods: [{ input: 0.3, output: 2.5 }],
  },
  {
    match: {
      or: [
        { equals: 'gemini-2.5-flash-lite' },
        { and: [{ starts_with: 'gemini-2.5-flash-lite-preview' }, { regex: '^(?!.*-[tT][tT][sS](?:$|-))' }] },
      ],
    },
    periods: [{ input: 0.1, output: 0.4, cacheRead: 0.01 }],
  },
  { match: { equals: 'gemini-2.5-flash-lite-preview-tts' }, periods: [{ input: 0.5, output: 10 }] },
  {
    match: {
      or: [
        { contains: 'gemini-2.5-flash-preview-05-20' },
        { contains: 'gemini-2.5-flash-preview-04-17' },
        { equals: 'gemini-2.5-flash-preview-05-20:thinking' },
        { equals: 'gemini-2.5-flash-preview' },
        { equals: 'gemini-2.5-flash-preview:thinking' },
      ],
    },
    periods: [{ input: 0.15, output: 0.6 }],
  },
  {
    match: { or: [{ equals: 'gemini-2.5-flash-tts' }, { equals: 'gemini-2.5-flash-preview-tts' }] },
    periods: [{ input: 0.5, output: 10 }],
  },
  {
    match: { and: [{ starts_with: 'gemini-2.5-pro' }, { regex: '^(?!.*-[tT][tT][sS](?:$|-))' }] },
    periods: [
      {
        input: { base: 1.25, tiers: [{ above: 200000, price: 2.5 }] },
        output: { base: 10, tiers: [{ above: 200000, price: 15 }] },
        cacheRead: { base: 0.125, tiers: [{ above: 200000, price: 0.25 }] },
      },
    ],
  },
  {
    match: { or: [{ equals: 'gemini-2.5-pro-tts' }, { equals: 'gemini-2.5-pro-preview-tts' }] },
    periods: [{ input: 1, output: 20 }],
  },
  {
    match: { or: [{ equals: 'gemini-3-flash-preview' }, { starts_with: 'gemini-3-flash-preview-' }] },
    periods: [{ input: 0.5, output: 3, cacheRead: 0.05 }],
  },
  {
    match: { or: [{ equals: 'gemini-3-pro-image' }, { starts_with: 'gemini-3-pro-image-preview' }] },
    periods: [{ input: 2, output: 12 }],
  },
  {
    match: { or: [{ starts_with: 'gemini-3-pro-preview' }, { equals: 'gemini-3-pro-text-preview' }] },
    periods: [
      {
        input: { base: 2, tiers: [{ above: 200000, price: 4 }] },
        output: { base: 12, tiers: [{ above: 200000, price: 18 }] },
        cacheRead: { base: 0.2, tiers: [{ above: 200000, price: 0.4 }] },
      },
    ],
  },
  {
    match: { or: [{ equals: 'gemini-3.1-flash-image' }, { starts_with: 'gemini-3.1-flash-image-preview' }] },
    periods: [{ input: 0.5, output: 3 }],
  },
  {
    match: { or: [{ equals: 'gemini-3.1-flash-lite' }, { starts_with: 'gemini-3.1-flash-lite-preview' }] },
    periods: [{ input: 0.25, output: 1.5, cacheRead: 0.025 }],
  },
  { match: { starts_with: 'gemini-3.1-flash-lite-image' }, periods: [{ input: 0.25, output: 1.5 }] },
  { match: { starts_with: 'gemini-3.1-flash-live-preview' }, periods: [{ input: 0.75, output: 4.5 }] },
  {
    match: { starts_with: 'gemini-3.1-pro-preview' },
    periods: [
      {
        input: { base: 2, tiers: [{ above: 200000, price: 4 }] },
        output: { base: 12, tiers: [{ above: 200000, price: 18 }] },
        cacheRead: { base: 0.2, tiers: [{ above: 200000, price: 0.4 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { equals: 'gemini-3.5-flash' },
        { starts_with: 'gemini-3.5-flash-preview' },
        { regex: '^gemini-3\\.5-flash-\\d' },
      ],
    },
    periods: [{ input: 1.5, output: 9, cacheRead: 0.15 }],
  },
  {
    match: { starts_with: 'gemini-3.5-flash-lite' },
    periods: [{ input: 0.3, output: 2.5, cacheRead: 0.03 }],
  },
  {
    match: { starts_with: 'gemini-3.6-flash' },
    periods: [
      { input: 0.75, output: 3.75, cacheRead: 0.075 },
      { from: '2027-01-01', input: 1.5, output: 7.5, cacheRead: 0.15 },
    ],
  },
  {
    match: { starts_with: 'gemini-3.7-flash' },
    periods: [
      { input: 0.75, output: 3.75, cacheRead: 0.075 },
      { from: '2027-01-01', input: 1.5, output: 7.5, cacheRead: 0.15 },
    ],
  },
  {
    match: { starts_with: 'gemini-3.8-flash' },
    periods: [
      { input: 0.75, output: 3.75, cacheRead: 0.075 },
      { from: '2027-01-01', input: 1.5, output: 7.5, cacheRead: 0.15 },
    ],
  },
  {
    match: { equals: 'gemini-flash-1.5' },
    periods: [
      {
        input: { base: 0.075, tiers: [{ above: 128000, price: 0.15 }] },
        output: { base: 0.3, tiers: [{ above: 128000, price: 0.6 }] },
        cacheRead: { base: 0.01875, tiers: [{ above: 128000, price: 0.0375 }] },
      },
    ],
  },
  {
    match: { equals: 'gemini-flash-1.5-8b' },
    periods: [
      {
        input: { base: 0.0375, tiers: [{ above: 128000, price: 0.075 }] },
        output: { base: 0.15, tiers: [{ above: 128000, price: 0.3 }] },
        cacheRead: { base: 0.01, tiers: [{ above: 128000, price: 0.02 }] },
      },
    ],
  },
  {
    match: {
      or: [
        { starts_with: 'gemini-live-2.5-flash' },
        { starts_with: 'gemini-2.5-flash-native-audio-preview' },
        { equals: 'gemini-2.5-flash-native-audio-latest' },
      ],
    },
    periods: [{ input: 0.5, output: 2 }],
  },
  { match: { starts_with: 'gemini-omni-flash-preview' }, periods: [{ input: 1.5, output: 9 }] },
  {
    match: { or: [{ equals: 'gemini-pro' }, { equals: 'gemini-1.0-pro' }] },
    periods: [{ input: 0.125, output: 0.375 }],
  },
  {
    match: { equals: 'gemini-pro-1.5' },
    periods: [
      {
        input: { base: 1.25, tiers: [{ above: 128000, price: 2.5 }] },
        output: { base: 5, tiers: [{ above: 128000, price: 10 }] },
        cacheRead: { base: 0.3125, tiers: [{ above: 128000, price: 0.625 }] },
      },
    ],
  },
  { match: { equals: 'gemma-2-27b-it' }, periods: [{ input: 0.65, output: 0.65 }] },
  { match: { equals: 'gemma-4-26b-a4b-it-maas' }, periods: [{ input: 0.15, output: 0.6, cacheRead: 0.015 }] },
];
