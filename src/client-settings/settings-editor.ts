import type { SettingsValue } from './client.js';
import type { EditContext } from './errors.js';

/** How to add our entry to a file format and remove it again; `body` is the file without its byte order mark. */
export interface SettingsEditor {
  /** The entry alone, as a complete file. */
  render(value: SettingsValue): string;
  add(body: string, value: SettingsValue, context: EditContext): string;
  remove(body: string, context: EditContext): string;
  has(body: string, context: EditContext): boolean;
}

/** The file's own line ending. */
export function lineEndingOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}
