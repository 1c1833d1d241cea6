import stringWidth from 'string-width';

/** A stretch of text that looks alike. Its text must be visible text already. */
export interface Span {
  readonly text: string;
  readonly look?: 'bold' | 'italic' | 'code' | 'dim' | 'heading';
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The graphemes of a text: what a person takes for one character. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** How many columns a text takes, exactly as the renderer counts them. */
export function widthOf(text: string): number {
  return stringWidth(text);
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
    for (const word of span.text.split(/(?<= )/)) {
      const size = widthOf(word.trimEnd());
      if (column > 0 && column + size > width) startLine();
      for (const piece of size > width ? breakWord(word, width) : [word]) {
        if (column > 0 && column + widthOf(piece.trimEnd()) > width) startLine();
        append(lines[lines.length - 1] as Span[], { ...span, text: piece });
        column += widthOf(piece);
      }
    }
  }
  return lines;
}

/** Cuts a text to a width, with `…` where something is missing. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let column = 0;
  for (const grapheme of graphemesOf(text)) {
    const size = widthOf(grapheme);
    if (column + size > width - 1) break;
    kept += grapheme;
    column += size;
  }
  return `${kept}…`;
}

/** A text filled up with spaces, or cut, to exactly this width. */
export function padTo(text: string, width: number): string {
  const cut = truncate(text, width);
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [''];
  let column = 0;
  for (const grapheme of graphemesOf(word)) {
    const size = widthOf(grapheme);
    if (column > 0 && column + size > width) {
      pieces.push('');
      column = 0;
    }
    pieces[pieces.length - 1] += grapheme;
    column += size;
  }
  return pieces;
}

function append(line: Span[], span: Span): void {
  const last = line.at(-1);
  if (last !== undefined && last.look === span.look)
    line[line.length - 1] = { ...last, text: last.text + span.text };
  else line.push(span);
}
