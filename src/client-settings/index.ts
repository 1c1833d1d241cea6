export { addAllowance, hasAllowance, otherwiseSet, removeAllowance, renderAllowance } from './allowance.js';
export {
  type AgentClient,
  type Allowance,
  CLIENT_NAMES,
  CLIENTS,
  type ClientName,
  type ClientPlaces,
  type McpServerEntry,
  SERVER_NAME,
  STARTUP_TIMEOUT_SEC,
  TOOL_NAMES,
  TOOL_TIMEOUT_MS,
} from './client.js';
export { ClientSettingsError } from './errors.js';
export type { Added } from './json-allowance.js';
export {
  addEntry,
  hasEntry,
  isEmptySettings,
  removeEntry,
  renderEntry,
  type SettingsEdit,
} from './settings.js';
export { digestOf, editBetween, type TextEdit, undoEdits } from './undo.js';
