import type { ReaderItem, ReaderPage } from '../../contract/sessions.js';

/** What fills a screen: to lay out more would keep the first turns from being seen. */
const FIRST = { characters: 3_000, items: 10 };

/** The end of a page that is shown first. */
export type Side = 'front' | 'back';

/**
 * A page as parts that grow from one side of it, the last of them whole: each is a page of its own, whose edge is a place between
 * two records. Each adds as much again as is there already, so that none takes long to lay out.
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
  return [...parts, page];
}

/** Whether two items are of different records: what was done before a turn, or is missing before it, stands at its place. */
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
