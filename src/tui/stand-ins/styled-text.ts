// By its files, so that a build can replace the package with this file without a cycle.
import { ansiCodesToString } from '../../../node_modules/@alcalzone/ansi-tokenize/build/ansiCodes.js';
import { diffAnsiCodes } from '../../../node_modules/@alcalzone/ansi-tokenize/build/diff.js';
import type { StyledChar } from '../../../node_modules/@alcalzone/ansi-tokenize/build/styledChars.js';
import type { AnsiCode } from '../../../node_modules/@alcalzone/ansi-tokenize/build/tokenize.js';

export { styledCharsFromTokens } from '../../../node_modules/@alcalzone/ansi-tokenize/build/styledChars.js';
export { tokenize } from '../../../node_modules/@alcalzone/ansi-tokenize/build/tokenize.js';

/**
 * The text of a row, with its styles. Ink builds it from every cell of the screen for each frame; the package compares the
 * styles of neighbouring cells with three sets and some lists, which hardly any pair needs.
 */
export function styledCharsToString(chars: readonly StyledChar[]): string {
  let text = '';
  let styles: AnsiCode[] = [];
  for (const char of chars) {
    if (!isSame(styles, char.styles)) {
      text += ansiCodesToString(diffAnsiCodes(styles, char.styles));
      styles = char.styles;
    }
    text += char.value;
  }
  return text + ansiCodesToString(diffAnsiCodes(styles, []));
}

function isSame(some: readonly AnsiCode[], others: readonly AnsiCode[]): boolean {
  return some.length === others.length && some.every(({ code }, index) => code === others[index]?.code);
}
