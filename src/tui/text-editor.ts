import { visibleLine } from '../foundation/index.js';
import type { Key } from './keys.js';
import { breakWord, graphemesOf, widthOf } from './wrap.js';

/** Text being edited: its graphemes, and the position of the cursor between them. */
export interface EditorState {
  readonly graphemes: readonly string[];
  readonly cursor: number;
}

export function editorWith(text: string): EditorState {
  const graphemes = graphemesOf(text);
  return { graphemes, cursor: graphemes.length };
}

export function editorText(editor: EditorState): string {
  return editor.graphemes.join('');
}

/** Applies a key to the text; returns the same state if the key means nothing here. */
export function edit(editor: EditorState, key: Key): EditorState {
  const { graphemes, cursor } = editor;
  switch (key.name) {
    case 'text':
    case 'paste':
      return 'text' in key ? insert(editor, key.text) : editor;
    case 'newline':
      return insert(editor, '\n');
    case 'backspace':
      return cursor === 0 ? editor : remove(editor, cursor - 1, cursor);
    case 'delete':
      return cursor === graphemes.length ? editor : remove(editor, cursor, cursor + 1);
    case 'left':
      return moveTo(editor, cursor - 1);
    case 'right':
      return moveTo(editor, cursor + 1);
    case 'home':
    case 'ctrl-a':
      return moveTo(editor, lineStart(graphemes, cursor));
    case 'end':
    case 'ctrl-e':
      return moveTo(editor, lineEnd(graphemes, cursor));
    case 'up':
      return moveTo(editor, verticalTarget(editor, -1));
    case 'down':
      return moveTo(editor, verticalTarget(editor, 1));
    case 'word-left':
      return moveTo(editor, wordStart(graphemes, cursor));
    case 'word-right':
      return moveTo(editor, wordEnd(graphemes, cursor));
    case 'ctrl-w':
      return remove(editor, wordStart(graphemes, cursor), cursor);
    case 'ctrl-u':
      return remove(editor, lineStart(graphemes, cursor), cursor);
    case 'ctrl-k':
      return remove(editor, cursor, lineEnd(graphemes, cursor));
    default:
      return editor;
  }
}

/** One row of the editor as shown, and the cursor's column if it is in this row. */
export interface EditorRow {
  readonly text: string;
  readonly cursorAt: number | null;
}

/**
 * The text as rows of at most `width` columns, the cursor's own cell included; typed control characters are shown,
 * never sent to the terminal.
 */
export function layOutEditor(editor: EditorState, width: number): EditorRow[] {
  const rows: { text: string; cursorAt: number | null }[] = [{ text: '', cursorAt: null }];
  let column = 0;
  const current = () => rows[rows.length - 1] as { text: string; cursorAt: number | null };
  const startRow = () => {
    rows.push({ text: '', cursorAt: null });
    column = 0;
  };
  const makeRoom = (size: number) => {
    if (column > 0 && column + size > width) startRow();
  };
  const place = (index: number) => {
    if (index === editor.cursor) current().cursorAt = current().text.length;
  };
  for (const [index, grapheme] of editor.graphemes.entries()) {
    if (grapheme === '\n') {
      if (index === editor.cursor) makeRoom(1);
      place(index);
      startRow();
      continue;
    }
    // A letter under a heap of marks is shown with most of them spelled out, which is too long for one row.
    for (const [part, shown] of breakWord(visibleLine(grapheme), width).entries()) {
      const size = widthOf(shown);
      makeRoom(size);
      if (part === 0) place(index);
      current().text += shown;
      column += size;
    }
  }
  if (editor.cursor === editor.graphemes.length) makeRoom(1);
  place(editor.graphemes.length);
  return rows;
}

function insert(editor: EditorState, text: string): EditorState {
  const before = editor.graphemes.slice(0, editor.cursor);
  // Joined first, since what is typed may combine with the grapheme before it.
  const typed = graphemesOf((before.pop() ?? '') + text);
  return join([...before, ...typed], editor.graphemes.slice(editor.cursor));
}

function remove(editor: EditorState, from: number, to: number): EditorState {
  return from === to ? editor : join(editor.graphemes.slice(0, from), editor.graphemes.slice(to));
}

/** Both parts with the cursor between them. */
function join(before: readonly string[], after: readonly string[]): EditorState {
  const last = before.at(-1) ?? '';
  const meeting = meet(last, after);
  // After the grapheme that now contains the end of the text before the cursor.
  let behind = 0;
  for (let length = 0; length < last.length; behind += 1) length += meeting[behind]?.length ?? last.length;
  const start = before.slice(0, -1);
  return { graphemes: [...start, ...meeting], cursor: start.length + behind };
}

/** Where two texts meet, graphemes may merge: a flag, an accent. The rest is unchanged. */
function meet(first: string, after: readonly string[]): string[] {
  const graphemes: string[] = [];
  let last = first;
  for (const [index, next] of after.entries()) {
    const parts = graphemesOf(last + next);
    last = parts.pop() ?? '';
    graphemes.push(...parts);
    if (last === next) return [...graphemes, ...after.slice(index)];
  }
  return last === '' ? graphemes : [...graphemes, last];
}

function moveTo(editor: EditorState, cursor: number): EditorState {
  return { ...editor, cursor: Math.max(0, Math.min(editor.graphemes.length, cursor)) };
}

function lineStart(graphemes: readonly string[], cursor: number): number {
  return cursor === 0 ? 0 : graphemes.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd(graphemes: readonly string[], cursor: number): number {
  const end = graphemes.indexOf('\n', cursor);
  return end === -1 ? graphemes.length : end;
}

function verticalTarget({ graphemes, cursor }: EditorState, direction: -1 | 1): number {
  const start = lineStart(graphemes, cursor);
  const column = cursor - start;
  if (direction === -1) {
    if (start === 0) return 0;
    const above = lineStart(graphemes, start - 1);
    return Math.min(above + column, start - 1);
  }
  const end = lineEnd(graphemes, cursor);
  if (end === graphemes.length) return end;
  return Math.min(end + 1 + column, lineEnd(graphemes, end + 1));
}

function wordStart(graphemes: readonly string[], cursor: number): number {
  let at = cursor;
  while (at > 0 && isSpace(graphemes[at - 1])) at -= 1;
  while (at > 0 && !isSpace(graphemes[at - 1])) at -= 1;
  return at;
}

function wordEnd(graphemes: readonly string[], cursor: number): number {
  let at = cursor;
  while (at < graphemes.length && isSpace(graphemes[at])) at += 1;
  while (at < graphemes.length && !isSpace(graphemes[at])) at += 1;
  return at;
}

function isSpace(grapheme: string | undefined): boolean {
  return grapheme !== undefined && /^\s$/.test(grapheme);
}
