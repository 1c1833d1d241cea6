import { isHoldfastError, messageOf, visibleLine } from '../foundation/index.js';
import { EntryNotFoundError } from './errors.js';
import type { Admission, Move, SlotLimits } from './port.js';
import type { Entry } from './schema.js';

/** How an entry stands, with a reason for people who look at the list. */
export type EntryStanding =
  /** It may run now. */
  | { readonly is: 'next' }
  /** It runs later without help; `until` is the moment, if known. */
  | { readonly is: 'waits'; readonly reason: string; readonly until: string | null }
  /** It does not run until somebody does something. */
  | { readonly is: 'blocked'; readonly reason: string }
  | { readonly is: 'paused'; readonly reason: string }
  /** `isAbandoned`: its worker is gone, and the next one takes it over. */
  | { readonly is: 'running'; readonly isAbandoned: boolean }
  | { readonly is: 'done' }
  | { readonly is: 'failed'; readonly reason: string };

export interface Placed {
  readonly entry: Entry;
  readonly standing: EntryStanding;
}

/** Everything outside the entries that the order depends on. */
export interface OrderFacts {
  readonly now: Date;
  readonly pausedAt: string | null;
  readonly limits: SlotLimits;
  readonly admission: Admission;
  agentOf(entry: Entry): string;
  /** Whether a living worker has it. */
  isHeld(id: string): boolean;
}

/** All entries in queue order, each with how it stands. Pure. */
export function arrange(entries: readonly Entry[], facts: OrderFacts): Placed[] {
  // Built only if needed: only an entry that comes after another, or continues in its worktree, looks one up by id.
  let ids: Map<string, Entry> | undefined;
  const byId = () => {
    ids ??= new Map(entries.map((entry) => [entry.id, entry]));
    return ids;
  };
  const places = new Map<string, Entry>();
  const used = { agents: new Map<string, number>(), accounts: new Map<string, number>() };
  const occupy = (entry: Entry) => {
    const place = placeOf(entry, byId);
    if (place !== undefined) places.set(place, entry);
    countUp(used.agents, facts.agentOf(entry));
    if (entry.options.account !== undefined) countUp(used.accounts, entry.options.account);
  };
  for (const entry of entries) if (entry.status === 'running') occupy(entry);
  const blocked = new Map<string, string | undefined>();
  const refusals = new Map<string, EntryStanding | undefined>();
  return [...entries].sort(inOrder).map((entry) => {
    const standing = settled(entry, facts) ?? obstacle(entry) ?? { is: 'next' as const };
    if (standing.is === 'next') occupy(entry);
    return { entry, standing };
  });

  function obstacle(entry: Entry): EntryStanding | undefined {
    const stop = blockOf(entry, byId, blocked);
    if (stop !== undefined) return { is: 'blocked', reason: stop };
    const { now, pausedAt } = facts;
    if (pausedAt !== null) return { is: 'paused', reason: 'the queue is paused' };
    // What the fleet's workers said about themselves. If none says anything, the entry is next and waits for a worker.
    if (entry.fleet?.obstacle) return waits(entry.fleet.obstacle);
    const open = entry.after.length === 0 ? undefined : openBefore(entry);
    if (open !== undefined) return waits(describeOpen(open));
    if (entry.notBefore !== null && Date.parse(entry.notBefore) > now.getTime())
      return waits('not before then', entry.notBefore);
    const other = places.get(placeOf(entry, byId) ?? '');
    if (other !== undefined) return waits(`${nameOf(other)} is working in the same tree`);
    return fullSlot(entry) ?? refusal(entry);
  }

  function openBefore({ after }: Entry): Entry | undefined {
    return after.map((id) => byId().get(id)).find((one) => one !== undefined && !isOver(one));
  }

  function fullSlot(entry: Entry): EntryStanding | undefined {
    const { account } = entry.options;
    const byAgent = slotOf('agent', facts.agentOf(entry), used.agents, facts.limits.perAgent);
    if (byAgent !== undefined || account === undefined) return byAgent;
    return slotOf('account', account, used.accounts, facts.limits.perAccount);
  }

  /** The answer is the same for all entries of an account, so it is computed once per list. */
  function refusal(entry: Entry): EntryStanding | undefined {
    const { account } = entry.options;
    const agent = facts.agentOf(entry);
    const key = `${agent}\0${account ?? ''}`;
    if (!refusals.has(key)) refusals.set(key, refusalOf(agent, account));
    return refusals.get(key);
  }

  function refusalOf(agent: string, account: string | undefined): EntryStanding | undefined {
    try {
      const answer = facts.admission.standing({ agent, ...(account === undefined ? {} : { account }) });
      return answer.may ? undefined : waits(answer.reason, answer.until ?? null);
    } catch (error) {
      // An account that is no longer configured blocks its own entries only.
      if (!isHoldfastError(error)) throw error;
      return { is: 'blocked', reason: messageOf(error) };
    }
  }
}

/** Higher priority first, then in the order they were queued or moved to. */
export function inOrder(a: Entry, b: Entry): number {
  return b.priority - a.priority || a.position - b.position || (a.id < b.id ? -1 : 1);
}

/** The position next to a named entry, or at an end. Next to an entry it also gets that entry's priority. Pure. */
export function placeAt(
  entries: readonly Entry[],
  move: Move,
): { readonly position: number; readonly priority?: number } {
  const others = [...entries].sort((a, b) => a.position - b.position);
  const positions = others.map(({ position }) => position);
  if (!('other' in move))
    return { position: move.to === 'first' ? Math.min(1, ...positions) - 1 : Math.max(0, ...positions) + 1 };
  const at = others.findIndex(({ id }) => id === move.other);
  const other = others[at];
  if (other === undefined) throw new EntryNotFoundError(move.other);
  const neighbour = others[move.to === 'before' ? at - 1 : at + 1]?.position;
  const edge = other.position + (move.to === 'before' ? -1 : 1);
  return { position: (other.position + (neighbour ?? edge)) / 2, priority: other.priority };
}

/** Whether the entries that come after this one no longer wait for it. */
function isOver({ status, onFailure }: Entry): boolean {
  return status === 'done' || (status === 'failed' && onFailure === 'continue');
}

function settled(entry: Entry, { isHeld }: OrderFacts): EntryStanding | undefined {
  if (entry.status === 'running') return { is: 'running', isAbandoned: !isHeld(entry.id) };
  if (entry.status === 'done') return { is: 'done' };
  if (entry.status === 'failed') return { is: 'failed', reason: entry.reason ?? 'the reason is unknown' };
  if (entry.status === 'paused') return { is: 'paused', reason: 'you paused it' };
  return undefined;
}

/** Why an entry cannot run unless somebody acts; undefined if it can. */
function blockOf(
  entry: Entry,
  byId: () => ReadonlyMap<string, Entry>,
  known: Map<string, string | undefined>,
): string | undefined {
  if (entry.after.length === 0) return undefined;
  const cycle = findCycle(entry, (id) => byId().get(id)?.after ?? []);
  if (cycle !== undefined) return `waits for itself: ${cycle.map(short).join(' → ')}`;
  if (known.has(entry.id)) return known.get(entry.id);
  const reason = entry.after.map((id) => stopAt(id)).find((one) => one !== undefined);
  known.set(entry.id, reason);
  return reason;

  function stopAt(id: string): string | undefined {
    const before = byId().get(id);
    if (before === undefined) return `${short(id)}, which it comes after, is no longer in the queue`;
    if (before.status === 'failed' && before.onFailure === 'stop')
      return `${nameOf(before)} failed: ${before.reason ?? 'the reason is unknown'}`;
    if (before.status !== 'queued' && before.status !== 'paused') return undefined;
    return blockOf(before, byId, known) === undefined ? undefined : `${nameOf(before)} is blocked`;
  }
}

/** The ids of a cycle that an entry is in, with the first one repeated at the end; undefined if it is in none. */
export function findCycle(
  { id, after }: Pick<Entry, 'id' | 'after'>,
  afterOf: (id: string) => readonly string[],
): string[] | undefined {
  if (after.length === 0) return undefined;
  const seen = new Set<string>();
  const search = (ids: readonly string[], path: readonly string[]): string[] | undefined => {
    for (const one of ids) {
      if (one === id) return [...path, one];
      if (seen.has(one)) continue;
      seen.add(one);
      const found = search(afterOf(one), [...path, one]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(after, [id]);
}

/** The tree in which only one run at a time is allowed; undefined for an entry that gets its own worktree. */
function placeOf(entry: Entry, byId: () => ReadonlyMap<string, Entry>): string | undefined {
  if (entry.isInPlace) return entry.project;
  return entry.continues === null ? undefined : (byId().get(entry.continues)?.worktree ?? undefined);
}

function describeOpen(entry: Entry): string {
  return entry.status === 'failed'
    ? `${nameOf(entry)} failed, and you are asked what to do about it`
    : `comes after ${nameOf(entry)}`;
}

function slotOf(
  kind: 'agent' | 'account',
  name: string,
  used: ReadonlyMap<string, number>,
  limits: Readonly<Record<string, number>>,
): EntryStanding | undefined {
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const now = used.get(name) ?? 0;
  if (limit === undefined || now < limit) return undefined;
  const whose = `of the ${kind} ${visibleLine(name)}`;
  return waits(limit === 1 ? `the only slot ${whose} is taken` : `all ${limit} slots ${whose} are taken`);
}

function waits(reason: string, until: string | null = null): EntryStanding {
  return { is: 'waits', reason, until };
}

function countUp(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function nameOf({ id, plan }: Entry): string {
  return `${short(id)} ${visibleLine(plan.name)}`;
}

function short(id: string): string {
  return id.slice(0, 8);
}
