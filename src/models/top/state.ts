import type { OverviewRow } from '../../overview/index.js';
import { inOrder, matching } from './order.js';
import { labelsOf } from './words.js';

/** What the person is in the middle of doing. */
export type TopMode =
  | { readonly name: 'watch' }
  /** Typing the words that rows must contain. */
  | { readonly name: 'filter' }
  /** Being asked for a yes before a run is stopped. */
  | { readonly name: 'stop'; readonly key: string };

export interface TopState {
  readonly nowMs: number;
  /** Whether the rows have been read at least once. */
  readonly isRead: boolean;
  /** All rows, in order. */
  readonly rows: readonly OverviewRow[];
  readonly filter: string;
  /** The rows that pass the filter. */
  readonly shown: readonly OverviewRow[];
  /** A short name for each project. */
  readonly labels: ReadonlyMap<string, string>;
  readonly selectedKey: string | null;
  readonly mode: TopMode;
  /** A short message about what was just done. */
  readonly notice: string | null;
}

/** Side effects as data, carried out by the owner of the state. */
export type TopEffect =
  | { readonly do: 'answer'; readonly question: string }
  | { readonly do: 'attach'; readonly row: OverviewRow }
  | { readonly do: 'pause' | 'resume' | 'stop'; readonly row: OverviewRow }
  /** Shows and copies the command that leads there, or opens it. */
  | { readonly do: 'go-there'; readonly row: OverviewRow }
  /** Something new is waiting. */
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

/** The state with new rows; the selection stays on its row, or at that position if the row is gone. */
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
