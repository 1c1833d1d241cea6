import { createHash } from 'node:crypto';

/** One edit of a text: at this offset, `removed` was replaced by `inserted`. */
export interface TextEdit {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The edit that turns one text into the other: what lies between their common beginning and common end. */
export function editBetween(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before[at] === after[at]) at += 1;
  let same = 0;
  while (same < shorter - at && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return {
    at,
    removed: before.slice(at, before.length - same),
    inserted: after.slice(at, after.length - same),
  };
}

/** The text before these edits, which were made one after the other; undefined if the text is not what they left. */
export function undoEdits(text: string, edits: readonly TextEdit[]): string | undefined {
  let now = text;
  for (const { at, removed, inserted } of [...edits].reverse()) {
    if (now.slice(at, at + inserted.length) !== inserted) return undefined;
    now = `${now.slice(0, at)}${removed}${now.slice(at + inserted.length)}`;
  }
  return now;
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
