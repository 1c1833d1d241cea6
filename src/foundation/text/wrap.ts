import { once } from './once.js';
import { visibleBlock } from './visible-text.js';

/**
 * The one place that breaks text into terminal rows. Leaving that to the terminal would let foreign text choose where a
 * row begins: after enough blanks or letters, the rest of it starts in the first column like a line of ours.
 */

/** The bar before every row of foreign text streamed to a terminal; text without one is ours. */
export const BAR = '┃ ';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const zeroWide = once(() => /\p{Mn}|\p{Me}|\u200d|\ufe0f/u);
const twoWide = once(
  () =>
    /[\u1100-\u115f\u231a\u231b\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uff9e\uff9f\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1d300}-\u{1d37f}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Extended_Pictographic}|\p{Regional_Indicator}/u,
);
/** A character with everything that belongs to it: marks, what is joined to it, and the other half of a flag. */
const clusters = once(() => /(?:\p{Regional_Indicator}{2}|.)(?:\p{M}|\u200d.|\ufe0f|\p{Emoji_Modifier})*/gsu);

/**
 * How many columns visible text takes in the terminal that counts most: one that joins no emoji and gives a spacing
 * mark a column of its own. In a terminal that counts less, a row ends a little early; it never overflows.
 */
export function columnsOf(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

function columnsOfCharacter(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  if (twoWide().test(character)) return 2;
  return zeroWide().test(character) ? 0 : 1;
}

/** Breaks one paragraph of visible text into rows of at most `width` columns, between words where there are any. */
export function wrapSpans<Span extends { readonly text: string }>(
  spans: readonly Span[],
  width: number,
): Span[][] {
  const rows: Piece<Span>[][] = [[]];
  let column = 0;
  const startRow = () => {
    rows.push([]);
    column = 0;
  };
  for (const span of spans) {
    // A mark without its letter gets a placeholder, or it would climb onto the text before it.
    const text = /^\p{M}/u.test(span.text) ? `◌${span.text}` : span.text;
    // A mark after a space belongs to that space.
    for (const word of text.split(/(?<= )(?!\p{M})/u)) {
      const size = columnsOf(withoutBlanksBehind(word));
      if (size === 0 && column >= width) continue;
      if (column > 0 && column + size > width) startRow();
      for (const piece of size > width ? breakWord(word, width) : [word]) {
        if (column > 0 && column + columnsOf(withoutBlanksBehind(piece)) > width) startRow();
        append(rows[rows.length - 1] as Piece<Span>[], span, piece);
        column += columnsOf(piece);
      }
    }
  }
  return rows.map((row) => tidyRow(row).map(({ span, text }) => ({ ...span, text })));
}

/** The same for a text in a single style. */
export function wrapText(text: string, width: number): string[] {
  return wrapSpans([{ text }], width).map((row) => row.map((piece) => piece.text).join(''));
}

/** Breaks a text without spaces into pieces of at most `width` columns. */
export function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [''];
  let column = 0;
  for (const cluster of word.match(clusters()) ?? []) {
    const size = columnsOf(cluster);
    if (column > 0 && column + size > width) {
      pieces.push('');
      column = 0;
    }
    pieces[pieces.length - 1] += cluster;
    column += size;
  }
  return pieces;
}

/** Only spaces separate words; other blanks are text. */
function withoutBlanksBehind(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end -= 1;
  return text.slice(0, end);
}

interface Piece<Span> {
  readonly span: Span;
  readonly text: string;
}

function append<Span>(row: Piece<Span>[], span: Span, text: string): void {
  const last = row.at(-1);
  if (last?.span === span) row[row.length - 1] = { span, text: last.text + text };
  else row.push({ span, text });
}

/** Drops the spaces at the end, which would not fit. */
function tidyRow<Span>(row: readonly Piece<Span>[]): Piece<Span>[] {
  const tidy = [...row];
  for (let last = tidy.pop(); last !== undefined; last = tidy.pop()) {
    const text = withoutBlanksBehind(last.text);
    if (text !== '') return [...tidy, { ...last, text }];
  }
  return [];
}

/** Foreign text as lines that each begin with a bar, so none can pass for ours. `rowsOf` turns them into rows. */
export function barred(text: string, bar: string = BAR): string {
  return visibleBlock(text)
    .split('\n')
    .map((line) => (line === '' ? bar.trimEnd() : bar + line))
    .join('\n');
}

/** What a line of ours may start with: blanks, and perhaps a bar, which then starts every row of the line. */
const LEAD = /^ *(?:[│┃|>] ?)?/;
const STYLE = /(\x1b\[[0-9;]*m)/;
/** Indents deeper than any line of ours starts. */
const CONTINUED = '    ';

/**
 * Lines of ours as rows of a terminal with this many columns. A continuation row begins with the bar of its line, or
 * deeper than any line does. The text may contain styles; everything else must be visible text.
 */
export function rowsOf(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => rowsOfLine(line, columns));
}

function rowsOfLine(line: string, columns: number): string[] {
  // No character is wider than two columns.
  if (line.length * 2 <= columns) return [line];
  const parts = line.split(STYLE);
  const bare = parts.filter((_, index) => index % 2 === 0).join('');
  if (columnsOf(bare) <= columns) return [line];
  const opening = LEAD.exec(bare)?.[0] ?? '';
  const isBarred = opening.trim() !== '';
  const deeper = (isBarred ? opening : opening + CONTINUED).slice(0, Math.floor(columns / 2));
  const spans = parts.flatMap((part, index) =>
    index % 2 === 0 ? [{ text: part, styles: parts[index - 1] ?? '' }] : [],
  );
  return wrapHanging(spans, columns, deeper, isBarred ? opening.length : 0);
}

interface StyledSpan {
  readonly text: string;
  /** The styles switched on or off before the text. */
  readonly styles: string;
}

/** The first row may be wider by the lead of the other rows; if that is a bar, the first row already has it. */
function wrapHanging(
  spans: readonly StyledSpan[],
  columns: number,
  lead: string,
  leadInText: number,
): string[] {
  const room = Math.max(2, columns - lead.length);
  const [first = [], ...others] = wrapSpans(withoutLead(spans, leadInText), room);
  const join = (row: readonly StyledSpan[]) => row.map(({ styles, text }) => styles + text).join('');
  const start = leadInText > 0 ? lead : '';
  const rows = [`${start}${join(first)}`, ...others.map((row) => `${lead}${join(row)}`)];
  const closing = spans.at(-1)?.text === '' ? (spans.at(-1)?.styles ?? '') : '';
  return rows.map((row, index) => (index === rows.length - 1 ? row + closing : row));
}

function withoutLead(spans: readonly StyledSpan[], length: number): StyledSpan[] {
  let left = length;
  return spans.map((span) => {
    const taken = Math.min(left, span.text.length);
    left -= taken;
    return { ...span, text: span.text.slice(taken) };
  });
}
