import { getNodeValue, type Node } from 'jsonc-parser';
import { ClientSettingsError, type EditContext, placeAt, unlessRefused } from './errors.js';
import {
  hasCommentInside,
  insertElement,
  insertProperty,
  removeProperty,
  replaceValue,
} from './json-edits.js';
import { type JsonFormat, onlyProperty, parseRoot, withRoot } from './json-settings.js';

/** What was really added, and which containers we made for it: exactly what has to be removed again. */
export interface Added {
  readonly names: readonly string[];
  /** How many containers around it were made, from the inside out. */
  readonly made: number;
  /** The single word that stood for everything, before it became an object to make room for our settings. */
  readonly widened?: string | undefined;
  /** The events whose list of hooks was made. */
  readonly lists?: readonly string[] | undefined;
}

export const NOTHING_ADDED: Added = { names: [], made: 0 };

export interface JsonPlace {
  readonly format: JsonFormat;
  readonly context: EditContext;
}

/** Puts words into a list two keys deep; words already there are the user's own. */
export function addItems(
  body: string,
  [outerKey, innerKey]: readonly [string, string],
  items: readonly string[],
  place: JsonPlace,
): { text: string; added: Added } {
  const text = withRoot(body, place.format, place.context);
  const root = rootOf(text, place);
  const outer = containerIn(text, root, outerKey, 'object', place);
  if (outer === undefined) {
    const edited = insertProperty(text, root, root, outerKey, { [innerKey]: items });
    return checkedItems(text, edited, items, { names: items, made: 2 }, place, [outerKey, innerKey]);
  }
  const inner = containerIn(text, outer, innerKey, 'array', place);
  if (inner === undefined) {
    const edited = insertProperty(text, root, outer, innerKey, items);
    return checkedItems(text, edited, items, { names: items, made: 1 }, place, [outerKey, innerKey]);
  }
  const names = items.filter((item) => !holds(inner, item));
  if (names.length === 0) return { text: body, added: NOTHING_ADDED };
  const edited = names.reduce((now, item) => {
    const again = rootOf(now, place);
    const list = listIn(now, again, [outerKey, innerKey], place);
    return list === undefined ? now : insertElement(now, again, list, item);
  }, text);
  return checkedItems(text, edited, items, { names, made: 0 }, place, [outerKey, innerKey]);
}

/** Takes the words out of the list again, and removes the containers made for them once they are empty. */
export function removeItems(
  body: string,
  keys: readonly [string, string],
  added: Added,
  place: JsonPlace,
): string {
  if (parseRoot(body, place.format, place.context) === undefined) return body;
  // In reverse order: each step then finds the text that the addition of its word produced.
  const text = added.names.reduceRight((now, item) => {
    const list = listIn(now, rootOf(now, place), keys, place);
    const element = list?.children?.find((child) => child.type === 'string' && child.value === item);
    return list === undefined || element === undefined ? now : removeProperty(now, list, element);
  }, body);
  return removeEmpty(text, keys, added.made, place);
}

/** Whether the list contains all of them. */
export function hasItems(
  body: string,
  keys: readonly [string, string],
  items: readonly string[],
  place: JsonPlace,
): boolean {
  if (parseRoot(body, place.format, place.context) === undefined) return false;
  const list = listIn(body, rootOf(body, place), keys, place);
  return list !== undefined && items.every((item) => holds(list, item));
}

/**
 * Puts settings into an object by name. A setting of the user's by that name stays. A single word for everything first
 * becomes `{"*": word}`, unless it already says the same.
 */
export function addMembers(
  body: string,
  key: string,
  members: Readonly<Record<string, string>>,
  place: JsonPlace,
): { text: string; added: Added } {
  const text = withRoot(body, place.format, place.context);
  const root = rootOf(text, place);
  const property = onlyProperty(text, root, key, place.context);
  const value = property?.children?.[1];
  const names = Object.keys(members);
  if (property === undefined || value === undefined) {
    return { text: insertProperty(text, root, root, key, members), added: { names, made: 1 } };
  }
  if (value.type === 'string') {
    if (Object.values(members).every((word) => word === value.value))
      return { text: body, added: NOTHING_ADDED };
    const widened = String(value.value);
    const edited = replaceValue(text, root, property, { '*': widened, ...members });
    return { text: edited, added: { names, made: 0, widened } };
  }
  const object = containerIn(text, root, key, 'object', place);
  const missing = names.filter(
    (name) => object !== undefined && onlyProperty(text, object, name, place.context) === undefined,
  );
  if (missing.length === 0) return { text: body, added: NOTHING_ADDED };
  const edited = missing.reduce((now, name) => {
    const again = rootOf(now, place);
    const within = containerIn(now, again, key, 'object', place);
    return within === undefined ? now : insertProperty(now, again, within, name, members[name]);
  }, text);
  return { text: edited, added: { names: missing, made: 0 } };
}

/** Removes settings by name if they still say what we wrote, and undoes what was made or widened for them. */
export function removeMembers(
  body: string,
  key: string,
  members: Readonly<Record<string, string>>,
  added: Added,
  place: JsonPlace,
): string {
  if (parseRoot(body, place.format, place.context) === undefined) return body;
  const text = added.names.reduceRight((now, name) => {
    const object = objectAt(now, key, place);
    const property = object && onlyProperty(now, object, name, place.context);
    const isOurs = property !== undefined && property.children?.[1]?.value === members[name];
    return object === undefined || !isOurs ? now : removeProperty(now, object, property);
  }, body);
  const object = objectAt(text, key, place);
  if (added.widened !== undefined && object !== undefined && !hasCommentInside(text, object)) {
    const isAsWidened = JSON.stringify(getNodeValue(object)) === JSON.stringify({ '*': added.widened });
    const root = rootOf(text, place);
    const property = onlyProperty(text, root, key, place.context);
    if (isAsWidened && property !== undefined) return replaceValue(text, root, property, added.widened);
  }
  return added.made > 0 ? removeIfEmpty(text, rootOf(text, place), key, place) : text;
}

/** Which of these settings differ from what we would write. */
export function otherMembers(
  body: string,
  key: string,
  members: Readonly<Record<string, string>>,
  place: JsonPlace,
): string[] {
  const object = parseRoot(body, place.format, place.context) && objectAt(body, key, place);
  if (object === undefined) return [];
  return Object.entries(members).flatMap(([name, word]) => {
    const value = onlyProperty(body, object, name, place.context)?.children?.[1]?.value;
    return value === undefined || value === word ? [] : [`${name} is ${JSON.stringify(value)}`];
  });
}

/** Whether the file is empty apart from braces and space. */
export function isEmptyObject(body: string, { format, context }: JsonPlace): boolean {
  const root = unlessRefused(() => parseRoot(body, format, context));
  return (
    root === undefined ||
    (root.type === 'object' && root.children?.length === 0 && !hasCommentInside(body, root))
  );
}

function checkedItems(
  before: string,
  text: string,
  items: readonly string[],
  added: Added,
  place: JsonPlace,
  keys: readonly [string, string],
): { text: string; added: Added } {
  if (unlessRefused(() => hasItems(text, keys, items, place)) === true) return { text, added };
  throw new ClientSettingsError(place.context, 'the list cannot be edited safely', placeAt(before, 0));
}

function removeEmpty(
  text: string,
  [outerKey, innerKey]: readonly [string, string],
  made: number,
  place: JsonPlace,
): string {
  const outer = objectAt(text, outerKey, place);
  if (made < 1 || outer === undefined) return text;
  const without = removeIfEmpty(text, outer, innerKey, place);
  return made < 2 || without === text
    ? without
    : removeIfEmpty(without, rootOf(without, place), outerKey, place);
}

export function removeIfEmpty(text: string, parent: Node, key: string, { context }: JsonPlace): string {
  const property = onlyProperty(text, parent, key, context);
  const value = property?.children?.[1];
  const isEmpty = value?.children?.length === 0 && !hasCommentInside(text, value);
  return property === undefined || !isEmpty ? text : removeProperty(text, parent, property);
}

export function rootOf(text: string, { format, context }: JsonPlace): Node {
  const root = parseRoot(text, format, context);
  if (root?.type === 'object') return root;
  throw new ClientSettingsError(context, 'the file is not an object', placeAt(text, root?.offset ?? 0));
}

export function containerIn(
  text: string,
  parent: Node,
  key: string,
  type: 'object' | 'array',
  { context }: JsonPlace,
): Node | undefined {
  const value = onlyProperty(text, parent, key, context)?.children?.[1];
  if (value === undefined || value.type === type) return value;
  const what = type === 'array' ? 'a list' : 'an object';
  throw new ClientSettingsError(context, `"${key}" is not ${what}`, placeAt(text, value.offset));
}

function listIn(
  text: string,
  root: Node,
  [outerKey, innerKey]: readonly [string, string],
  place: JsonPlace,
): Node | undefined {
  const outer = containerIn(text, root, outerKey, 'object', place);
  return outer === undefined ? undefined : containerIn(text, outer, innerKey, 'array', place);
}

/** The object under a key of the file; undefined if there is something else. */
function objectAt(text: string, key: string, place: JsonPlace): Node | undefined {
  const value = onlyProperty(text, rootOf(text, place), key, place.context)?.children?.[1];
  return value?.type === 'object' ? value : undefined;
}

function holds(list: Node, item: string): boolean {
  return list.children?.some((child) => child.type === 'string' && child.value === item) ?? false;
}
