import { parse } from 'smol-toml';

/** A table header or a key with its value, and its place in the text. */
export interface TomlStatement {
  kind: 'header' | 'pair';
  /** From the root, including the header above the pair. */
  path: readonly string[];
  start: number;
  /** After the value or the closing bracket, before any comment. */
  end: number;
}

/** The statements of a document that smol-toml has already accepted, because smol-toml does not report their places. */
export function readStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  let at = skip(text, 0, BETWEEN);
  while (at < text.length) {
    const isHeader = text[at] === '[';
    const key = readKey(text, isHeader ? skip(text, at, /\[+/y) : at);
    const path = isHeader ? key.path : [...table, ...key.path];
    const end = isHeader
      ? skip(text, key.end, /[ \t]*\]+/y)
      : endOfValue(text, skip(text, key.end, /[ \t]*=[ \t]*/y));
    // Where we and smol-toml disagree, the rest stays unread; the check after the edit then refuses it.
    if (end === at) return statements;
    statements.push({ kind: isHeader ? 'header' : 'pair', path, start: at, end });
    if (isHeader) table = path;
    at = skip(text, end, BETWEEN);
  }
  return statements;
}

const BETWEEN = /(?:\s+|#[^\n]*)*/y;
const KEY_PART = /[ \t]*("(?:\\.|[^"\\\n])*"|'[^'\n]*'|[^\s.=\]"'#]+)[ \t]*/y;
const VALUE_PIECE =
  /"""(?:\\[\s\S]|[^\\])*?"""(?:"{0,2})|'''[\s\S]*?'''(?:'{0,2})|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\s+|[^"'#[\]{}\s]+/y;

function readKey(text: string, start: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = start;
  for (;;) {
    const part = match(text, at, KEY_PART);
    if (part?.[1] === undefined) return { path, end: at };
    path.push(decodeKey(part[1]));
    at += part[0].length;
    if (text[at] !== '.') return { path, end: at };
    at += 1;
  }
}

function decodeKey(raw: string): string {
  return raw.startsWith('"') ? (Object.keys(parse(`${raw} = 0`))[0] ?? raw) : raw.replace(/^'|'$/g, '');
}

/** A value ends with its line, unless a bracket is still open. */
function endOfValue(text: string, start: number): number {
  let at = start;
  let end = start;
  let depth = 0;
  while (at < text.length) {
    const piece = match(text, at, VALUE_PIECE)?.[0];
    if (piece === undefined) return at;
    const isSpace = piece.trim() === '';
    if (depth === 0 && ((isSpace && piece.includes('\n')) || piece.startsWith('#'))) return end;
    if (piece === '[' || piece === '{') depth += 1;
    if (piece === ']' || piece === '}') depth -= 1;
    at += piece.length;
    if (!isSpace) end = at;
  }
  return end;
}

function skip(text: string, at: number, pattern: RegExp): number {
  return at + (match(text, at, pattern)?.[0].length ?? 0);
}

function match(text: string, at: number, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
