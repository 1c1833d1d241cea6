import { visibleLine } from '../../foundation/index.js';

/** Text of a person as it stands between single quotes: backslash and quote escaped, everything unprintable visible. */
export function escapeText(text: string): string {
  return visibleLine(text.replaceAll('\\', '\\\\').replaceAll("'", "\\'"));
}

/** The same between double quotes, quotes included. */
export function quoteText(text: string): string {
  return `"${visibleLine(text.replaceAll('\\', '\\\\').replaceAll('"', '\\"'))}"`;
}
