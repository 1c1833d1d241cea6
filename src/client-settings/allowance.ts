import { type Allowance, CLIENTS, type ClientName } from './client.js';
import {
  type Added,
  addItems,
  addMembers,
  hasItems,
  type JsonPlace,
  NOTHING_ADDED,
  otherMembers,
  removeItems,
  removeMembers,
} from './json-allowance.js';
import type { JsonFormat } from './json-settings.js';
import { lineEndingOf } from './settings-editor.js';

/** Lets a client use our tools without asking; the user's own settings for them stay. Throws CLIENT_SETTINGS_UNREADABLE. */
export function addAllowance(
  name: ClientName,
  allowance: Allowance,
  text: string | null,
): { text: string; added: Added } {
  const body = text ?? '';
  switch (allowance.kind) {
    case 'items':
      return addItems(body, allowance.keys, allowance.items, placeOf(name));
    case 'members':
      return addMembers(body, allowance.key, allowance.members, placeOf(name));
    case 'block': {
      const block = blockFor(body, allowance.block);
      if (body.includes(block)) return { text: body, added: NOTHING_ADDED };
      const gap = body === '' ? '' : lineEndingOf(body).repeat(body.endsWith('\n') ? 1 : 2);
      return { text: `${body}${gap}${block}`, added: { names: CLIENTS[name].toolNames, made: 0 } };
    }
  }
}

/** Removes what was added, and nothing else. Throws CLIENT_SETTINGS_UNREADABLE. */
export function removeAllowance(name: ClientName, allowance: Allowance, text: string, added: Added): string {
  switch (allowance.kind) {
    case 'items':
      return removeItems(text, allowance.keys, added, placeOf(name));
    case 'members':
      return removeMembers(text, allowance.key, allowance.members, added, placeOf(name));
    case 'block':
      return added.names.length === 0 ? text : text.replace(blockFor(text, allowance.block), '');
  }
}

/** Whether the settings that we would write already allow the tools. Throws CLIENT_SETTINGS_UNREADABLE. */
export function hasAllowance(name: ClientName, allowance: Allowance, text: string): boolean {
  if (allowance.kind === 'items') return hasItems(text, allowance.keys, allowance.items, placeOf(name));
  if (allowance.kind === 'block') return text.includes(blockFor(text, allowance.block));
  return addMembers(text, allowance.key, allowance.members, placeOf(name)).added.names.length === 0;
}

/** The tools of ours that the user has set differently. Those settings stay, and the client may ask or refuse. */
export function otherwiseSet(name: ClientName, allowance: Allowance, text: string): string[] {
  return allowance.kind === 'members'
    ? otherMembers(text, allowance.key, allowance.members, placeOf(name))
    : [];
}

/** What is added, as a person would paste it into an empty file. */
export function renderAllowance(allowance: Allowance): string {
  if (allowance.kind === 'block') return allowance.block;
  const value =
    allowance.kind === 'items'
      ? { [allowance.keys[0]]: { [allowance.keys[1]]: allowance.items } }
      : { [allowance.key]: allowance.members };
  return `${JSON.stringify(value, null, 2)}\n`;
}

function blockFor(text: string, block: string): string {
  return block.replaceAll('\n', lineEndingOf(text));
}

function placeOf(name: ClientName): JsonPlace {
  const client = CLIENTS[name];
  const format: JsonFormat =
    client.format.kind === 'json'
      ? client.format
      : { kind: 'json', parentKey: client.format.parentKey, comments: false, trailingCommas: false };
  const hint = `Fix the file and try again, or allow the tools by hand: ${client.toolNames.join(', ')}`;
  return { format, context: { client, hint } };
}
