import { visibleBlock } from '../foundation/index.js';
import { type Span, wrapSpans } from './wrap.js';

/**
 * An agent's Markdown as lines of spans. The text is made visible first, so only printable characters reach the terminal;
 * all styling is our own. Links show their address: a name must not hide where it leads.
 */
export function renderMarkdown(markdown: string, width: number): Span[][] {
  const reader = new MarkdownReader();
  const lines = visibleBlock(markdown)
    .split('\n')
    .flatMap((line) => reader.take(line, width));
  return trimBlank(lines);
}

/** Markdown line by line, as it arrives. Each line must already be visible text. */
export class MarkdownReader {
  /** The fence that opened the block of code; only as many of the same marks, with nothing after them, close it. */
  #open: string | undefined;

  /** The next whole line. */
  take(line: string, width: number): Span[][] {
    const fence = this.#fenceOf(line);
    const rendered = this.#render(line, width, fence);
    if (fence !== undefined) this.#open = fence.isOpening ? fence.marks : undefined;
    return rendered;
  }

  /** How an incomplete line looks so far. */
  peek(line: string, width: number): Span[][] {
    return this.#render(line, width, this.#fenceOf(line));
  }

  #fenceOf(line: string): Fence | undefined {
    const [, marks = '', words = ''] = FENCE.exec(line) ?? [];
    const name = words.trim();
    if (marks === '') return undefined;
    if (this.#open === undefined) return { isOpening: true, marks, name };
    return marks.startsWith(this.#open) && name === '' ? { isOpening: false, marks, name } : undefined;
  }

  #render(line: string, width: number, fence: Fence | undefined): Span[][] {
    // Nothing an agent wrote is left out, not even the name of a language.
    if (fence !== undefined)
      return fence.name === '' ? [] : wrapSpans([{ text: fence.name, look: 'dim' }], width);
    if (this.#open === undefined) return renderLine(line, width);
    return wrapSpans([{ text: `  ${line}`, look: 'code' }], width);
  }
}

interface Fence {
  readonly isOpening: boolean;
  readonly marks: string;
  /** The text after the marks, usually the name of a language. */
  readonly name: string;
}

/** Opens or closes a block of code. Three backticks around words in one line are code within the line. */
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/** One line of Markdown, such as the description of a choice: code and emphasis only. */
export function renderInline(text: string, look?: Span['look']): Span[] {
  return inline(text).map((span) =>
    span.look === undefined && look !== undefined ? { ...span, look } : span,
  );
}

function renderLine(line: string, width: number): Span[][] {
  if (line.trim() === '') return [[]];
  const heading = /^#{1,6}\s+(.*)$/.exec(line);
  if (heading !== null) return wrapSpans([{ text: heading[1] ?? '', look: 'heading' }], width);
  const item = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/.exec(line);
  if (item !== null)
    return hang(item[1] ?? '', `${/\d/.test(item[2] ?? '') ? item[2] : '•'} `, item[3] ?? '', width);
  const quote = /^\s*>\s?(.*)$/.exec(line);
  if (quote !== null) return hang('', '│ ', quote[1] ?? '', width);
  return wrapSpans(inline(line), width);
}

const MIN_ITEM_COLUMNS = 8;

/** The first line after a mark, the following ones indented under it. */
function hang(indent: string, mark: string, text: string, width: number): Span[][] {
  const lead = indent.slice(0, Math.max(0, Math.min(8, width - mark.length - MIN_ITEM_COLUMNS)));
  const inner = width - lead.length - mark.length;
  return wrapSpans(inline(text), inner).map((line, index) => [
    { text: lead + (index === 0 || mark === '│ ' ? mark : ' '.repeat(mark.length)) },
    ...line,
  ]);
}

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|\*(?!\s)(.+?)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Finding pairs of marks is quadratic in the length; nobody emphasises in a line this long. */
const MAX_INLINE_CHARACTERS = 2_000;

function inline(text: string): Span[] {
  if (text.length > MAX_INLINE_CHARACTERS) return [{ text }];
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) spans.push({ text: text.slice(end, match.index) });
    const [, , code, strong, strong2, soft, label, address] = match;
    if (code !== undefined) spans.push({ text: code, look: 'code' });
    else if (strong !== undefined || strong2 !== undefined)
      spans.push({ text: strong ?? strong2 ?? '', look: 'bold' });
    else if (soft !== undefined) spans.push({ text: soft, look: 'italic' });
    else spans.push({ text: `${label} (${address})` });
    end = match.index + match[0].length;
  }
  if (end < text.length) spans.push({ text: text.slice(end) });
  return spans;
}

function trimBlank(lines: readonly Span[][]): Span[][] {
  let from = 0;
  let to = lines.length;
  while (from < to && lines[from]?.length === 0) from += 1;
  while (to > from && lines[to - 1]?.length === 0) to -= 1;
  return lines.slice(from, to);
}
