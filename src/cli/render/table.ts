import { columnsOf } from '../../foundation/index.js';
import type { Style } from '../terminal.js';

/** Rows as a table with aligned columns below a header, which `style` makes bold. Cells must be visible text already. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  style?: Style,
): string {
  const table = [header, ...rows];
  const widths = header.map(() => 0);
  const taken = new Uint32Array(table.length * widths.length);
  let at = 0;
  for (const cells of table)
    for (let column = 0; column < widths.length; column++) {
      const width = columnsOf(cells[column] ?? '');
      taken[at++] = width;
      if (width > (widths[column] ?? 0)) widths[column] = width;
    }
  const lines = table.map((cells, line) => alignedLine(cells, widths, taken, line * widths.length));
  if (style !== undefined) lines[0] = style.bold(lines[0] ?? '');
  return lines.join('\n');
}

/** The cells of a line; their widths are in `taken` at `from`. Blanks are added before a cell, so that none end the line. */
function alignedLine(
  cells: readonly string[],
  widths: readonly number[],
  taken: Uint32Array,
  from: number,
): string {
  let line = '';
  let blanks = 0;
  for (let column = 0; column < widths.length; column++) {
    const cell = cells[column] ?? '';
    const width = taken[from + column] ?? 0;
    if (cell !== '') {
      line += blanks === 0 ? cell : ' '.repeat(blanks) + cell;
      blanks = 0;
    }
    blanks += (widths[column] ?? 0) - width + 2;
  }
  return line.trimEnd();
}

/** Shown when a limit cut a list. */
export function moreWords(count: number): string {
  return `… and ${count} more; leave out --limit to list them all`;
}
