import { counted, withoutNoise } from '../foundation/index.js';

/** What all runs of a day may use together; absent = no limit. */
export interface DayLimits {
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
}

/** What the runs of a day used. */
export interface DayUse {
  readonly costUsd: number;
  readonly tokens: number;
}

export const NO_DAY_USE: DayUse = { costUsd: 0, tokens: 0 };

/** A daily budget that is used up: which one, how much was used and allowed, and what it would be raised to. */
export interface DayReached {
  readonly what: keyof DayUse;
  readonly used: number;
  readonly limit: number;
  readonly raised: number;
  /** `$5.02 of $5.00`. */
  readonly words: string;
}

/** The first daily limit that is reached, or undefined if none is. Pure. */
export function reachedOf(use: DayUse, limits: DayLimits): DayReached | undefined {
  for (const what of ['costUsd', 'tokens'] as const) {
    const limit = limits[what];
    const used = use[what];
    if (limit === undefined || used < limit) continue;
    const words = `${amountOf(what, used)} of ${amountOf(what, limit)}`;
    return { what, used, limit, raised: nextLimit(used, limit), words };
  }
  return undefined;
}

/** The smallest multiple of the limit that exceeds what was used. */
function nextLimit(used: number, limit: number): number {
  return withoutNoise(limit * (Math.floor(used / limit) + 1));
}

export function addUse(a: DayUse, b: DayUse): DayUse {
  return { costUsd: withoutNoise(a.costUsd + b.costUsd), tokens: a.tokens + b.tokens };
}

/** A limit raised by a person counts only if it is higher than the configured one. */
export function higherOf(configured: DayLimits, raised: DayLimits): DayLimits {
  const higher = (what: keyof DayLimits) => {
    const limit = configured[what];
    return limit === undefined ? undefined : Math.max(limit, raised[what] ?? 0);
  };
  return { costUsd: higher('costUsd'), tokens: higher('tokens') };
}

/** `$5.00`, `1,000 tokens`. */
export function amountOf(what: keyof DayUse, amount: number): string {
  return what === 'costUsd' ? `$${amount.toFixed(2)}` : counted(amount, 'token');
}

/** The amount in words such as `$20` or `2,000,000`; undefined if they contain none. */
export function amountIn(text: string): number | undefined {
  const words = text.trim().replace(/^\$\s*|\s*(?:\$|usd|dollars?|tokens?)$/gi, '');
  if (!/^\d[\d,_]*(?:\.\d+)?$/.test(words)) return undefined;
  const amount = Number(words.replaceAll(/[,_]/g, ''));
  return Number.isFinite(amount) && amount > 0 ? amount : undefined;
}
