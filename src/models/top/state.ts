import type { OverviewRow } from '../../overview/index.js';
import { inOrder, matching } from './order.js';
import { labelsOf } from './words.js';

/** What the person is about to do. */
export type TopMode =
  | { readonly name: 'watch' }
  /** Types what rows must have in them. */
  | { readonly name: 'filter' }
  /** Is asked for a yes before a run is stopped. */
  | { readonly name: 'stop'; readonly key: string };

export interface TopState {
  readonly nowMs: number;
  /** Whether anything was read yet. */
  readonly isRead: boolean;
  /** Everything there is, in its order. */
  readonly rows: readonly OverviewRow[];
  readonly filter: string;
  /** What the filter leaves of it. */
  readonly shown: readonly OverviewRow[];
  /** A short name for each project. */
  readonly labels: ReadonlyMap<string, string>;
  readonly selectedKey: string | null;
  readonly mode: TopMode;
  /** A word about what was just done. */
  readonly notice: string | null;
}

/** What happens outside the state, as data; whoever holds the state does it. */
export type TopEffect =
  | { readonly do: 'answer'; readonly question: string }
  | { readonly do: 'attach'; readonly row: OverviewRow }
  | { readonly do: 'pause' | 'resume' | 'stop'; readonly row: OverviewRow }
  /** Shows and copies how to get there, or opens it. */
  | { readonly do: 'go-there'; readonly row: OverviewRow }
  /** Something waits that did not before. */
  | { readonly do: 'ring' }
  | { readonly do: 'leave' };

export type TopStep = readonly [TopState, readonly TopEffect[]];

export function initialTop(nowMs: number): TopState {
  return {
    nowMs,
    isRead: false,
    rows: [],
    filter: '',
    shown: [],
    labels: new Map(),
    selectedKey: null,
    mode: { name: 'watch' },
    notice: null,
  };
}

export function selectedRow({ shown, selectedKey }: TopState): OverviewRow | undefined {
  return shown.find(({ key }) => key === selectedKey);
}

/** The state with other rows; who stood on one stays on it, or where it was. */
export function withRows(state: TopState, rows: readonly OverviewRow[]): TopState {
  const ordered = inOrder(rows);
  return selecting(
    { ...state, isRead: true, rows: ordered, labels: labelsOf(ordered) },
    matching(ordered, state.filter),
  );
}

export function withFilter(state: TopState, filter: string): TopState {
  return selecting({ ...state, filter }, matching(state.rows, filter));
}

function selecting(state: TopState, shown: readonly OverviewRow[]): TopState {
  const isThere = shown.some(({ key }) => key === state.selectedKey);
  const before = state.shown.findIndex(({ key }) => key === state.selectedKey);
  const near = shown[Math.min(Math.max(0, before), shown.length - 1)];
  return { ...state, shown, selectedKey: isThere ? state.selectedKey : (near?.key ?? null) };
}
