import { visibleBlock } from '../../../foundation/text/visible-text.js';
import { initialState, type RunViewState, update } from '../../../models/run-view/index.js';
import type { RunEntry } from '../../contract/index.js';

/** One event: a line that the run view keeps, what the agent said, or what it did. Visible text. */
export interface LogItem {
  readonly key: string;
  readonly kind: 'line' | 'said' | 'did';
  readonly look: RunViewState['kept'][number]['look'];
  readonly text: string;
}

/** A run being looked at: the model of the run view, and the newest events. */
export interface ShownLog {
  readonly view: RunViewState;
  readonly items: readonly LogItem[];
  /** The last entry included. */
  readonly seq: number;
  /** How many items were dropped for newer ones. */
  readonly dropped: number;
  /** How many there ever were. */
  readonly total: number;
}

/** The number of items kept, so that a long journal stays quick to draw. */
export const MAX_ITEMS = 600;
const MAX_SAID = 8_000;

export function emptyLog(nowMs: number): ShownLog {
  return { view: initialState(nowMs), items: [], seq: 0, dropped: 0, total: 0 };
}

/** The log with more entries; an entry it already has changes nothing. */
export function withEntries(log: ShownLog, entries: readonly RunEntry[]): ShownLog {
  let { view, seq } = log;
  const items = [...log.items];
  let total = log.total;
  for (const entry of entries) {
    if (entry.seq <= seq) continue;
    seq = entry.seq;
    const { event, lines, doing } = entry;
    const nowMs = Date.parse(entry.at);
    const [next] = update(view, { type: 'run', event, lines, doing, nowMs });
    // This log keeps the lines itself, and only the newest.
    view = { ...next, kept: [] };
    const said = event.type === 'agent' && event.event.type === 'text' ? event.event.text : undefined;
    const more: LogItem[] =
      said !== undefined
        ? sayMore(items, said, entry.seq)
        : [
            ...next.kept.map(({ text, look }, index) => item(`${entry.seq}.${index}`, 'line', text, look)),
            ...(event.type === 'agent' && event.event.type === 'tool-call'
              ? [item(`${entry.seq}`, 'did', doing ?? event.event.title, 'plain')]
              : []),
          ];
    items.push(...more);
    total += more.length;
  }
  const tooMany = Math.max(0, items.length - MAX_ITEMS);
  return { view, seq, items: items.slice(tooMany), dropped: log.dropped + tooMany, total };
}

function item(key: string, kind: LogItem['kind'], text: string, look: LogItem['look']): LogItem {
  return { key, kind, look, text: visibleBlock(text) };
}

/** Adds to the last item: text said in pieces is one item. */
function sayMore(items: LogItem[], text: string, seq: number): LogItem[] {
  const last = items.at(-1);
  if (last?.kind !== 'said') return [item(`${seq}`, 'said', text, 'plain')];
  items[items.length - 1] = { ...last, text: (last.text + visibleBlock(text)).slice(-MAX_SAID) };
  return [];
}

/** The last thing the agent said. */
export function lastSaid({ items }: ShownLog): LogItem | undefined {
  return items.findLast(({ kind }) => kind === 'said');
}
