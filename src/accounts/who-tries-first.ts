import { DOCUMENT_VERSION, type ProcessIdentity } from '../storage/index.js';
import type { QuotaWindow, Waiter } from './schema.js';

/** A run and its process. */
export interface Runner {
  readonly session: string;
  readonly process: ProcessIdentity;
}

/** When an allowance comes back, as its service reported it. */
export interface ToldLimit {
  readonly until: string;
  readonly scope: string | null;
  readonly words: string | null;
}

/** Whether a run may use the account now. */
export type AccountAccess =
  | { readonly may: true; readonly isCanary: boolean }
  /** The allowance is used up until then. */
  | { readonly may: false; readonly closed: ToldLimit }
  /** The window has ended, but another run tries first. */
  | { readonly may: false; readonly closed: null };

export interface EnterFacts {
  readonly now: Date;
  readonly isDead: (process: ProcessIdentity) => boolean;
  /** A person wants this run to try now, whatever it is waiting for. */
  readonly triesNow: boolean;
}

/** A run that is first in line is passed over if it does not come within this time. */
export const PATIENCE_MS = 30_000;

/**
 * Whether a run continues, waits, or tries first: the living run that has waited longest does. Pure; the caller writes
 * the returned window if it differs.
 */
export function enterWindow(
  window: QuotaWindow,
  me: Runner,
  { now, isDead, triesNow }: EnterFacts,
): { readonly window: QuotaWindow; readonly entry: AccountAccess } {
  const { until, scope, words, canary } = window;
  if (Date.parse(until) > now.getTime() && !triesNow)
    return { window: withWaiter(window, me, now), entry: { may: false, closed: { until, scope, words } } };
  const isTaken = canary !== null && canary.session !== me.session && !isDead(canary.process);
  // Two runs try at once because a person wants it; the answer of the first one counts.
  if (isTaken && triesNow) return { window, entry: { may: true, isCanary: false } };
  const living = window.waiting.filter(({ session, process }) => session === me.session || !isDead(process));
  const first = [...living].sort(byAge)[0];
  const isTurn = triesNow || first === undefined || first.session === me.session || isLate(window, now);
  if (isTaken || !isTurn)
    return { window: withWaiter({ ...window, waiting: living }, me, now), entry: WAIT_FOR_FIRST };
  const { since } = living.find(({ session }) => session === me.session) ?? { since: now.toISOString() };
  return {
    window: touched({ ...without({ ...window, waiting: living }, me), canary: { ...me, since } }, now),
    entry: { may: true, isCanary: true },
  };
}

const WAIT_FOR_FIRST: AccountAccess = { may: false, closed: null };

/**
 * The service refused a run, or the rest of the allowance must not be used. The run that tried first moves the end of the
 * window for all; any other run that was still working can only postpone it.
 */
export function limitWindow(
  window: QuotaWindow | undefined,
  me: Runner,
  told: ToldLimit & { readonly account: string; readonly now: Date },
): QuotaWindow {
  const { account, now, until, scope, words } = told;
  const fresh = {
    version: DOCUMENT_VERSION,
    account,
    until,
    scope,
    words,
    waiting: [],
    canary: null,
    changedAt: now.toISOString(),
  };
  if (window === undefined) return withWaiter(fresh, me, now);
  const wasCanary = window.canary?.session === me.session;
  const isLater = Date.parse(until) > Date.parse(window.until);
  const end = wasCanary || isLater ? { until, scope, words } : {};
  const canary = wasCanary ? null : window.canary;
  const since = wasCanary ? window.canary.since : undefined;
  return withWaiter(touched({ ...window, ...end, canary }, now), me, now, since);
}

/** The service answered. If this run was the one that tried first, everybody may continue. Undefined = the account is open. */
export function openWindow(window: QuotaWindow, me: Runner): QuotaWindow | undefined {
  return window.canary?.session === me.session ? undefined : window;
}

/** A run is doing something else now, so the next one is first. */
export function leaveWindow(window: QuotaWindow, me: Runner, now: Date): QuotaWindow {
  const isIn =
    window.canary?.session === me.session || window.waiting.some(({ session }) => session === me.session);
  if (!isIn) return window;
  const canary = window.canary?.session === me.session ? null : window.canary;
  return touched({ ...without(window, me), canary }, now);
}

/** A run that is already waiting keeps its age, even in another process. */
function withWaiter(window: QuotaWindow, me: Runner, now: Date, since?: string): QuotaWindow {
  const known = window.waiting.find(({ session }) => session === me.session);
  if (known?.process.pid === me.process.pid && known.process.startTime === me.process.startTime)
    return window;
  const age = since ?? known?.since ?? now.toISOString();
  const waiting = [...without(window, me).waiting, { ...me, since: age }].sort(byAge);
  return touched({ ...window, waiting }, now);
}

function without(window: QuotaWindow, me: Runner): QuotaWindow {
  return { ...window, waiting: window.waiting.filter(({ session }) => session !== me.session) };
}

function touched(window: QuotaWindow, now: Date): QuotaWindow {
  return { ...window, changedAt: now.toISOString() };
}

/** The name breaks a tie, so all runs see the same order. */
function byAge(a: Waiter, b: Waiter): number {
  return Date.parse(a.since) - Date.parse(b.since) || (a.session < b.session ? -1 : 1);
}

function isLate({ until, changedAt }: QuotaWindow, now: Date): boolean {
  return now.getTime() - Math.max(Date.parse(until), Date.parse(changedAt)) > PATIENCE_MS;
}
