import type { Style } from '../terminal.js';

/** Rows as a table with aligned columns below a header, which `style` makes bold. Cells must be visible text already. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  style?: Style,
): string {
  const table = [header, ...rows];
  const taken = table.map((cells) => cells.map(displayWidth));
  const widths = header.map((_, column) =>
    taken.reduce((widest, widthOf) => Math.max(widest, widthOf[column] ?? 0), 0),
  );
  const [first = '', ...lines] = table.map((cells, line) =>
    cells
      .map((cell, column) => cell.padEnd(cell.length + (widths[column] ?? 0) - (taken[line]?.[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [style?.bold(first) ?? first, ...lines].join('\n');
}

/** How many columns visible text takes. Good enough for aligning; nothing depends on it. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  // Made here: few texts need them, and their tables would cost each start.
  const wide =
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
  const zero = /\p{M}|\u200d|\ufe0f/u;
  let width = 0;
  for (const character of text) width += zero.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** What is said where a limit cut a list. */
export function moreWords(count: number): string {
  return `… and ${count} more; without --limit all are listed`;
}
