import { ASKS_PERMISSION } from '../../foundation/index.js';
import type { Asker } from './schema.js';

export { isPermission, PERMISSION_CHOICES } from '../../foundation/index.js';

/**
 * A prompt in one line, for a list or a status: without line breaks and Markdown markers, but with every character
 * between code markers, because that may be a command.
 */
export function inOneLine(prompt: string): string {
  return prompt
    .slice(0, 2_000)
    .replaceAll(
      MARKS,
      (_marks, fence = '', code?: string, bold?: string) =>
        // After an opening fence comes the language of the code.
        (fence.length > 2 ? code?.replace(/^[\w+-]+(?=\n)/, '') : code) ?? bold ?? '',
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Code up to the same number of backticks that opened it, bold words, the dash of a list. */
const MARKS = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)|\*\*(.+?)\*\*|^- /gm;

/** The asker of a permission question. */
export function permissionAsker(asker: Asker): Asker {
  return { ...asker, asks: ASKS_PERMISSION };
}
