import { micromark } from 'micromark';
import { visibleBlock } from '../../../foundation/text/visible-text.js';
import { blocksOf, fencedCode, isPlain } from './markdown-blocks.js';
import { optionsFor } from './markdown-options.js';

/** A piece of a written text: plain text, or one of the few elements a reader needs. */
export type MarkdownNode =
  | string
  | {
      readonly name: ElementName;
      readonly children: readonly MarkdownNode[];
      /** For a link: where it leads, and whom that address belongs to. */
      readonly href?: string;
      readonly host?: string;
      /** For a task: whether it is done. */
      readonly isDone?: boolean;
      readonly start?: number;
      readonly language?: string;
    };

const NAMES = [
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em', 'strong'],
  ...['del', 'a', 'br', 'hr', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'sup', 'section', 'task', 'image'],
] as const;
export type ElementName = (typeof NAMES)[number];
const KNOWN: ReadonlySet<string> = new Set(NAMES);
const EMPTY: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input']);

type Open = { -readonly [Key in keyof Exclude<MarkdownNode, string>]: Exclude<MarkdownNode, string>[Key] } & {
  children: MarkdownNode[];
};

const PIECE = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>|([^<]+|<)/g;

/**
 * An agent's Markdown as nodes of a fixed set. micromark turns it into text with a few kinds of tags, in which tags that the
 * agent wrote are escaped. That text is read here and never given to the browser; anything unknown is shown literally.
 */
export function markdownNodes(markdown: string): readonly MarkdownNode[] {
  return blocksOf(visibleBlock(markdown)).flatMap(
    (block) => quickNodes(block.replace(/\s+$/, '')) ?? nodesOf(block),
  );
}

/** Nodes that need no parsing: most texts are plain paragraphs and code. */
function quickNodes(block: string): readonly MarkdownNode[] | null {
  if (isPlain(block)) return [{ name: 'p', children: [block] }];
  const fenced = fencedCode(block);
  if (fenced === null) return null;
  const { language, code } = fenced;
  const children = code === '' ? [] : [code];
  return [{ name: 'pre', children: [{ name: 'code', children, ...(language === '' ? {} : { language }) }] }];
}

/** A whole text as micromark reads it. */
export function nodesOf(shown: string): readonly MarkdownNode[] {
  const root: Open = { name: 'section', children: [] };
  const open: Open[] = [root];
  for (const [whole, slash, tag, attributes = '', text] of micromark(shown, optionsFor(shown)).matchAll(
    PIECE,
  )) {
    const top = open.at(-1) ?? root;
    if (text !== undefined) push(top, decode(text));
    else if (tag === undefined) continue;
    else if (slash === '/') close(open, tag);
    else if (EMPTY.has(tag)) top.children.push(emptyElement(tag, attributesOf(attributes)));
    else if (KNOWN.has(tag)) {
      const made = element(tag as ElementName, attributesOf(attributes));
      top.children.push(made);
      open.push(made);
    } else push(top, decode(whole));
  }
  return root.children;
}

/** Text between blocks is only whitespace from the source. */
function push(top: Open, text: string): void {
  const isBetween =
    text.trim() === '' && ['section', 'ul', 'ol', 'table', 'thead', 'tbody', 'tr'].includes(top.name);
  if (!isBetween) top.children.push(visibleBlock(text));
}

function close(open: Open[], tag: string): void {
  const at = open.findLastIndex(({ name }) => name === tag);
  if (at > 0) open.length = at;
}

function element(name: ElementName, attributes: ReadonlyMap<string, string>): Open {
  const made: Open = { name, children: [] };
  if (name === 'a') Object.assign(made, linkOf(attributes.get('href') ?? ''));
  const language = /^language-(.{1,40})$/.exec(attributes.get('class') ?? '')?.[1];
  if (name === 'code' && language !== undefined) made.language = visibleBlock(language);
  const start = Number(attributes.get('start'));
  if (name === 'ol' && Number.isSafeInteger(start) && start > 1) made.start = start;
  return made;
}

/** A picture is never fetched: its author would learn when it was read. */
function emptyElement(tag: string, attributes: ReadonlyMap<string, string>): MarkdownNode {
  if (tag === 'input') return { name: 'task', children: [], isDone: attributes.has('checked') };
  if (tag !== 'img') return { name: tag as ElementName, children: [] };
  const alt = visibleBlock(attributes.get('alt') ?? '').replaceAll('\n', ' ');
  return { name: 'image', children: [alt], ...linkOf(attributes.get('src') ?? '') };
}

/** Only full addresses outside this page: an address of our own means nothing in a text from outside. */
function linkOf(href: string): { href?: string; host?: string } {
  if (!/^(https?:\/\/|mailto:)/i.test(href))
    return href === '' ? {} : { host: visibleBlock(href).slice(0, 200) };
  try {
    const url = new URL(href);
    if (url.username !== '' || url.password !== '') return { host: visibleBlock(href).slice(0, 200) };
    return {
      href: url.href,
      host: url.protocol === 'mailto:' ? decodeURI(url.pathname).slice(0, 200) : url.host,
    };
  } catch {
    return { host: visibleBlock(href).slice(0, 200) };
  }
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/([a-zA-Z-]+)(?:="([^"]*)")?/g))
    found.set(name, decode(value));
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

function decode(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
