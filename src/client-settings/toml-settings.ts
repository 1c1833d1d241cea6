import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlDate, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { SERVER_NAME, type SettingsFormat, type SettingsValue } from './client.js';
import { ClientSettingsError, type EditContext, placeAt, type TextPlace, unlessRefused } from './errors.js';
import { lineEndingOf, type SettingsEditor } from './settings-editor.js';
import { readStatements, type TomlStatement } from './toml-statements.js';

type TomlFormat = Extract<SettingsFormat, { kind: 'toml' }>;

/** Neighbouring statements of our entry, as whole lines. */
interface Region {
  kind: TomlStatement['kind'];
  start: number;
  end: number;
}

/** Settings in TOML, where our entry is the table `[mcp_servers.holdfast]`. */
export function tomlSettings({ parentKey }: TomlFormat): SettingsEditor {
  const render = (value: SettingsValue) => stringify({ [parentKey]: { [SERVER_NAME]: value } });
  return {
    render,
    add(body, value, context) {
      const before = readTable(body, parentKey, context);
      const wanted = entryOf(readTable(render(value), parentKey, context), parentKey);
      const existing = entryOf(before, parentKey);
      if (isDeepStrictEqual(existing, wanted)) return body;
      const block = render(value).trimEnd().replaceAll('\n', lineEndingOf(body));
      const regions = existing === undefined ? [] : regionsOf(body, parentKey, context);
      refuseClosedParent(body, parentKey, context);
      const edited =
        regions[0]?.kind === 'header'
          ? replaceWith(body, regions, block)
          : append(removeAll(body, regions), block);
      return checked(body, edited, wanted, parentKey, context);
    },
    remove(body, context) {
      if (entryOf(readTable(body, parentKey, context), parentKey) === undefined) return body;
      const edited = removeAll(body, regionsOf(body, parentKey, context));
      return checked(body, edited, undefined, parentKey, context);
    },
    has: (body, context) => entryOf(readTable(body, parentKey, context), parentKey) !== undefined,
  };
}

function readTable(text: string, parentKey: string, context: EditContext): TomlTable {
  const table = parseToml(text, context);
  const parent = table[parentKey];
  if (parent === undefined || isTable(parent)) return table;
  throw new ClientSettingsError(context, `"${parentKey}" is not a table`, placeOf(text, parentKey));
}

function parseToml(text: string, context: EditContext): TomlTable {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Not passed on as the cause: it quotes lines of the file, which may contain keys.
    const reason = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
    throw new ClientSettingsError(context, reason, error);
  }
}

function entryOf(table: TomlTable, parentKey: string): TomlValue | undefined {
  const parent = table[parentKey];
  return isTable(parent) ? parent[SERVER_NAME] : undefined;
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate);
}

function regionsOf(text: string, parentKey: string, context: EditContext): Region[] {
  const regions: Region[] = [];
  let wasOurs = false;
  for (const { kind, path, start, end } of readStatements(text)) {
    const isOurs = path[0] === parentKey && path[1] === SERVER_NAME;
    const last = regions.at(-1);
    if (isOurs && wasOurs && last !== undefined) last.end = lineEnd(text, end);
    else if (isOurs) regions.push({ kind, start: lineStart(text, start), end: lineEnd(text, end) });
    wasOurs = isOurs;
  }
  if (regions.length > 0) return regions;
  throw closedParent(text, parentKey, context);
}

/** `mcp_servers = { … }` can neither be extended by a table nor edited without parsing its inside. */
function refuseClosedParent(text: string, parentKey: string, context: EditContext): void {
  const isClosed = readStatements(text).some(
    ({ kind, path }) => kind === 'pair' && path.length === 1 && path[0] === parentKey,
  );
  if (isClosed) throw closedParent(text, parentKey, context);
}

function closedParent(text: string, parentKey: string, context: EditContext): ClientSettingsError {
  return new ClientSettingsError(context, `"${parentKey}" is an inline table`, placeOf(text, parentKey));
}

function placeOf(text: string, key: string): TextPlace {
  return placeAt(text, readStatements(text).find(({ path }) => path[0] === key)?.start ?? 0);
}

/** A blank line, then the table; the file still ends with or without a line break, as before. */
function append(text: string, block: string): string {
  const eol = lineEndingOf(text);
  if (text === '') return `${block}${eol}`;
  return text.endsWith('\n') ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`;
}

function replaceWith(text: string, [first, ...others]: Region[], block: string): string {
  if (first === undefined) return text;
  const kept = removeAll(text, others);
  const eol = /\r?\n$/.exec(kept.slice(first.start, first.end))?.[0] ?? '';
  return `${kept.slice(0, first.start)}${block}${eol}${kept.slice(first.end)}`;
}

function removeAll(text: string, regions: readonly Region[]): string {
  return regions.reduceRight(removeOne, text);
}

/** Undoes append(): removes the blank line before a table too, if the table ends a section of the file. */
function removeOne(text: string, { kind, start, end }: Region): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (kind === 'pair') return before + after;
  if (after === '' && !text.endsWith('\n')) return before.replace(/(?:\r?\n){1,2}$/, '');
  if (before === '') return after.replace(/^\r?\n/, '');
  const endsSection = after === '' || /^\r?\n/.test(after);
  return (endsSection ? before.replace(/(^|\n)\r?\n$/, '$1') : before) + after;
}

/** The edited text, after checking that it says what it should and that nothing else has changed. */
function checked(
  before: string,
  after: string,
  wanted: TomlValue | undefined,
  parentKey: string,
  context: EditContext,
): string {
  const was = readTable(before, parentKey, context);
  const is = unlessRefused(() => readTable(after, parentKey, context));
  const isRight =
    is !== undefined &&
    isDeepStrictEqual(entryOf(is, parentKey), wanted) &&
    isDeepStrictEqual(everythingElse(was, parentKey), everythingElse(is, parentKey));
  if (isRight) return after;
  throw new ClientSettingsError(context, 'the entry cannot be edited safely', placeOf(before, parentKey));
}

function everythingElse(table: TomlTable, parentKey: string): TomlTable {
  const { [parentKey]: parent, ...others } = table;
  if (!isTable(parent)) return others;
  const { [SERVER_NAME]: _ours, ...servers } = parent;
  return Object.keys(servers).length === 0 ? others : { ...others, [parentKey]: servers };
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}
