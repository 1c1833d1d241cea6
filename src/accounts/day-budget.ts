import { counted, withoutNoise } from '../foundation/index.js';

/** What all runs of a day may use together; absent = as much as they like. */
export interface DayLimits {
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
}

/** What they used. */
export interface DayUse {
  readonly costUsd: number;
  readonly tokens: number;
}

export const NO_DAY_USE: DayUse = { costUsd: 0, tokens: 0 };

/** The budget of a day that is reached: of what, how much was used and allowed, and what it would be raised to. */
export interface DayReached {
  readonly what: keyof DayUse;
  readonly used: number;
  readonly limit: number;
  readonly raised: number;
  /** `$5.02 of $5.00`. */
  readonly words: string;
}

/** The first limit of a day that is reached; undefined where there is none. Pure. */
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

/** As much again, and once more until that is more than what was used. */
function nextLimit(used: number, limit: number): number {
  return withoutNoise(limit * (Math.floor(used / limit) + 1));
}

export function addUse(a: DayUse, b: DayUse): DayUse {
  return { costUsd: withoutNoise(a.costUsd + b.costUsd), tokens: a.tokens + b.tokens };
}

/** What a person raised counts where it is more than what is configured. */
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

/** The amount that somebody wrote, such as `$20` or `2,000,000`; undefined where it is none. */
export function amountIn(text: string): number | undefined {
  const words = text.trim().replace(/^\$\s*|\s*(?:\$|usd|dollars?|tokens?)$/gi, '');
  if (!/^\d[\d,_]*(?:\.\d+)?$/.test(words)) return undefined;
  const amount = Number(words.replaceAll(/[,_]/g, ''));
  return Number.isFinite(amount) && amount > 0 ? amount : undefined;
}
