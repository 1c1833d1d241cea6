import type { FileConversationStore } from '../store.js';
import { type Found, itemOf, type TranscriptItem } from './items.js';

/** A stretch of a transcript: the items between two places in its file, both at line boundaries. */
export interface Stretch {
  readonly items: readonly TranscriptItem[];
  readonly start: number;
  readonly end: number;
  /** Whether nothing follows but perhaps an unfinished record. */
  readonly isEnd: boolean;
}

export interface StretchLimits {
  /** The maximum number of turns. */
  readonly turns: number;
  /** The approximate maximum number of bytes of the file; at least one record is read. */
  readonly bytes: number;
}

/** Reads forward from a place; `line` is its line number, if known. Throws SESSION_NOT_FOUND, STORAGE_FAILED. */
export function readForward(
  store: FileConversationStore,
  id: string,
  from: { readonly start: number; readonly line: number | null },
  limits: StretchLimits,
): Stretch {
  const { start, line: firstLine } = from;
  const items: TranscriptItem[] = [];
  const gaps = new Gaps(start === 0 ? -1 : seqBefore(store, id, start));
  let end = start;
  let turns = 0;
  let lastLine = 0;
  let isEnd = true;
  for (const found of store.scanPart(id, { start })) {
    if (found.kind === 'tail' && found.record === undefined) break;
    const isNewLine = found.line !== lastLine;
    if (isNewLine && (turns >= limits.turns || end - start >= limits.bytes)) {
      isEnd = false;
      break;
    }
    lastLine = found.line;
    const line = firstLine === null ? null : firstLine + found.line - 1;
    const gap = gaps.before(found, line);
    if (gap !== null) items.push(gap);
    const item = itemOf(found, line);
    if (item !== null) items.push(item);
    if (item?.kind === 'turn') turns += 1;
    // An end that lacks only its LF is read again once it has one.
    if (found.kind !== 'tail') end = Math.max(end, found.offset + found.length + 1);
  }
  return { items, start, end, isEnd };
}

/** Reads backward from a place. Throws as `readForward`. */
export function readBackward(
  store: FileConversationStore,
  id: string,
  end: number,
  limits: StretchLimits,
): Stretch {
  const found: Found[] = [];
  let start = end;
  let reached = end;
  let turns = 0;
  for (const one of store.scanBackwards(id, { end })) {
    if (one.kind === 'tail') {
      // Still being written: the next read finds it whole.
      reached = one.offset;
      start = one.offset;
      continue;
    }
    const isOtherLine = one.offset + one.length < start;
    if (isOtherLine && found.length > 0 && (turns >= limits.turns || reached - start >= limits.bytes)) break;
    found.push(one);
    start = Math.min(start, one.offset);
    if (one.kind === 'record' && one.value.type === 'turn') turns += 1;
  }
  const gaps = new Gaps(start === 0 ? -1 : seqBefore(store, id, start));
  const items = found.reverse().flatMap((one) => {
    const item = itemOf(one, null);
    return [gaps.before(one, null), item].filter((kept) => kept !== null);
  });
  return { items, start, end: reached, isEnd: true };
}

/** The number of the last record before a place; null if it has none. */
function seqBefore(store: FileConversationStore, id: string, end: number): number | null {
  for (const found of store.scanBackwards(id, { end, limitBytes: 1 }))
    if (found.kind === 'record') return found.seq;
    else return null;
  return null;
}

/** Reports where record numbers are missing. */
class Gaps {
  #last: number | null;

  constructor(last: number | null) {
    this.#last = last;
  }

  before(found: Found, line: number | null): TranscriptItem | null {
    const seq = found.kind === 'record' ? found.seq : null;
    if (found.kind !== 'record') return null;
    const missing = seq === null || this.#last === null ? 0 : seq - this.#last - 1;
    this.#last = seq;
    if (missing <= 0) return null;
    const detail = missing === 1 ? 'a record is missing' : `${missing} records are missing`;
    return { kind: 'damage', reason: 'gap', detail, missing, offset: found.offset, length: 0, line };
  }
}
