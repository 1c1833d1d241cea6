import type SliceAnsi from 'slice-ansi';
import widthOf, { isNarrow } from './string-width.js';

/**
 * A stretch of a text with styles, by its columns. What is wanted whole stays as it is: Ink asks for that of every text that fits, by a
 * width that the package counts otherwise, so that it would leave out the end of some. A text in which each character is one column is cut
 * by its length; the package takes each text apart.
 */
export default function sliceAnsi(text: string, start: number, end?: number): string {
  if (start <= 0 && (end === undefined || end >= widthOf(text))) return text;
  if (isNarrow(text) && start >= 0 && (end === undefined || end >= start)) return text.slice(start, end);
  return ofPackage()(text, start, end);
}

let loaded: typeof SliceAnsi | undefined;
function ofPackage(): typeof SliceAnsi {
  // By its path, so that a build may put this file in the place of the package without a circle.
  loaded ??= (require('../../../node_modules/slice-ansi/index.js') as { default: typeof SliceAnsi }).default;
  return loaded;
}
