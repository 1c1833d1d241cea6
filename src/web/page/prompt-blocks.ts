import { visibleBlock } from '../../foundation/text/visible-text.js';

/** A piece of a line: plain, code or strong. All of it is visible text. */
export interface Span {
  readonly text: string;
  readonly look: 'plain' | 'code' | 'strong';
}

/** A part of a prompt. Only the marks are left out, nothing else that was written. */
export type Block =
  | { readonly kind: 'code'; readonly text: string; readonly name: string }
  | { readonly kind: 'heading' | 'text' | 'item' | 'quote'; readonly spans: readonly Span[] };

/** Three backticks around words in one line are code within the line. */
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/** An agent's Markdown as blocks: code, headings, items, quotes, and lines. Links stay as written. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { readonly marks: string; readonly name: string; readonly lines: string[] } | undefined;
  const close = () => {
    if (open !== undefined) blocks.push({ kind: 'code', text: open.lines.join('\n'), name: open.name });
    open = undefined;
  };
  for (const line of visibleBlock(markdown).split('\n')) {
    const [, marks = '', words = ''] = FENCE.exec(line) ?? [];
    const name = words.trim();
    if (open !== undefined) {
      if (marks.startsWith(open.marks) && name === '') close();
      else open.lines.push(line);
    } else if (marks !== '') open = { marks, name, lines: [] };
    else if (line.trim() !== '') blocks.push(blockOf(line));
  }
  close();
  return blocks;
}

/** Only the words, for places with a single line. */
export function plainWords(markdown: string): string {
  return blocksOf(markdown)
    .map((block) => (block.kind === 'code' ? block.text : block.spans.map(({ text }) => text).join('')))
    .join(' ');
}

function blockOf(line: string): Block {
  const heading = /^#{1,6}\s+(.*)$/.exec(line);
  if (heading !== null) return { kind: 'heading', spans: spansOf(heading[1] ?? '') };
  const item = /^\s*[-*+]\s+(.*)$/.exec(line);
  if (item !== null) return { kind: 'item', spans: spansOf(item[1] ?? '') };
  const quote = /^\s*>\s?(.*)$/.exec(line);
  if (quote !== null) return { kind: 'quote', spans: spansOf(quote[1] ?? '') };
  return { kind: 'text', spans: spansOf(line) };
}

/** Code, closed by as many backticks as opened it, and strong words. */
const MARKS = /(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)|\*\*(.+?)\*\*/g;
/** Finding pairs of marks is quadratic in the length; nobody emphasises in a line this long. */
const MAX_LINE = 2_000;

/** One line of Markdown: code and strong words only. */
export function spansOf(line: string): Span[] {
  if (line.length > MAX_LINE) return [{ text: line, look: 'plain' }];
  const spans: Span[] = [];
  let end = 0;
  for (const match of line.matchAll(MARKS)) {
    const [whole, , code, strong] = match;
    if (match.index > end) spans.push({ text: line.slice(end, match.index), look: 'plain' });
    if (code !== undefined) spans.push({ text: code, look: 'code' });
    else spans.push({ text: strong ?? '', look: 'strong' });
    end = match.index + whole.length;
  }
  if (end < line.length) spans.push({ text: line.slice(end), look: 'plain' });
  return spans;
}
