import stringWidth, { isNarrow } from './stand-ins/string-width.js';

export { breakWord, wrapSpans } from '../foundation/index.js';

/** A stretch of text in one style. Its text must already be visible text. */
export interface Span {
  readonly text: string;
  readonly look?: 'bold' | 'italic' | 'code' | 'dim' | 'heading';
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The segmenter is quadratic in the length, so texts are split into pieces of this many characters. */
const PIECE_LENGTH = 256;

/** The graphemes of a text: what a person sees as one character. */
export function graphemesOf(text: string): string[] {
  return [...eachGrapheme(text)];
}

/** How many columns a text takes, exactly as the renderer counts them. */
export function widthOf(text: string): number {
  if (isNarrow(text)) return text.length;
  let width = 0;
  for (const grapheme of eachGrapheme(text)) width += widthOfGrapheme(grapheme);
  return width;
}

/** A cache: texts repeat their characters, and the renderer's count is slow. */
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

/** Cuts a text to a width, with `…` if something is missing. */
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

/** A text padded with spaces, or cut, to exactly this width. */
export function padTo(text: string, width: number): string {
  const cut = truncate(text, width);
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

function* eachGrapheme(text: string): Generator<string> {
  if (isNarrow(text) || /^[\x20-\x7e\n]*$/.test(text)) {
    yield* text;
    return;
  }
  let length = PIECE_LENGTH;
  for (let at = 0; at < text.length; ) {
    // Half a surrogate pair would look like a separate grapheme.
    const end = at + length + (/[\ud800-\udbff]/.test(text[at + length - 1] ?? '') ? 1 : 0);
    const parts = Array.from(segmenter.segment(text.slice(at, end)), (part) => part.segment);
    const isLast = end >= text.length;
    if (!isLast && parts.length === 1) {
      length *= 2;
      continue;
    }
    // The last grapheme may continue after the piece.
    for (const grapheme of isLast ? parts : parts.slice(0, -1)) {
      yield grapheme;
      at += grapheme.length;
    }
    length = PIECE_LENGTH;
  }
}
