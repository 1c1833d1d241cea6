import { ASKS_PERMISSION } from '../../foundation/index.js';
import type { Asker } from './schema.js';

export { isPermission, PERMISSION_CHOICES } from '../../foundation/index.js';

/**
 * A prompt in one line, for a list or a status: without its line breaks and the marks of Markdown, but with every character
 * of what stands between the marks of code, because that may be a command.
 */
export function inOneLine(prompt: string): string {
  return prompt
    .slice(0, 2_000)
    .replaceAll(
      MARKS,
      (_marks, fence = '', code?: string, bold?: string) =>
        // Behind a fence stands the language of the code.
        (fence.length > 2 ? code?.replace(/^[\w+-]+(?=\n)/, '') : code) ?? bold ?? '',
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Code up to as many backticks as it began with, bold words, the dash of a list. */
const MARKS = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)|\*\*(.+?)\*\*|^- /gm;

/** The asker of a question for a permission. */
export function permissionAsker(asker: Asker): Asker {
  return { ...asker, asks: ASKS_PERMISSION };
}
