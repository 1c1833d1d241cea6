import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { SERVER_NAME, type SettingsFormat, type SettingsValue } from './client.js';
import { ClientSettingsError, type EditContext, placeAt, unlessRefused } from './errors.js';
import { hasCommentInside, insertProperty, removeProperty, replaceValue } from './json-edits.js';
import { lineEndingOf, type SettingsEditor } from './settings-editor.js';

export type JsonFormat = Extract<SettingsFormat, { kind: 'json' }>;

/** The path to our entry, as far as it exists in the file. */
interface EntryPath {
  root: Node;
  parentProperty?: Node;
  parent?: Node;
  entryProperty?: Node;
  entry?: Node;
}

/** Settings in JSON, with or without comments. */
export function jsonSettings(format: JsonFormat): SettingsEditor {
  return {
    render: (value) => `${JSON.stringify({ [format.parentKey]: { [SERVER_NAME]: value } }, null, 2)}\n`,
    add(body, value, context) {
      const text = withRoot(body, format, context);
      const path = locate(text, format, context);
      if (path.entry !== undefined && sameValue(path.entry, value)) return body;
      const edited = put(text, path, value, format);
      return checked(
        text,
        edited,
        format,
        context,
        (entry) => entry !== undefined && sameValue(entry, value),
      );
    },
    remove(body, context) {
      if (parseRoot(body, format, context) === undefined) return body;
      const path = locate(body, format, context);
      if (path.entryProperty === undefined) return body;
      return checked(body, takeOut(body, path), format, context, (entry) => entry === undefined);
    },
    has: (body, context) =>
      parseRoot(body, format, context) !== undefined && locate(body, format, context).entry !== undefined,
  };
}

function put(text: string, path: EntryPath, value: SettingsValue, format: JsonFormat): string {
  const { root, parent, entry, entryProperty } = path;
  if (entry !== undefined && entryProperty !== undefined) {
    return replaceValue(text, root, entryProperty, madeParent(entry) ? markParentMade(value) : value);
  }
  if (parent !== undefined) return insertProperty(text, root, parent, SERVER_NAME, value);
  return insertProperty(text, root, root, format.parentKey, { [SERVER_NAME]: markParentMade(value) });
}

function takeOut(text: string, { root, parentProperty, parent, entryProperty, entry }: EntryPath): string {
  if (parentProperty === undefined || parent === undefined || entryProperty === undefined) return text;
  const isAlone = parent.children?.length === 1 && !hasCommentInside(text, parent);
  return isAlone && entry !== undefined && madeParent(entry)
    ? removeProperty(text, root, parentProperty)
    : removeProperty(text, parent, entryProperty);
}

/**
 * The order of our keys records whether we made the parent object: if `timeout` comes first, the parent is removed with
 * the entry. Nothing else in the file could show this, and the order survives a client that rewrites its settings.
 */
function markParentMade(value: SettingsValue): SettingsValue {
  const { timeout, ...others } = value;
  return timeout === undefined ? value : { timeout, ...others };
}

function madeParent(entry: Node): boolean {
  return entry.type === 'object' && keyOf(entry.children?.[0]) === 'timeout';
}

/** Gives an absent, empty or comments-only file an empty object to work on. */
export function withRoot(body: string, format: JsonFormat, context: EditContext): string {
  if (parseRoot(body, format, context) !== undefined) return body;
  const eol = lineEndingOf(body);
  return `${body}${body === '' || body.endsWith('\n') ? '' : eol}{}${eol}`;
}

export function parseRoot(text: string, format: JsonFormat, context: EditContext): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    disallowComments: !format.comments,
    allowTrailingComma: format.trailingCommas,
    allowEmptyContent: true,
  });
  const first = errors[0];
  if (first === undefined) return root;
  throw new ClientSettingsError(context, describeError(first), placeAt(text, first.offset));
}

/** `CommaExpected` becomes `comma expected`. */
function describeError({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();
}

function locate(text: string, format: JsonFormat, context: EditContext): EntryPath {
  const root = parseRoot(text, format, context);
  if (root?.type !== 'object') {
    throw new ClientSettingsError(context, 'the file is not an object', placeAt(text, root?.offset ?? 0));
  }
  const parentProperty = onlyProperty(text, root, format.parentKey, context);
  const parent = parentProperty?.children?.[1];
  if (parentProperty === undefined || parent === undefined) return { root };
  if (parent.type !== 'object') {
    throw new ClientSettingsError(
      context,
      `"${format.parentKey}" is not an object`,
      placeAt(text, parent.offset),
    );
  }
  const entryProperty = onlyProperty(text, parent, SERVER_NAME, context);
  const entry = entryProperty?.children?.[1];
  if (entryProperty === undefined || entry === undefined) return { root, parentProperty, parent };
  return { root, parentProperty, parent, entryProperty, entry };
}

export function onlyProperty(
  text: string,
  object: Node,
  key: string,
  context: EditContext,
): Node | undefined {
  const [first, second] = (object.children ?? []).filter((property) => keyOf(property) === key);
  if (second === undefined) return first;
  throw new ClientSettingsError(context, `"${key}" appears twice`, placeAt(text, second.offset));
}

function keyOf(property: Node | undefined): unknown {
  return property?.children?.[0]?.value;
}

function sameValue(node: Node, value: SettingsValue): boolean {
  const wanted = parseTree(JSON.stringify(value));
  return wanted !== undefined && isDeepStrictEqual(getNodeValue(node), getNodeValue(wanted));
}

/** The edited text, after checking that it says what it should and that nothing else has changed. */
function checked(
  before: string,
  after: string,
  format: JsonFormat,
  context: EditContext,
  isWanted: (entry: Node | undefined) => boolean,
): string {
  const was = locate(before, format, context);
  const is = unlessRefused(() => locate(after, format, context));
  const isRight =
    is !== undefined && isWanted(is.entry) && isDeepStrictEqual(everythingElse(was), everythingElse(is));
  if (isRight) return after;
  const place = placeAt(before, (was.parent ?? was.root).offset);
  throw new ClientSettingsError(context, 'the entry cannot be edited safely', place);
}

type Outline = string | { type: string; items: Outline[] };

function everythingElse({ root, parentProperty, entryProperty }: EntryPath): Outline {
  const siblings = parentProperty?.children?.[1]?.children?.filter((property) => property !== entryProperty);
  return outline(root, siblings?.length === 0 ? parentProperty : entryProperty);
}

/** The content of a node, including order and repeated keys, which plain objects would lose. */
function outline(node: Node, without: Node | undefined): Outline {
  if (node.children === undefined) return JSON.stringify(node.value);
  const items = node.children.filter((child) => child !== without).map((child) => outline(child, without));
  return { type: node.type, items };
}
