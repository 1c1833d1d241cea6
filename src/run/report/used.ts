import {
  type Codec,
  nullable,
  number,
  RecordFault,
  record,
  withDefault,
  withoutNoise,
} from '../../foundation/index.js';
import { type ConversationView, sumUsage, type UsageTotals } from '../../sessions/conversation/index.js';
import { type CostSource, costSourceOf, type LoopUsage, type ShownUsage } from '../../sessions/loop/index.js';

/** Tokens and money, as shown by `costText` and `tokensText`. */
export type UsedReport = UsageTotals & { readonly costSource: CostSource };

const tokens = withDefault(number(), () => 0);
/** What release 0.1 stored with an answer. */
const Used = record(
  {
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    costUsd: withDefault(nullable(number()), () => null),
  },
  'drop',
);

/** What the loop has counted, plus what a killed process did not get to count. */
export function usedInAll(
  counted: LoopUsage | null | undefined,
  conversation: ConversationView | undefined,
): UsedReport {
  const usage: typeof NO_USE = counted ?? NO_USE;
  const left = sumUsage(conversation?.usage.slice(usage.countedRecords ?? 0) ?? []);
  const sum = { ...usage, ...plus(totalsOf(usage), left) };
  return { ...totalsOf(sum), costSource: costSourceOf(sum) };
}

const NO_USE: ShownUsage & { readonly countedRecords?: number | undefined } = { tokens: 0, costUsd: 0 };

function totalsOf(usage: ShownUsage): UsageTotals {
  return {
    tokens: usage.tokens,
    cacheReadTokens: usage.cacheReadTokens ?? 0,
    costUsd: usage.costUsd,
    pricedUsd: usage.pricedUsd ?? 0,
    unpricedTokens: usage.unpricedTokens ?? (costSourceOf(usage) === 'unknown' ? usage.tokens : 0),
    estimatedTokens: usage.estimatedTokens ?? 0,
  };
}

function plus(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    tokens: a.tokens + b.tokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    costUsd: withoutNoise(a.costUsd + b.costUsd),
    pricedUsd: withoutNoise(a.pricedUsd + b.pricedUsd),
    unpricedTokens: a.unpricedTokens + b.unpricedTokens,
    estimatedTokens: a.estimatedTokens + b.estimatedTokens,
  };
}

/** What the replies within a phase used. Release 0.1 stored it with the answers. */
export function usedBetween(
  conversation: ConversationView | undefined,
  from: string,
  to: string | null,
): UsedReport {
  const [fromMs, toMs] = [Date.parse(from), to === null ? Number.POSITIVE_INFINITY : Date.parse(to)];
  const isWithin = (time: string | null) => {
    const ms = Date.parse(time ?? '');
    return ms >= fromMs && ms <= toMs;
  };
  const records = conversation?.usage ?? [];
  const recorded = new Set(records.map(({ turn }) => turn));
  let used = sumUsage(records.filter(({ timestamp }) => isWithin(timestamp)));
  for (const turn of conversation?.turns ?? []) {
    if (turn.role !== 'assistant' || recorded.has(turn.number - 1) || !isWithin(turn.timestamp)) continue;
    const data = readable(Used, turn.usage);
    if (data === undefined) continue;
    const sum = data.inputTokens + data.outputTokens + data.cacheWriteTokens;
    const isKnown = data.costUsd !== null;
    used = plus(used, {
      ...totalsOf({ tokens: sum, costUsd: data.costUsd ?? 0, cacheReadTokens: data.cacheReadTokens }),
      unpricedTokens: isKnown ? 0 : sum,
    });
  }
  return { ...used, costSource: costSourceOf(used) };
}

/** Undefined if the value is not valid: a report leaves out what it cannot read. */
export function readable<Value>(codec: Codec<Value>, value: unknown): Value | undefined {
  try {
    return codec.fromDisk(value);
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    return undefined;
  }
}

/** What has been used since an earlier count. */
export function usedSince(before: LoopUsage | null, after: LoopUsage | null): UsedReport | null {
  if (after === null) return null;
  const [from, to] = [totalsOf(before ?? NO_USE), totalsOf(after)];
  const more = (key: keyof UsageTotals) => Math.max(0, withoutNoise(to[key] - from[key]));
  const totals = {
    tokens: more('tokens'),
    cacheReadTokens: more('cacheReadTokens'),
    costUsd: more('costUsd'),
    pricedUsd: more('pricedUsd'),
    unpricedTokens: more('unpricedTokens'),
    estimatedTokens: more('estimatedTokens'),
  };
  return { ...totals, costSource: costSourceOf(totals) };
}

/** What the prompts of these turns used. */
export function usedByTurns(conversation: ConversationView, turns: ReadonlySet<number>): UsedReport {
  const totals = sumUsage(conversation.usage.filter(({ turn }) => turns.has(turn)));
  return { ...totals, costSource: costSourceOf(totals) };
}
