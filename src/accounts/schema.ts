import {
  filledText,
  flag,
  listOf,
  nullable,
  number,
  optional,
  record,
  text,
  time,
  type ValueOf,
  whole,
} from '../foundation/index.js';
import { ProcessRecord } from '../storage/index.js';

/** A run that waits for an account, or tries it first: its process, and since when it has waited. */
const Waiter = record({ session: filledText, since: time, process: ProcessRecord });
export type Waiter = Readonly<ValueOf<typeof Waiter>>;

/** `accounts/<key>.json`: the allowance of an account is used up. No file = the account may be used. */
export const WindowFile = record({
  version: whole(),
  /** The name people know it by. */
  account: text,
  until: time,
  /** Which allowance: `5h`, `weekly`, … */
  scope: nullable(text),
  /** The service's own words. */
  words: nullable(text),
  waiting: listOf(Waiter),
  /** The one run that tries after the reset, before the others continue. */
  canary: nullable(Waiter),
  changedAt: time,
});
export type QuotaWindow = Readonly<ValueOf<typeof WindowFile>>;

/** `accounts/days/<day>/<session>.json`: all that a run has used on that day so far. */
export const DayFile = record({
  version: whole(),
  session: filledText,
  costUsd: number(0),
  tokens: number(0),
});

/** `accounts/days/<day>/decision.json`: what a person said when the budget of the day was reached. */
export const DecisionFile = record({
  version: whole(),
  costUsd: optional(number(0)),
  tokens: optional(number(0)),
  /** The budget is not raised: everything waits for the next day. */
  isFinal: optional(flag),
  decidedAt: time,
});
export type DayDecision = Readonly<ValueOf<typeof DecisionFile>>;
