import { withoutNoise } from '../../foundation/index.js';
import type { TokenCounts } from '../usage.js';

/** How to recognise the name of a model. */
export type Match =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] };

/** Dollars per million tokens; in tiers by how much input the request had. */
export type TokenPrice =
  | number
  | {
      readonly base: number;
      readonly tiers: readonly { readonly above: number; readonly price: number }[];
    };

export interface ModelPrice {
  /** The first day it applies; absent = always. */
  readonly from?: string;
  readonly input: TokenPrice;
  readonly output: TokenPrice;
  /** Absent = same as `input`. */
  readonly cacheRead?: TokenPrice;
  readonly cacheWrite?: TokenPrice;
}

export interface ListedModel {
  readonly match: Match;
  readonly periods: readonly ModelPrice[];
}

/** A price of the user's own: dollars per million tokens. */
export interface OwnPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** What tokens cost, and whose price that is. */
export interface Priced {
  readonly usd: number;
  readonly source: string;
}

/** What the tokens of one reply of a model cost; null if unknown. */
export type PriceOf = (model: string | null, tokens: TokenCounts) => Priced | null;

export interface PriceList {
  readonly source: string;
  readonly models: readonly ListedModel[];
  /** By the name that the agent uses for the model; these win. */
  readonly own: Readonly<Record<string, OwnPrice>>;
  readonly today: Date;
}

/** Prices from the user's own list, otherwise from the one we ship. */
export function priceBy({ source, models, own, today }: PriceList): PriceOf {
  return (model, tokens) => {
    if (model === null) return null;
    const given = Object.hasOwn(own, model) ? own[model] : undefined;
    if (given !== undefined) return { usd: costOf(stepless(given), tokens), source: 'config.json' };
    const name = plainName(model);
    const listed = models.find(({ match }) => isMatch(match, name));
    const price = listed === undefined ? undefined : priceOn(listed.periods, today);
    return price === undefined ? null : { usd: costOf(price, tokens), source };
  };
}

/** The name without the provider in front, and without the window that Claude Code appends. */
function plainName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/\[1m\]$/, '');
}

function stepless({ input, output, cacheRead, cacheWrite }: OwnPrice): ModelPrice {
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}

/** The latest period that has begun, or the first one if none has. */
function priceOn(periods: readonly ModelPrice[], today: Date): ModelPrice | undefined {
  const day = today.toISOString().slice(0, 10);
  return periods.findLast(({ from = '' }) => from <= day) ?? periods[0];
}

function costOf(price: ModelPrice, tokens: TokenCounts): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  const read = inputTokens + cacheReadTokens + cacheWriteTokens;
  const at = (step: TokenPrice | undefined) => perToken(step ?? price.input, read);
  const usd =
    inputTokens * at(price.input) +
    outputTokens * at(price.output) +
    cacheReadTokens * at(price.cacheRead) +
    cacheWriteTokens * at(price.cacheWrite);
  return withoutNoise(usd / 1_000_000);
}

/** The price for a request with this much input; the highest tier it exceeds applies to all of it. */
function perToken(price: TokenPrice, readTokens: number): number {
  if (typeof price === 'number') return price;
  return price.tiers.findLast(({ above }) => readTokens > above)?.price ?? price.base;
}

function isMatch(match: Match, name: string): boolean {
  if ('equals' in match) return name === match.equals;
  if ('starts_with' in match) return name.startsWith(match.starts_with);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  if ('contains' in match) return name.includes(match.contains);
  if ('regex' in match) return new RegExp(match.regex).test(name);
  if ('or' in match) return match.or.some((inner) => isMatch(inner, name));
  return match.and.every((inner) => isMatch(inner, name));
}
