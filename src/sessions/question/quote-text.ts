import { visibleLine } from '../../foundation/index.js';

/** A person's text for use between single quotes: backslash and quote escaped, everything unprintable made visible. */
export function escapeText(text: string): string {
  return visibleLine(text.replaceAll('\\', '\\\\').replaceAll("'", "\\'"));
}

/** The same for double quotes, including the quotes. */
export function quoteText(text: string): string {
  return `"${visibleLine(text.replaceAll('\\', '\\\\').replaceAll('"', '\\"'))}"`;
}
