import type { ClientName, ClientPlaces } from '../client.js';
import {
  addHookEntries,
  type HookClient,
  type HookEntries,
  hasHookEntries,
  hooksPath,
  isEmptyHooks,
  removeHookEntries,
  renderHookEntries,
} from '../hook-entries.js';
import type { Added } from '../json-allowance.js';
import { addSkill, hasSkill, removeSkill, skillFile } from '../skill.js';

/** What else of ours a client can have instead of the entry. */
export type SetupInstead =
  | { readonly purpose: 'hooks'; readonly client: HookClient; readonly entries: HookEntries }
  | { readonly purpose: 'skill' };

/** Something of ours that is added to a file and removed from it separately. */
export interface SetupPart {
  readonly snippet: string;
  /** What it is, in words. */
  readonly holds: readonly string[];
  add(body: string): { text: string; added: Added };
  remove(body: string, added: Added | undefined): string;
  has(body: string): boolean;
  isEmpty(body: string): boolean;
}

/** The file for something of ours other than the entry. */
export function partFile(client: ClientName, places: ClientPlaces, instead: SetupInstead) {
  const nothing = { entry: undefined, allowance: undefined };
  if (instead.purpose === 'hooks') {
    const { client: hooked } = instead;
    const part: SetupPart = {
      snippet: renderHookEntries(instead.entries),
      holds: [`hooks for ${Object.keys(instead.entries).join(', ')}`],
      add: (body) => addHookEntries(hooked, body, instead.entries),
      remove: (body, added) => removeHookEntries(hooked, body, added),
      has: (body) => hasHookEntries(hooked, body, instead.entries),
      isEmpty: (body) => isEmptyHooks(hooked, body),
    };
    return { path: hooksPath(hooked, places), purpose: 'hooks' as const, part, ...nothing };
  }
  const skill = skillFile(client, places);
  const part: SetupPart = {
    snippet: skill.text,
    holds: ['instructions for the agent: when to ask, and how'],
    add: (body) => ({ text: addSkill(skill, body), added: { names: [], made: 0 } }),
    remove: (body) => removeSkill(skill, body),
    has: (body) => hasSkill(skill, body),
    isEmpty: (body) => body.trim() === '',
  };
  return { path: skill.path, purpose: 'skill' as const, part, ...nothing };
}
