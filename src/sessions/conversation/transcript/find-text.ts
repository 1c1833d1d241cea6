import { visibleExcerpt } from '../../../foundation/index.js';
import { fromDisk } from '../schema.js';
import type { FileConversationStore } from '../store.js';

/** A turn that contains the words. */
export interface TranscriptHit {
  readonly offset: number;
  /** Null in a turn written by another program. */
  readonly turn: number | null;
  readonly role: string;
  /** The text around the first match, safe to show. */
  readonly before: string;
  readonly words: string;
  readonly after: string;
  /** How often they occur in this turn. */
  readonly count: number;
}

const AROUND = 60;

/** The turns in a part of a file that contain the words, ignoring case. Throws as `scanPart`. */
export function* findText(
  store: FileConversationStore,
  id: string,
  words: string,
  part: { readonly start: number; readonly end: number },
): Generator<TranscriptHit | { readonly reached: number }> {
  const wanted = words.toLowerCase();
  for (const found of store.scanPart(id, part)) {
    if (found.kind === 'tail') {
      yield { reached: found.offset };
      return;
    }
    if (found.kind === 'damage') continue;
    const record = found.value.type === 'turn' ? fromDisk(found.value) : null;
    if (record !== null && typeof record === 'object' && record.type === 'turn') {
      const hit = hitIn(record.content, wanted);
      if (hit !== undefined) yield { offset: found.offset, turn: record.turn, role: record.role, ...hit };
    }
    yield { reached: found.offset + found.length + 1 };
  }
}

function hitIn(
  text: string,
  wanted: string,
): Pick<TranscriptHit, 'before' | 'words' | 'after' | 'count'> | undefined {
  const folded = text.toLowerCase();
  const at = folded.indexOf(wanted);
  if (at === -1) return undefined;
  let count = 0;
  for (let next = at; next !== -1; next = folded.indexOf(wanted, next + wanted.length)) count += 1;
  // If case folding changes lengths, the position is only approximate.
  const end = at + wanted.length;
  const before = text.slice(Math.max(0, at - AROUND), at);
  return {
    before: `${at > AROUND ? '…' : ''}${visibleExcerpt(before.replaceAll(/\s+/g, ' '), AROUND * 2)}`,
    words: visibleExcerpt(text.slice(at, end).replaceAll(/\s+/g, ' '), 200),
    after: visibleExcerpt(text.slice(end, end + AROUND).replaceAll(/\s+/g, ' '), AROUND * 2),
    count,
  };
}
