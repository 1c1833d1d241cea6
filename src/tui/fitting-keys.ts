import { widthOf } from './wrap.js';

const BETWEEN = ' · ';

/** As many keys in a row as there is room for, in order of what matters; the last one always stands there. */
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
