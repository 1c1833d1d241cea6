import type { FileConversationStore } from '../store.js';

/** A stretch up to this length is read from end to end. Nothing longer is skipped over to find a turn. */
const NEAR_BYTES = 512 * 1024;
const LF = 0x0a;

interface Placed {
  readonly offset: number;
  readonly number: number;
}

/**
 * Finds a turn by halving the file: the turns we write carry ascending numbers. Null if that fails, because another
 * program wrote the file or it is damaged in that place; then it has to be read from the start. Throws as `scan`.
 */
export function findTurn(
  store: FileConversationStore,
  id: string,
  wanted: number,
  size: number,
): number | null {
  let [low, high] = [0, size];
  while (high - low > NEAR_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const start = lineBehind(store, id, middle);
    const [found] = start === null ? [] : turnsBehind(store, id, start);
    if (found === undefined) return null;
    if (found.number <= wanted && found.offset < high) low = found.offset;
    else high = middle;
  }
  for (const { offset, number } of turnsBehind(store, id, low)) {
    if (number === wanted) return offset;
    if (number > wanted) return null;
  }
  return null;
}

/** The next line after a place; null if there is none nearby. */
function lineBehind(store: FileConversationStore, id: string, place: number): number | null {
  const at = store.bytes(id, place, NEAR_BYTES).indexOf(LF);
  return at === -1 ? null : place + at + 1;
}

/** The turns after the start of a line, as long as they are nearby and numbered. */
function* turnsBehind(store: FileConversationStore, id: string, start: number): Generator<Placed> {
  for (const found of store.scanPart(id, { start })) {
    if (found.kind === 'tail' || found.offset - start > 2 * NEAR_BYTES) return;
    if (found.kind !== 'record' || found.value.type !== 'turn') continue;
    const { turn } = found.value;
    if (typeof turn !== 'number') return;
    yield { offset: found.offset, number: turn };
  }
}
