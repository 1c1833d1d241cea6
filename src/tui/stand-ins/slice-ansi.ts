import type SliceAnsi from 'slice-ansi';
import { isNarrow, withoutStyles } from './string-width.js';

/**
 * A stretch of a text with styles, by its columns. What is wanted whole stays as it is, and a text without styles in which each
 * character is one column is cut by its length: that is nearly all that Ink asks for, and the package takes each text apart.
 */
export default function sliceAnsi(text: string, start: number, end?: number): string {
  const plain = withoutStyles(text);
  if (isNarrow(plain)) {
    if (start <= 0 && (end === undefined || end >= plain.length)) return text;
    if (plain === text && start >= 0 && (end === undefined || end >= start)) return text.slice(start, end);
  }
  return ofPackage()(text, start, end);
}

let loaded: typeof SliceAnsi | undefined;
function ofPackage(): typeof SliceAnsi {
  // By its path, so that a build may put this file in the place of the package without a circle.
  loaded ??= (require('../../../node_modules/slice-ansi/index.js') as { default: typeof SliceAnsi }).default;
  return loaded;
}
