import { visibleExcerpt } from '../../../foundation/index.js';
import { fromDisk } from '../schema.js';
import type { FileConversationStore } from '../store.js';

/** A turn that has the words in it. */
export interface TranscriptHit {
  readonly offset: number;
  /** Null in a turn that somebody else wrote. */
  readonly turn: number | null;
  readonly role: string;
  /** What stands around the first place, safe to show; `match` is where the words begin in it. */
  readonly before: string;
  readonly words: string;
  readonly after: string;
  /** How many times they are in this turn. */
  readonly count: number;
}

const AROUND = 60;

/** The turns of a part of a file that have the words in them, whatever the case of their letters. Throws as `scanPart`. */
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
  // Where folding changes lengths, the place is only about right.
  const end = at + wanted.length;
  const before = text.slice(Math.max(0, at - AROUND), at);
  return {
    before: `${at > AROUND ? '…' : ''}${visibleExcerpt(before.replaceAll(/\s+/g, ' '), AROUND * 2)}`,
    words: visibleExcerpt(text.slice(at, end).replaceAll(/\s+/g, ' '), 200),
    after: visibleExcerpt(text.slice(end, end + AROUND).replaceAll(/\s+/g, ' '), AROUND * 2),
    count,
  };
}
