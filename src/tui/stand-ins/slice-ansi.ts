import type SliceAnsi from 'slice-ansi';
import widthOf, { isNarrow } from './string-width.js';

/**
 * A slice of a styled text, by columns. A text wanted whole is returned unchanged: Ink asks for that with every text that
 * fits, by a width that the package counts differently, so the package would drop the end of some. A text whose characters
 * take one column each is cut by its length; the package would take each text apart.
 */
export default function sliceAnsi(text: string, start: number, end?: number): string {
  if (start <= 0 && (end === undefined || end >= widthOf(text))) return text;
  if (isNarrow(text) && start >= 0 && (end === undefined || end >= start)) return text.slice(start, end);
  return ofPackage()(text, start, end);
}

let loaded: typeof SliceAnsi | undefined;
function ofPackage(): typeof SliceAnsi {
  // By its path, so that a build can replace the package with this file without a cycle.
  loaded ??= (require('../../../node_modules/slice-ansi/index.js') as { default: typeof SliceAnsi }).default;
  return loaded;
}
