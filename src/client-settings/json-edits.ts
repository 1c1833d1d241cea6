import { applyEdits, type Edit, type Node } from 'jsonc-parser';
import { lineEndingOf } from './settings-editor.js';

// jsonc-parser's own modify() moves comments to another property and cannot be undone byte for byte, so the edits are
// made here. removeProperty() takes out what insertProperty() wrote without leaving a trace.

interface Layout {
  /** Whether members are on lines of their own. */
  multiline: boolean;
  /** Before each member; only if there are several lines. */
  indent: string;
  /** One step of indentation. */
  unit: string;
  eol: string;
  /** In a single line: `{ "a": 1 }` rather than `{"a":1}`. */
  spaced: boolean;
}

/** Adds a property at the end of an object, laid out like its surroundings. */
export function insertProperty(text: string, root: Node, object: Node, key: string, value: unknown): string {
  return insertMember(text, root, object, key, value);
}

/** The same for an element of an array. */
export function insertElement(text: string, root: Node, array: Node, value: unknown): string {
  return insertMember(text, root, array, undefined, value);
}

function insertMember(
  text: string,
  root: Node,
  object: Node,
  key: string | undefined,
  value: unknown,
): string {
  const layout = layoutWithin(text, root, object);
  const last = object.children?.at(-1);
  return applyEdits(
    text,
    last === undefined
      ? fillEmpty(text, object, key, value, layout)
      : appendAfter(text, object, last, key, value, layout),
  );
}

/** Replaces the value of a property in place. */
export function replaceValue(text: string, root: Node, property: Node, value: unknown): string {
  const [, old] = property.children ?? [];
  if (old === undefined) return text;
  const layout = {
    ...layoutWithin(text, root, property.parent ?? root),
    multiline: startsLine(text, property) || textOf(text, old).includes('\n'),
    indent: indentAt(text, property.offset),
  };
  return applyEdits(text, [{ offset: old.offset, length: old.length, content: renderValue(value, layout) }]);
}

/** Removes a property from an object, or an element from an array, with its comma and its line; comments around it stay. */
export function removeProperty(text: string, object: Node, property: Node): string {
  const properties = object.children ?? [];
  const index = properties.indexOf(property);
  const next = properties[index + 1];
  const before = scanGap(text, endOf(properties[index - 1]) ?? object.offset + 1, property.offset);
  const after = scanGap(text, property.offset + property.length, next?.offset ?? closingOf(object));
  if (properties.length === 1 && isBlank(before) && isBlank(after))
    return emptyOut(text, object, before, after);

  const commaAfter = after.find(({ kind }) => kind === 'comma');
  const commaBefore = before.find(({ kind }) => kind === 'comma');
  const edits: Edit[] = [];
  let end = property.offset + property.length;
  if (commaAfter === undefined) {
    if (commaBefore !== undefined) edits.push(deletion(commaBefore.start, commaBefore.end));
  } else if (text.slice(end, commaAfter.start).trim() === '') {
    end = commaAfter.end;
  } else {
    edits.push(deletion(commaAfter.start, commaAfter.end));
  }
  edits.push(lineDeletion(text, property.offset, end, before));
  return applyEdits(text, edits);
}

/** Whether an object directly contains a comment, outside the values of its properties. */
export function hasCommentInside(text: string, object: Node): boolean {
  let start = object.offset + 1;
  for (const property of [...(object.children ?? []), undefined]) {
    const gap = scanGap(text, start, property?.offset ?? closingOf(object));
    if (gap.some(({ kind }) => kind.endsWith('comment'))) return true;
    start = endOf(property) ?? start;
  }
  return false;
}

function appendAfter(
  text: string,
  object: Node,
  last: Node,
  key: string | undefined,
  value: unknown,
  layout: Layout,
): Edit[] {
  const lastEnd = last.offset + last.length;
  const gap = scanGap(text, lastEnd, closingOf(object));
  const anchor = gap.findLast(({ kind }) => kind !== 'space')?.end ?? lastEnd;
  const hasTrailingComma = gap.some(({ kind }) => kind === 'comma');
  const member = `${separator(layout)}${renderMember(key, value, layout)}`;
  if (hasTrailingComma) return [insertion(anchor, `${member},`)];
  // If members are on their own lines, a comment after the last value keeps its place, now after the new comma.
  if (layout.multiline && anchor !== lastEnd) return [insertion(lastEnd, ','), insertion(anchor, member)];
  return [insertion(anchor, `,${member}`)];
}

/** Keeps the space inside the braces ahead of the new text, for emptyOut() to find. */
function fillEmpty(
  text: string,
  object: Node,
  key: string | undefined,
  value: unknown,
  layout: Layout,
): Edit[] {
  const closing = closingOf(object);
  const gap = scanGap(text, object.offset + 1, closing);
  const comment = gap.findLast(({ kind }) => kind !== 'space');
  if (comment !== undefined) {
    const within = { ...layout, multiline: text.slice(comment.end, closing).includes('\n') };
    return [insertion(comment.end, `${separator(within)}${renderMember(key, value, within)}`)];
  }
  const end = layout.multiline ? `${layout.eol}${indentAt(text, object.offset)}` : separator(layout);
  return [insertion(closing, `${separator(layout)}${renderMember(key, value, layout)}${end}`)];
}

/** Undoes fillEmpty(): the braces get back their original space. */
function emptyOut(text: string, object: Node, before: Piece[], after: Piece[]): string {
  const head = before[0] === undefined ? '' : text.slice(before[0].start, before[0].end);
  const tail = after[0] === undefined ? '' : text.slice(after[0].start, after[0].end);
  const inner = { offset: object.offset + 1, length: object.length - 2 };
  return applyEdits(text, [{ ...inner, content: spaceBefore(head, tail) }]);
}

function spaceBefore(head: string, tail: string): string {
  if (tail === '') return head;
  if (tail === ' ' && head.endsWith(' ')) return head.slice(0, -1);
  const ownLine = /\r?\n[ \t]*$/;
  return ownLine.test(tail) && ownLine.test(head) ? head.replace(ownLine, '') : '';
}

/** Deletes a property with the space that belongs to it, which depends on what follows on its line. */
function lineDeletion(text: string, start: number, end: number, before: Piece[]): Edit {
  const rest = /^([ \t]*)(\r?\n|[}\]]|$)?/.exec(text.slice(end));
  const space = before.at(-1)?.kind === 'space' ? before.at(-1) : undefined;
  if (rest?.[2] === undefined) return deletion(start, end + (rest?.[1]?.length ?? 0));
  const wouldJoinComment = /[}\]]/.test(rest[2]) && before.at(-2)?.kind === 'line-comment';
  return deletion(wouldJoinComment ? start : (space?.start ?? start), end);
}

function layoutWithin(text: string, root: Node, object: Node): Layout {
  const last = object.children?.at(-1);
  const own = object.parent ?? object;
  const firstLine = root.children?.find((property) => startsLine(text, property));
  const unit = firstLine === undefined ? '  ' : indentAt(text, firstLine.offset);
  const colon = (object.children?.find(({ type }) => type === 'property') ?? root.children?.[0])?.colonOffset;
  const base = { unit, eol: lineEndingOf(text), spaced: colon !== undefined && text[colon + 1] === ' ' };
  if (last === undefined) {
    const multiline = own === root || startsLine(text, own);
    return { ...base, multiline, indent: indentAt(text, object.offset) + unit };
  }
  const closing = closingOf(object);
  const breaks = scanGap(text, last.offset + last.length, closing).some(
    ({ kind, start, end }) => kind === 'space' && text.slice(start, end).includes('\n'),
  );
  const isOnOwnLine = startsLine(text, last);
  const indent = isOnOwnLine ? indentAt(text, last.offset) : indentAt(text, closing) + unit;
  return { ...base, multiline: isOnOwnLine || breaks, indent };
}

function renderMember(key: string | undefined, value: unknown, layout: Layout): string {
  if (key === undefined) return renderValue(value, layout);
  const colon = layout.multiline || layout.spaced ? ': ' : ':';
  return `${JSON.stringify(key)}${colon}${renderValue(value, layout)}`;
}

function renderValue(value: unknown, { multiline, spaced, indent, unit, eol }: Layout): string {
  if (!multiline && !spaced) return JSON.stringify(value);
  // JSON strings contain no raw line breaks, so every line break here is ours to lay out.
  const lines = JSON.stringify(value, null, '\t');
  if (!multiline) return lines.replace(/\n\t*/g, ' ');
  return lines.replace(/\n(\t*)/g, (_, tabs: string) => `${eol}${indent}${unit.repeat(tabs.length)}`);
}

function separator({ multiline, spaced, eol, indent }: Layout): string {
  return multiline ? `${eol}${indent}` : spaced ? ' ' : '';
}

interface Piece {
  kind: 'space' | 'line-comment' | 'block-comment' | 'comma';
  start: number;
  end: number;
}

/** Everything between two nodes: space, comments and at most one comma. */
function scanGap(text: string, start: number, end: number): Piece[] {
  const gap = text.slice(start, end);
  return Array.from(gap.matchAll(/\s+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,/g), ({ 0: piece, index }) => ({
    kind: kindOf(piece),
    start: start + index,
    end: start + index + piece.length,
  }));
}

function kindOf(piece: string): Piece['kind'] {
  if (piece === ',') return 'comma';
  if (piece.startsWith('//')) return 'line-comment';
  return piece.startsWith('/*') ? 'block-comment' : 'space';
}

function isBlank(gap: Piece[]): boolean {
  return gap.every(({ kind }) => kind === 'space');
}

function startsLine(text: string, node: Node): boolean {
  const start = text.lastIndexOf('\n', node.offset) + 1;
  return start > 0 && text.slice(start, node.offset).trim() === '';
}

function indentAt(text: string, offset: number): string {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function closingOf(object: Node): number {
  return object.offset + object.length - 1;
}

function endOf(node: Node | undefined): number | undefined {
  return node === undefined ? undefined : node.offset + node.length;
}

function textOf(text: string, node: Node): string {
  return text.slice(node.offset, node.offset + node.length);
}

function insertion(offset: number, content: string): Edit {
  return { offset, length: 0, content };
}

function deletion(start: number, end: number): Edit {
  return { offset: start, length: end - start, content: '' };
}
