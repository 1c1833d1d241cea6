import { widthOf } from './wrap.js';

const BETWEEN = ' · ';

/** As many keys as fit in a row, the most important first; the last one is always shown. */
export function fittingKeys(keys: readonly string[], columns: number): string {
  const last = keys.at(-1) ?? '';
  let room = columns - widthOf(last);
  const kept = keys.slice(0, -1).filter((key) => {
    const size = widthOf(key + BETWEEN);
    if (size > room) return false;
    room -= size;
    return true;
  });
  return [...kept, last].join(BETWEEN);
}
