import type { Card, FleetState, Me, PageChange, PageSnapshot } from '../../contract/index.js';

type Row = PageSnapshot['rows'][number];

/** A set that is no longer waiting, shown for a moment with its outcome. */
export interface Settled {
  readonly card: Card;
  readonly atMs: number;
}

/** Everything the server has sent, except journals. */
export interface PageState {
  /** Of the last change; -1 before the first snapshot. */
  readonly seq: number;
  readonly me: Me | null;
  /** How far the server's clock is ahead of ours. */
  readonly skewMs: number;
  readonly cards: ReadonlyMap<string, Card>;
  readonly rows: ReadonlyMap<string, Row>;
  readonly settled: ReadonlyMap<string, Settled>;
  /** Null without a fleet. */
  readonly fleet: FleetState | null;
}

export const NOTHING_TOLD: PageState = {
  seq: -1,
  me: null,
  skewMs: 0,
  cards: new Map(),
  rows: new Map(),
  settled: new Map(),
  fleet: null,
};

/** Replaces what was known. Sets shown as settled stay until their time is over. */
export function withSnapshot(state: PageState, snapshot: PageSnapshot, nowMs: number): PageState {
  const cards = byId(snapshot.cards);
  return {
    seq: snapshot.seq,
    me: snapshot.me,
    skewMs: skewOf(snapshot.now, nowMs),
    cards,
    rows: new Map(snapshot.rows.map((row) => [row.key, row])),
    settled: new Map([...state.settled].filter(([id]) => !cards.has(id))),
    fleet: snapshot.fleet ?? null,
  };
}

/** Waiting sets that are missing from a new snapshot, which does not say how they ended. */
export function vanished(state: PageState, snapshot: PageSnapshot): string[] {
  const there = new Set(snapshot.cards.map(({ set }) => set.sessionId));
  return [...state.cards.keys()].filter((id) => !there.has(id));
}

/** Applies a change: returns the same state if it is already known, undefined if a change in between is missing. */
export function withChange(state: PageState, change: PageChange, nowMs: number): PageState | undefined {
  if (change.seq <= state.seq) return state;
  if (change.seq !== state.seq + 1) return undefined;
  const cards = new Map(state.cards);
  const rows = new Map(state.rows);
  const settled = new Map(state.settled);
  for (const card of change.cards) {
    cards.set(card.set.sessionId, card);
    settled.delete(card.set.sessionId);
  }
  for (const card of change.settled) {
    const { sessionId } = card.set;
    cards.delete(sessionId);
    settled.set(sessionId, { card, atMs: settled.get(sessionId)?.atMs ?? nowMs });
  }
  for (const id of change.goneCards) cards.delete(id);
  for (const row of change.rows) rows.set(row.key, row);
  for (const key of change.goneRows) rows.delete(key);
  const { seq, now, fleet = state.fleet } = change;
  return { ...state, seq, skewMs: skewOf(now, nowMs), cards, rows, settled, fleet };
}

/** Whether a card is waiting for this person; one whose decision is on its way to another machine is not. */
export function waits({ set }: Card): boolean {
  return set.status === 'pending' && set.onItsWay === undefined;
}

/** The state with a card from a reply. */
export function withCard(state: PageState, card: Card): PageState {
  return { ...state, cards: new Map(state.cards).set(card.set.sessionId, card) };
}

/** The state with a settled set from a reply; the stream may report it later, or may have done so already. */
export function withSettled(state: PageState, card: Card, nowMs: number): PageState {
  const { sessionId } = card.set;
  const cards = new Map(state.cards);
  cards.delete(sessionId);
  const atMs = state.settled.get(sessionId)?.atMs ?? nowMs;
  return { ...state, cards, settled: new Map(state.settled).set(sessionId, { card, atMs }) };
}

/** The state without the settled sets for which `isOver` holds. */
export function withoutSettled(
  state: PageState,
  isOver: (id: string, settled: Settled) => boolean,
): PageState {
  const kept = [...state.settled].filter(([id, settled]) => !isOver(id, settled));
  return kept.length === state.settled.size ? state : { ...state, settled: new Map(kept) };
}

/** A snapshot for a tab opened later, as the server would send it. */
export function snapshotOf(state: PageState, nowMs: number): PageSnapshot | undefined {
  const { seq, me, skewMs, cards, rows, fleet } = state;
  if (me === null) return undefined;
  const now = new Date(nowMs + skewMs).toISOString();
  const all = { seq, now, me, cards: [...cards.values()], rows: [...rows.values()] };
  return fleet === null ? all : { ...all, fleet };
}

/** Waiting and just settled sets, oldest first: a settled card keeps its place. */
export function inOrderOfAge({ cards, settled }: Pick<PageState, 'cards' | 'settled'>): Card[] {
  const all = [...cards.values(), ...[...settled.values()].map(({ card }) => card)];
  return all.sort(({ set: a }, { set: b }) => {
    if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
    return a.sessionId < b.sessionId ? -1 : 1;
  });
}

function byId(cards: readonly Card[]): Map<string, Card> {
  return new Map(cards.map((card) => [card.set.sessionId, card]));
}

function skewOf(now: string, nowMs: number): number {
  const skew = Date.parse(now) - nowMs;
  return Number.isFinite(skew) ? skew : 0;
}
