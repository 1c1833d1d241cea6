import type { PROJECT_KEYS } from '../../foundation/index.js';
/** The parts of a Markdown document that plans are read from. */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'item'; readonly indent: number; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string };

const FENCE = /^\s{0,6}(`{3,}|~{3,})\s*([^\s`]*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/;
const BOLD_HEADING = /^\*\*([^*]+?):?\*\*:?\s*$/;
const ITEM = /^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.+)$/;

/** The headings, list items and code of a document, in order, and what its front matter says, if it has one. */
export function blocksOf(document: string): FrontMatter & { blocks: MarkdownBlock[] } {
  const { title, phases, body } = splitFrontMatter(document);
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
  return { title, phases, blocks };
}

/** A line that is only bold text counts as a heading below all others: people write sections that way. */
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

/** What we read of a document's front matter; each value is null if it is not given. */
interface FrontMatter {
  readonly title: string | null;
  readonly phases: string | null;
}

function splitFrontMatter(text: string): FrontMatter & { body: string } {
  const document = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const match = /^---\n([\s\S]*?)\n---\n/.exec(document);
  const matter = match?.[1];
  if (match === null || matter === undefined) return { title: null, phases: null, body: document };
  const said = (key: (typeof PROJECT_KEYS.plan)[number]) =>
    new RegExp(`^${key}:[ \\t]*["']?([^\\s"'].*?)["']?[ \\t]*$`, 'm').exec(matter)?.[1] ?? null;
  const phases = said('phases')?.replace(/["']?\s+#.*$/, '') ?? null;
  return { title: said('title'), phases, body: document.slice(match[0].length) };
}

/** A section of a document: the text below its heading, up to the next heading that is not below it. */
export interface MarkdownSection {
  readonly heading: string;
  readonly level: number;
  /** The text as written, including the headings below it. */
  readonly text: string;
}

/** The sections at the upper two levels of a document, in order. Headings inside code do not count. */
export function markdownSections(document: string): MarkdownSection[] {
  const { body } = splitFrontMatter(document);
  const sections: { heading: string; level: number; lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of withoutComments(body).split('\n')) {
    const marks = FENCE.exec(line)?.[1];
    const [, level, heading] = fence === undefined ? (HEADING.exec(line) ?? []) : [];
    if (marks !== undefined && fence === undefined) fence = marks;
    else if (fence !== undefined && marks?.startsWith(fence) && line.trim() === marks) fence = undefined;
    if (level !== undefined && heading !== undefined && level.length <= SECTION_LEVEL)
      sections.push({ heading: heading.replaceAll(/[*_`]/g, ''), level: level.length, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ heading, level, lines }) => ({ heading, level, text: lines.join('\n').trim() }));
}

/** Sections are split down to this level; deeper headings belong to them. */
const SECTION_LEVEL = 3;

function withoutComments(text: string): string {
  return text.replaceAll(/<!--[\s\S]*?-->/g, '');
}
