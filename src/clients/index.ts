export {
  type AgentClient,
  CLIENT_NAMES,
  CLIENTS,
  type ClientName,
  type ClientPlaces,
  type McpServerEntry,
  SERVER_NAME,
  STARTUP_TIMEOUT_SEC,
  TOOL_TIMEOUT_MS,
} from './client.js';
export { ClientSettingsError } from './errors.js';
export { addEntry, hasEntry, removeEntry, renderEntry, type SettingsEdit } from './settings.js';
