import type { Card, Change, FleetState, Me, Snapshot } from '../../contract/index.js';

type Row = Snapshot['rows'][number];

/** A set that no longer waits, shown for a moment with how it ended. */
export interface Settled {
  readonly card: Card;
  readonly atMs: number;
}

/** Everything that the server told, but for journals. */
export interface PageState {
  /** Of the last change; -1 before anything was told. */
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

/** Forgets what was known. Sets that are shown as settled stay until their time is over. */
export function withSnapshot(state: PageState, snapshot: Snapshot, nowMs: number): PageState {
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

/** The sets that waited and that a snapshot does not have any more: how they ended is not told by it. */
export function vanished(state: PageState, snapshot: Snapshot): string[] {
  const there = new Set(snapshot.cards.map(({ set }) => set.sessionId));
  return [...state.cards.keys()].filter((id) => !there.has(id));
}

/** What a change makes of it: the same where it is known already; undefined where something in between is missing. */
export function withChange(state: PageState, change: Change, nowMs: number): PageState | undefined {
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

/** Whether a card waits for this person: what was decided and is on its way to another machine does not. */
export function waits({ set }: Card): boolean {
  return set.status === 'pending' && set.onItsWay === undefined;
}

/** The same with a card as a reply told it. */
export function withCard(state: PageState, card: Card): PageState {
  return { ...state, cards: new Map(state.cards).set(card.set.sessionId, card) };
}

/** The same with a set that ended, as a reply told it: the stream may tell it later, or have told it before. */
export function withSettled(state: PageState, card: Card, nowMs: number): PageState {
  const { sessionId } = card.set;
  const cards = new Map(state.cards);
  cards.delete(sessionId);
  const atMs = state.settled.get(sessionId)?.atMs ?? nowMs;
  return { ...state, cards, settled: new Map(state.settled).set(sessionId, { card, atMs }) };
}

/** The same without the settled sets that `isOver`. */
export function withoutSettled(
  state: PageState,
  isOver: (id: string, settled: Settled) => boolean,
): PageState {
  const kept = [...state.settled].filter(([id, settled]) => !isOver(id, settled));
  return kept.length === state.settled.size ? state : { ...state, settled: new Map(kept) };
}

/** For a tab that was opened later: the same as the server would tell it. */
export function snapshotOf(state: PageState, nowMs: number): Snapshot | undefined {
  const { seq, me, skewMs, cards, rows, fleet } = state;
  if (me === null) return undefined;
  const now = new Date(nowMs + skewMs).toISOString();
  const all = { seq, now, me, cards: [...cards.values()], rows: [...rows.values()] };
  return fleet === null ? all : { ...all, fleet };
}

/** What waits and what has just been settled, the oldest first: a card that is settled stays where it was. */
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
