import stringWidth from './string-width.js';

/** A stretch of text that looks alike. Its text must be visible text already. */
export interface Span {
  readonly text: string;
  readonly look?: 'bold' | 'italic' | 'code' | 'dim' | 'heading';
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The segmenter takes the square of the length; in pieces of this many characters it does not. */
const PIECE_LENGTH = 256;

/** The graphemes of a text: what a person takes for one character. */
export function graphemesOf(text: string): string[] {
  return [...eachGrapheme(text)];
}

/** How many columns a text takes, exactly as the renderer counts them. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const grapheme of eachGrapheme(text)) width += widthOfGrapheme(grapheme);
  return width;
}

/** Texts repeat their characters, and the renderer's count is slow. */
const knownWidths = new Map<string, number>();
const MAX_KNOWN_WIDTHS = 4_096;

function widthOfGrapheme(grapheme: string): number {
  const known = knownWidths.get(grapheme);
  if (known !== undefined) return known;
  const width = stringWidth(grapheme);
  if (knownWidths.size === MAX_KNOWN_WIDTHS) knownWidths.clear();
  if (grapheme.length <= PIECE_LENGTH) knownWidths.set(grapheme, width);
  return width;
}

/** Breaks one paragraph into lines of at most `width` columns, between words where there are any. */
export function wrapSpans(spans: readonly Span[], width: number): Span[][] {
  const lines: Span[][] = [[]];
  let column = 0;
  const startLine = () => {
    lines.push([]);
    column = 0;
  };
  for (const span of spans) {
    // A mark that lost its letter gets one, or it would climb onto what is before it.
    const text = /^\p{M}/u.test(span.text) ? `◌${span.text}` : span.text;
    // A mark behind a space belongs to it.
    for (const word of text.split(/(?<= )(?!\p{M})/u)) {
      const size = widthOf(word.trimEnd());
      if (size === 0 && column >= width) continue;
      if (column > 0 && column + size > width) startLine();
      for (const piece of size > width ? breakWord(word, width) : [word]) {
        if (column > 0 && column + widthOf(piece.trimEnd()) > width) startLine();
        append(lines[lines.length - 1] as Span[], { ...span, text: piece });
        column += widthOf(piece);
      }
    }
  }
  return lines.map(tidyLine);
}

/** Cuts a text to a width, with `…` where something is missing. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return '';
  let whole = '';
  let kept = '';
  let column = 0;
  for (const grapheme of eachGrapheme(text)) {
    column += widthOfGrapheme(grapheme);
    if (column > width) return `${kept}…`;
    whole += grapheme;
    if (column < width) kept = whole;
  }
  return text;
}

/** A text filled up with spaces, or cut, to exactly this width. */
export function padTo(text: string, width: number): string {
  const cut = truncate(text, width);
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

/** Breaks a text without spaces into pieces of at most `width` columns. */
export function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [''];
  let column = 0;
  for (const grapheme of eachGrapheme(word)) {
    const size = widthOfGrapheme(grapheme);
    if (column > 0 && column + size > width) {
      pieces.push('');
      column = 0;
    }
    pieces[pieces.length - 1] += grapheme;
    column += size;
  }
  return pieces;
}

function* eachGrapheme(text: string): Generator<string> {
  if (/^[\x20-\x7e\n]*$/.test(text)) {
    yield* text;
    return;
  }
  let length = PIECE_LENGTH;
  for (let at = 0; at < text.length; ) {
    // Half a surrogate pair would look like a grapheme of its own.
    const end = at + length + (/[\ud800-\udbff]/.test(text[at + length - 1] ?? '') ? 1 : 0);
    const parts = Array.from(segmenter.segment(text.slice(at, end)), (part) => part.segment);
    const isLast = end >= text.length;
    if (!isLast && parts.length === 1) {
      length *= 2;
      continue;
    }
    // The last one may go on behind the piece.
    for (const grapheme of isLast ? parts : parts.slice(0, -1)) {
      yield grapheme;
      at += grapheme.length;
    }
    length = PIECE_LENGTH;
  }
}

function append(line: Span[], span: Span): void {
  const last = line.at(-1);
  if (last !== undefined && last.look === span.look)
    line[line.length - 1] = { ...last, text: last.text + span.text };
  else line.push(span);
}

/** Without spaces at the end, which would not fit. */
function tidyLine(line: readonly Span[]): Span[] {
  const tidy = [...line];
  for (let last = tidy.pop(); last !== undefined; last = tidy.pop()) {
    const text = last.text.trimEnd();
    if (text !== '') return [...tidy, { ...last, text }];
  }
  return [];
}
