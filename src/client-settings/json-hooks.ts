import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, type Node } from 'jsonc-parser';
import { ClientSettingsError, placeAt } from './errors.js';
import {
  type Added,
  containerIn,
  type JsonPlace,
  NOTHING_ADDED,
  removeIfEmpty,
  rootOf,
} from './json-allowance.js';
import { insertElement, insertProperty, removeProperty } from './json-edits.js';
import { onlyProperty, parseRoot, withRoot } from './json-settings.js';

/** Hooks that run together, in the clients' format. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly { readonly type: 'command'; readonly command: string; readonly timeout: number }[];
}

type IsOurs = (command: string) => boolean;

const KEY = 'hooks';

/** Adds one group of ours after the user's, for each event; differing groups of ours are removed. */
export function addHooks(
  body: string,
  groups: Readonly<Record<string, HookGroup>>,
  isOurs: IsOurs,
  place: JsonPlace,
): { text: string; added: Added } {
  if (hasHooks(body, groups, place)) return { text: body, added: NOTHING_ADDED };
  const bare = withRoot(body, place.format, place.context);
  const isMade = containerIn(bare, rootOf(bare, place), KEY, 'object', place) === undefined;
  const lists: string[] = [];
  let text = bare;
  for (const [event, group] of Object.entries(groups)) {
    const root = rootOf(text, place);
    const outer = containerIn(text, root, KEY, 'object', place);
    const list = outer === undefined ? undefined : containerIn(text, outer, event, 'array', place);
    if (list === undefined) lists.push(event);
    if (outer === undefined) text = insertProperty(text, root, root, KEY, { [event]: [group] });
    else if (list === undefined) text = insertProperty(text, root, outer, event, [group]);
    else if (!holdsGroup(list, group)) text = withGroup(text, event, group, isOurs, place);
  }
  if (!hasHooks(text, groups, place))
    throw new ClientSettingsError(place.context, 'the hooks cannot be edited safely', placeAt(bare, 0));
  return { text, added: { names: Object.keys(groups), made: isMade ? 1 : 0, lists } };
}

function withGroup(text: string, event: string, group: HookGroup, isOurs: IsOurs, place: JsonPlace): string {
  const without = withoutOurs(text, event, isOurs, place);
  const root = rootOf(without, place);
  const list = listOf(without, event, place);
  return list === undefined ? without : insertElement(without, root, list, group);
}

/** Removes all our hooks, and the containers made for them once they are empty. */
export function removeHooks(
  body: string,
  isOurs: IsOurs,
  added: Added | undefined,
  place: JsonPlace,
): string {
  if (parseRoot(body, place.format, place.context) === undefined) return body;
  const hooks = hooksOf(body, place);
  if (hooks === undefined) return body;
  // In reverse order: each step then finds the text that the addition of its hooks produced.
  const events = (hooks.children ?? []).map((property) => String(property.children?.[0]?.value)).reverse();
  let text = body;
  for (const event of events) {
    text = withoutOurs(text, event, isOurs, place);
    const parent = hooksOf(text, place);
    if (parent !== undefined && added?.lists?.includes(event))
      text = removeIfEmpty(text, parent, event, place);
  }
  return (added?.made ?? 0) > 0 ? removeIfEmpty(text, rootOf(text, place), KEY, place) : text;
}

/** Whether each event has exactly our group. */
export function hasHooks(
  body: string,
  groups: Readonly<Record<string, HookGroup>>,
  place: JsonPlace,
): boolean {
  if (parseRoot(body, place.format, place.context) === undefined) return false;
  return Object.entries(groups).every(([event, group]) => {
    const list = listOf(body, event, place);
    return list !== undefined && holdsGroup(list, group);
  });
}

function withoutOurs(body: string, event: string, isOurs: IsOurs, place: JsonPlace): string {
  for (let text = body; ; ) {
    const list = listOf(text, event, place);
    const found = list?.children?.flatMap((group) => oursIn(list, group, isOurs))[0];
    if (found === undefined) return text;
    text = removeProperty(text, found.parent, found.element);
  }
}

/** The part of a group that is ours: all of it, or single hooks if somebody put others beside them. */
function oursIn(list: Node, group: Node, isOurs: IsOurs): { parent: Node; element: Node }[] {
  const hooks = group.type === 'object' ? group.children?.find(isHooksKey)?.children?.[1] : undefined;
  if (hooks?.type !== 'array') return [];
  const ours = (hooks.children ?? []).filter((hook) => isOurs(commandOf(hook)));
  if (ours.length === 0) return [];
  if (ours.length === hooks.children?.length) return [{ parent: list, element: group }];
  return ours.map((element) => ({ parent: hooks, element }));
}

function isHooksKey(property: Node): boolean {
  return property.children?.[0]?.value === KEY;
}

function commandOf(hook: Node): string {
  const value: unknown = getNodeValue(hook);
  const command =
    typeof value === 'object' && value !== null && 'command' in value ? value.command : undefined;
  return typeof command === 'string' ? command : '';
}

function holdsGroup(list: Node, group: HookGroup): boolean {
  return list.children?.some((child) => isDeepStrictEqual(plain(child), plainValue(group))) ?? false;
}

function plain(node: Node): unknown {
  return plainValue(getNodeValue(node));
}

/** The parser creates objects without a prototype; copies of them can be compared. */
function plainValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function hooksOf(text: string, place: JsonPlace): Node | undefined {
  return containerIn(text, rootOf(text, place), KEY, 'object', place);
}

function listOf(text: string, event: string, place: JsonPlace): Node | undefined {
  const hooks = hooksOf(text, place);
  const value = hooks && onlyProperty(text, hooks, event, place.context)?.children?.[1];
  return value?.type === 'array' ? value : undefined;
}
