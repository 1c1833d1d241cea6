import { join } from 'node:path';
import {
  addEntry,
  CLIENTS,
  type ClientName,
  ClientSettingsError,
  hasEntry,
  type McpServerEntry,
  removeEntry,
  renderEntry,
} from '../clients/index.js';
import { ensureDirectory, readUserFile, replaceUserFile } from '../storage/index.js';
import type { Services } from './services.js';

export { CLIENT_NAMES, type ClientName } from '../clients/index.js';

export interface ClientSetup {
  readonly client: ClientName;
  readonly path: string;
  /** The entry as a person would paste it. */
  readonly snippet: string;
  readonly note: string;
  readonly isInPlace: boolean;
}

/** What a client needs in its settings to reach `holdfast mcp`, and whether it is there. */
export function inspectClient(services: Services, client: ClientName, options: SetupPlace): ClientSetup {
  const path = settingsPath(services, client, options);
  const text = readUserFile(services.tools.fileSystem, path);
  return {
    client,
    path,
    snippet: renderEntry(client, options.entry),
    note: CLIENTS[client].note,
    isInPlace: text !== undefined && hasEntry(client, text),
  };
}

export interface SetupPlace {
  readonly entry: McpServerEntry;
  /** The project to write to instead of the user's own settings. */
  readonly project?: string | undefined;
}

/** Puts the entry into the client's settings. False when it stood there already. Throws CLIENT_SETTINGS_UNREADABLE. */
export function installClient(services: Services, client: ClientName, options: SetupPlace): boolean {
  const path = settingsPath(services, client, options);
  const { fileSystem } = services.tools;
  const text = readUserFile(fileSystem, path) ?? null;
  const edit = naming(path, () => addEntry(client, text, options.entry));
  if (!edit.changed) return false;
  ensureUserDirectory(services, path);
  replaceUserFile(services.tools, path, edit.text);
  return true;
}

/** Takes the entry out again. False when there was none. Throws CLIENT_SETTINGS_UNREADABLE. */
export function removeClient(services: Services, client: ClientName, options: SetupPlace): boolean {
  const path = settingsPath(services, client, options);
  const text = readUserFile(services.tools.fileSystem, path);
  const edit = text === undefined ? undefined : naming(path, () => removeEntry(client, text));
  if (edit === undefined || !edit.changed) return false;
  replaceUserFile(services.tools, path, edit.text);
  return true;
}

function naming<Result>(path: string, edit: () => Result): Result {
  try {
    return edit();
  } catch (error) {
    throw error instanceof ClientSettingsError ? error.inFile(path) : error;
  }
}

/** The first of the client's files that is there, else the one it would make. */
function settingsPath(services: Services, client: ClientName, options: SetupPlace): string {
  const { environment } = services;
  const { home } = services.config.roots;
  const places = {
    home,
    configHome: environment.XDG_CONFIG_HOME || join(home, '.config'),
    ...(options.project === undefined ? {} : { project: options.project }),
    ...(environment.CLAUDE_CONFIG_DIR ? { claudeConfigDir: environment.CLAUDE_CONFIG_DIR } : {}),
    ...(environment.CODEX_HOME ? { codexHome: environment.CODEX_HOME } : {}),
  };
  const main = CLIENTS[client].settingsPath(places);
  const isThere = (path: string) => readUserFile(services.tools.fileSystem, path) !== undefined;
  return [main, ...CLIENTS[client].alsoReads(places)].find(isThere) ?? main;
}

/** Unlike our own directories, the client's may be a link or readable by others; only a missing one is made. */
function ensureUserDirectory(services: Services, path: string): void {
  const directory = join(path, '..');
  const { fileSystem } = services.tools;
  if (fileSystem.look(directory) === undefined) ensureDirectory(fileSystem, directory);
}
