export { CLIENT_NAMES, type McpServerEntry } from './client.js';
export { HOOK_CLIENTS, type HookClient, type HookEntries, hooksOfVersion } from './hook-entries.js';
export type { SetupInstead } from './setup/part.js';
export { inspectClient, installClient, removeClient, type SetupFile } from './setup/setup.js';
