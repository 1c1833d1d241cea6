export { addAllowance, hasAllowance, otherwiseSet, removeAllowance, renderAllowance } from './allowance.js';
export {
  type Allowance,
  CLIENT_NAMES,
  CLIENTS,
  type ClientName,
  type ClientPlaces,
  type McpServerEntry,
} from './client.js';
export { ClientSettingsError } from './errors.js';
export {
  addHookEntries,
  firstVersion,
  HOOK_CLIENTS,
  type HookClient,
  type HookEntries,
  hasHookEntries,
  hookEntries,
  hooksNote,
  hooksPath,
  isEmptyHooks,
  removeHookEntries,
  renderHookEntries,
} from './hook-entries.js';
export type { Added } from './json-allowance.js';
export { addEntry, hasEntry, isEmptySettings, removeEntry, renderEntry } from './settings.js';
export { addSkill, hasSkill, removeSkill, skillFile } from './skill.js';
export { digestOf, editBetween, type TextEdit, undoEdits } from './undo.js';
