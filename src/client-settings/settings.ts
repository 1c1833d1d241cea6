import { CLIENTS, type ClientName, type McpServerEntry, type SettingsFormat } from './client.js';
import type { EditContext } from './errors.js';
import { isEmptyObject } from './json-allowance.js';
import { jsonSettings } from './json-settings.js';
import type { SettingsEditor } from './settings-editor.js';
import { tomlSettings } from './toml-settings.js';

/** A settings file after an edit. `changed: false` means that `text` is the original. */
export interface SettingsEdit {
  text: string;
  changed: boolean;
}

/** The entry as a person would paste it into an empty settings file. */
export function renderEntry(name: ClientName, entry: McpServerEntry): string {
  const client = CLIENTS[name];
  return editorOf(client.format).render(client.describe(entry));
}

/**
 * Puts our entry into a settings file (`null`: there is none yet), replacing one that differs. Every byte outside the
 * entry stays. Throws CLIENT_SETTINGS_UNREADABLE.
 */
export function addEntry(name: ClientName, text: string | null, entry: McpServerEntry): SettingsEdit {
  const client = CLIENTS[name];
  const hint = `Fix the file and try again, or add the entry by hand:\n\n${renderEntry(name, entry)}`;
  return edit(text, (body) => editorOf(client.format).add(body, client.describe(entry), { client, hint }));
}

/** Removes our entry, and the empty parent if we made it. Throws CLIENT_SETTINGS_UNREADABLE. */
export function removeEntry(name: ClientName, text: string): SettingsEdit {
  const { editor, context } = readerOf(name);
  return edit(text, (body) => editor.remove(body, context));
}

/** Whether the settings contain an entry for our server, in our form or any other. Throws CLIENT_SETTINGS_UNREADABLE. */
export function hasEntry(name: ClientName, text: string): boolean {
  const { editor, context } = readerOf(name);
  return editor.has(splitMark(text).body, context);
}

/** Whether a settings file has nothing left in it, not even a comment. */
export function isEmptySettings(name: ClientName, text: string): boolean {
  const { body } = splitMark(text);
  if (body.trim() === '') return true;
  const { format } = CLIENTS[name];
  return format.kind === 'json' && isEmptyObject(body, { format, context: readerOf(name).context });
}

function readerOf(name: ClientName): { editor: SettingsEditor; context: EditContext } {
  const client = CLIENTS[name];
  const hint = 'Fix the file and try again, or remove the entry "holdfast" by hand.';
  return { editor: editorOf(client.format), context: { client, hint } };
}

function editorOf(format: SettingsFormat): SettingsEditor {
  return format.kind === 'json' ? jsonSettings(format) : tomlSettings(format);
}

function edit(text: string | null, change: (body: string) => string): SettingsEdit {
  const { mark, body } = splitMark(text ?? '');
  const edited = mark + change(body);
  return { text: edited, changed: edited !== text };
}

/** Parsers would take a byte order mark for a stray character. Ours never see it, and it stays in the file. */
function splitMark(text: string): { mark: string; body: string } {
  return text.startsWith('\uFEFF') ? { mark: '\uFEFF', body: text.slice(1) } : { mark: '', body: text };
}
