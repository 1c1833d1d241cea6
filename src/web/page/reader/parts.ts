import type { ReaderItem, ReaderPage } from '../../contract/sessions.js';
import { blocksOf } from './markdown-blocks.js';

/** Enough to fill a screen: laying out more would delay the first turns. */
const FIRST = { characters: 3_000, items: 10 };

/** The side of a page that is shown first. */
export type Side = 'front' | 'back';

/**
 * A page as parts that grow from one side, the last of them the whole page. Each part is itself a page whose edge lies
 * between two records, and doubles what is there already, so that none takes long to lay out.
 */
export function growing(page: ReaderPage, side: Side): readonly ReaderPage[] {
  const { items } = page;
  const order = side === 'front' ? items : items.toReversed();
  const parts: ReaderPage[] = [];
  let characters = 0;
  let enough = FIRST;
  for (const [index, item] of order.entries()) {
    const isEnough = characters >= enough.characters || index >= enough.items;
    if (isEnough && isEdge(order[index - 1], item)) {
      parts.push(side === 'front' ? front(page, index) : back(page, items.length - index));
      enough = { characters: characters * 2, items: index * 2 };
    }
    characters += item.kind === 'turn' ? item.text.length : 0;
  }
  const all = [...parts, page];
  const opening = side === 'front' ? openingOf(all[0] ?? page) : null;
  return opening === null ? all : [opening, ...all];
}

/** The page with a very long turn cut to what fills a screen, if it can be cut; null if there is no need. */
function openingOf(page: ReaderPage): ReaderPage | null {
  const turn = page.items.find((item) => item.kind === 'turn' && item.text.length >= 2 * FIRST.characters);
  if (turn?.kind !== 'turn' || /[\t\r]/.test(turn.text)) return null;
  let text = '';
  for (const block of blocksOf(turn.text)) {
    if (text.length >= FIRST.characters) break;
    text = text === '' ? block : `${text}\n${block}`;
  }
  if (text.length >= turn.text.length - 1) return null;
  const cut = { ...turn, text, characters: text.length };
  return { ...page, items: page.items.with(page.items.indexOf(turn), cut) };
}

/** Whether two items belong to different records: tools used or damage found before a turn have the turn's place. */
function isEdge(one: ReaderItem | undefined, other: ReaderItem): boolean {
  return one !== undefined && one.offset !== other.offset;
}

function front(page: ReaderPage, count: number): ReaderPage {
  const end = page.items[count]?.offset ?? page.end;
  return { ...page, items: page.items.slice(0, count), end, isEnd: false };
}

function back(page: ReaderPage, from: number): ReaderPage {
  const start = page.items[from]?.offset ?? page.start;
  return { ...page, items: page.items.slice(from), start, isStart: false };
}
