import type { ReaderPage } from '../../contract/sessions.js';
import type { Reply } from '../live/api.js';
import type { Store } from '../live/store.js';

/** The place a person wants to read. */
export type Wanted =
  | 'start'
  | 'end'
  | { readonly turn: number }
  | { readonly line: number }
  | { readonly after: number };

/** A page requested before it can be shown. */
export interface Ahead {
  readonly wanted: Wanted;
  readonly reply: Promise<Reply<ReaderPage>>;
}

/** Requests what the address points to, so that it is on its way while the reader itself loads. */
export function askAhead({ api }: Store, id: string): Ahead {
  const wanted = wantedOf(location.hash) ?? 'start';
  return { wanted, reply: api.read(turnsPath(id, queryOf(wanted))) };
}

export function turnsPath(id: string, query: string): string {
  return `sessions/${encodeURIComponent(id)}/turns?${query}`;
}

export function queryOf(wanted: Wanted): string {
  if (typeof wanted === 'string') return `from=${wanted}`;
  const [[name, value] = ['from', 'end']] = Object.entries(wanted);
  return `${name}=${value}`;
}

/** Where an address points: `#t12` to a turn, `#L40` to a line of the file. */
export function wantedOf(hash: string): Wanted | null {
  const [, letter, number] = /^#([tL])(\d{1,9})$/.exec(hash) ?? [];
  if (letter === undefined) return null;
  return letter === 't' ? { turn: Number(number) } : { line: Number(number) };
}
