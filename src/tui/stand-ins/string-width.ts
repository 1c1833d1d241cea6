import type StringWidth from 'string-width';

/** One column each, and never part of another character: Latin, Greek, Cyrillic, punctuation, arrows, lines. */
const NARROW =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u03ff\u0400-\u0481\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2500-\u257f\u2605\u2713]*$/;
const STYLES = /\x1b\[[0-9;]*m/g;

/**
 * How many columns a text takes. The result is the package's, but the data it needs to tell emoji from other characters
 * takes 30 ms to load, a tenth of the time to the first frame, and most frames do not need it.
 */
export default function widthOf(text: string, options?: Parameters<typeof StringWidth>[1]): number {
  const plain = options?.countAnsiEscapeCodes === true ? text : text.replaceAll(STYLES, '');
  return isNarrow(plain) && options?.ambiguousIsNarrow !== false ? plain.length : ofPackage()(text, options);
}

/** Whether each character stands for itself and takes one column; a line break does not. */
export function isNarrow(text: string): boolean {
  return NARROW.test(text);
}

let loaded: typeof StringWidth | undefined;
function ofPackage(): typeof StringWidth {
  // Not imported, so that it loads late; and by its path, so that a build can replace the package with this file.
  loaded ??= (require('../../../node_modules/string-width/index.js') as { default: typeof StringWidth })
    .default;
  return loaded;
}
