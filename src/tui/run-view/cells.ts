import type { EditorRow } from '../text-editor.js';
import { graphemesOf, truncate, widthOf } from '../wrap.js';

/** A stretch of a row in one style. Its text is visible text. */
export interface Cell {
  readonly text: string;
  readonly color?: 'green' | 'yellow' | 'red' | 'cyan' | undefined;
  readonly look?: 'bold' | 'dim' | 'inverse' | undefined;
}

export type Row = readonly Cell[];

/** The width of the labels on the left, including the gap after them. */
export const LABEL_COLUMNS = 11;

export function labelled(label: string, ...cells: Row): Row {
  return [{ text: label.padEnd(LABEL_COLUMNS), look: 'dim' }, ...cells];
}

export function widthOfRow(row: Row): number {
  return row.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** The row cut to this width if it is wider, with `…`. */
export function fitted(row: Row, columns: number): Row {
  let room = columns;
  const cells: Cell[] = [];
  for (const cell of row) {
    if (room <= 0) break;
    const text = truncate(cell.text, room);
    room -= widthOf(text);
    cells.push(text === cell.text ? cell : { ...cell, text });
  }
  return cells;
}

/** The row padded or cut to exactly this width. */
export function padded(row: Row, columns: number): Row {
  const cut = fitted(row, columns);
  return [...cut, { text: ' '.repeat(Math.max(0, columns - widthOfRow(cut))) }];
}

/** A row of the text being typed, with its cursor. */
export function editorCells({ text, cursorAt }: EditorRow): Row {
  if (cursorAt === null) return [{ text }];
  const [under = ' ', ...after] = graphemesOf(text.slice(cursorAt));
  return [{ text: text.slice(0, cursorAt) }, { text: under, look: 'inverse' }, { text: after.join('') }];
}
