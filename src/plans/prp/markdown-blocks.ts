/** The parts of a Markdown document that a plan is read from. */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'item'; readonly indent: number; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string };

const FENCE = /^\s{0,6}(`{3,}|~{3,})\s*([^\s`]*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/;
const BOLD_HEADING = /^\*\*([^*]+?):?\*\*:?\s*$/;
const ITEM = /^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.+)$/;

/** Headings, list items and code of a document, in order; the title of its front matter, if it has one. */
export function blocksOf(document: string): { title: string | null; blocks: MarkdownBlock[] } {
  const { title, body } = splitFrontMatter(document.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'));
  const blocks: MarkdownBlock[] = [];
  let fence: { marks: string; language: string; lines: string[] } | undefined;
  for (const line of withoutComments(body).split('\n')) {
    const [, marks, language = ''] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks?.startsWith(fence.marks) && line.trim() === marks) {
        blocks.push({ kind: 'code', language: fence.language, text: fence.lines.join('\n') });
        fence = undefined;
      } else fence.lines.push(line);
    } else if (marks !== undefined) fence = { marks, language, lines: [] };
    else addLine(blocks, line);
  }
  return { title, blocks };
}

/** A line in bold alone is a heading below all others: people write sections that way. */
const BOLD_LEVEL = 7;

function addLine(blocks: MarkdownBlock[], line: string): void {
  const [, marks, heading] = HEADING.exec(line) ?? [];
  const bold = BOLD_HEADING.exec(line)?.[1];
  const [, blanks = '', item] = ITEM.exec(line) ?? [];
  if (marks !== undefined && heading !== undefined) {
    blocks.push({ kind: 'heading', level: marks.length, text: heading.replaceAll(/[*_`]/g, '') });
  } else if (bold !== undefined) blocks.push({ kind: 'heading', level: BOLD_LEVEL, text: bold });
  else if (item !== undefined) blocks.push({ kind: 'item', indent: blanks.length, text: item.trim() });
}

function splitFrontMatter(document: string): { title: string | null; body: string } {
  const match = /^---\n([\s\S]*?)\n---\n/.exec(document);
  if (match?.[1] === undefined) return { title: null, body: document };
  const title = /^title:\s*["']?(.+?)["']?\s*$/m.exec(match[1])?.[1] ?? null;
  return { title, body: document.slice(match[0].length) };
}

function withoutComments(text: string): string {
  return text.replaceAll(/<!--[\s\S]*?-->/g, '');
}
