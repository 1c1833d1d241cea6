import { useLayoutEffect, useRef } from 'preact/hooks';
import { firstTurn, lastTurn, type Reading } from './reading.js';

/** The assumed height of a turn until some are measured, and the maximum height of all not held: browsers have a limit. */
const GUESS_PX = 180;
const MAX_PX = 8_000_000;
/** Pages are read this far before the reader reaches an edge. */
const NEAR_PX = 1_200;
const END_PX = 60;
const REST_MS = 120;
const BAR_PX = 64;

interface Anchor {
  readonly place: string;
  readonly top: number;
}

/**
 * The list of turns scrolls as if all of them were loaded: turns not held are empty space above and below. Scrolling near an
 * edge reads the next page; scrolling into empty space opens the turn that would be there. Whatever is read or dropped, the
 * row being looked at stays in place.
 */
export function useScrolling(reading: Reading) {
  const list = useRef<HTMLDivElement>(null);
  const above = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const state = useRef({ anchor: null as Anchor | null, jump: 0, isAtEnd: false, turnPx: GUESS_PX });
  const held = reading.held.value;
  const { pages } = held;
  const total = reading.turns.value;
  const before = pages[0]?.isStart === true ? 0 : Math.max(0, (firstTurn(pages) ?? 1) - 1);
  const after = pages.at(-1)?.isEnd === true ? 0 : Math.max(0, total - (lastTurn(pages) ?? total));

  useLayoutEffect(() => {
    const box = list.current;
    if (box === null || pages.length === 0) return;
    const now = state.current;
    const isJump = now.jump !== held.jump;
    const rows = box.querySelectorAll('article').length;
    if (rows > 3 && now.turnPx === GUESS_PX)
      now.turnPx = Math.max(60, box.getBoundingClientRect().height / rows);
    const scale = Math.min(1, MAX_PX / Math.max(1, Math.max(before, after) * now.turnPx));
    setHeight(above.current, before * now.turnPx * scale);
    setHeight(below.current, after * now.turnPx * scale);
    if (isJump) {
      now.jump = held.jump;
      const place = reading.target.value;
      const row = place === null ? null : box.querySelector(`[data-place="${place}"]`);
      if (row !== null) row.scrollIntoView({ block: 'start' });
      else if (pages.at(-1)?.isEnd === true && pages[0]?.isStart !== true)
        scrollTo(0, document.documentElement.scrollHeight);
      else if (pages[0]?.isStart === true) scrollTo(0, 0);
      else box.scrollIntoView({ block: 'start' });
    } else if (now.isAtEnd && pages.at(-1)?.isEnd === true)
      scrollTo(0, document.documentElement.scrollHeight);
    else keep(box, now.anchor);
    now.anchor = anchorOf(box);
    now.isAtEnd = isAtEnd();
    if (now.isAtEnd) reading.fresh.value = 0;
  }, [held, before, after, pages, reading]);

  useLayoutEffect(() => {
    let resting: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      const box = list.current;
      if (box === null) return;
      const now = state.current;
      now.anchor = anchorOf(box);
      now.isAtEnd = isAtEnd();
      if (now.isAtEnd && reading.held.value.pages.at(-1)?.isEnd === true) reading.fresh.value = 0;
      const { top, bottom } = box.getBoundingClientRect();
      clearTimeout(resting);
      if (top > innerHeight || bottom < 0)
        resting = setTimeout(() => jump(reading, above.current, below.current), REST_MS);
      else if (top > -NEAR_PX) void reading.earlier();
      else if (bottom < innerHeight + NEAR_PX) void reading.later();
    };
    addEventListener('scroll', onScroll, { passive: true });
    const looking = setInterval(onScroll, 500);
    return () => {
      removeEventListener('scroll', onScroll);
      clearInterval(looking);
      clearTimeout(resting);
    };
  }, [reading]);

  return { list, above, below };
}

/** Opens the turn that would be at the scroll position. */
function jump(reading: Reading, above: HTMLElement | null, below: HTMLElement | null): void {
  if (reading.isOpening) return;
  const { pages } = reading.held.value;
  const [first, last] = [firstTurn(pages) ?? 1, lastTurn(pages) ?? 1];
  const top = above?.getBoundingClientRect();
  const rest = below?.getBoundingClientRect();
  if (top !== undefined && top.bottom > 0 && top.height > 0) {
    const share = Math.min(1, Math.max(0, -top.top / top.height));
    void reading.open(share === 0 ? 'start' : { turn: Math.max(1, Math.floor(share * (first - 1)) + 1) });
  } else if (rest !== undefined && rest.height > 0) {
    const share = Math.min(1, Math.max(0, (innerHeight - rest.top) / rest.height));
    const turn = last + Math.ceil(share * (reading.turns.value - last));
    void reading.open(share >= 0.995 ? 'end' : { turn });
  }
}

function setHeight(element: HTMLElement | null, px: number): void {
  if (element !== null) element.style.blockSize = `${Math.round(px)}px`;
}

/** The first visible row, and its position. */
function anchorOf(box: HTMLElement): Anchor | null {
  for (const row of box.querySelectorAll<HTMLElement>('[data-place]')) {
    const { top, bottom } = row.getBoundingClientRect();
    if (bottom > BAR_PX) return { place: row.dataset.place ?? '', top };
  }
  return null;
}

function keep(box: HTMLElement, anchor: Anchor | null): void {
  if (anchor === null) return;
  const row = box.querySelector(`[data-place="${anchor.place}"]`);
  if (row !== null) scrollBy(0, row.getBoundingClientRect().top - anchor.top);
}

function isAtEnd(): boolean {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - END_PX;
}
