import { signal } from '@preact/signals';
import type { ReaderItem, ReaderPage, TranscriptHead } from '../../contract/sessions.js';
import { painted } from '../frame/painted.js';
import type { Reply } from '../live/api.js';
import type { Store } from '../live/store.js';
import { growing } from './parts.js';
import { type Ahead, queryOf, turnsPath, type Wanted } from './wanted.js';

/** At most this many pages are held; distant ones are dropped, and read again when needed. */
const MAX_PAGES = 6;
/** Items that arrive bit by bit are merged into one page, up to this many. */
const MERGED_ITEMS = 80;
const LOOK_MS = 2_000;

/** The part of a transcript that is held: consecutive pages without a gap. */
export interface Held {
  readonly pages: readonly ReaderPage[];
  /** Grows whenever a different part is held: what was on the screen before is gone. */
  readonly jump: number;
}

export type ReadingState = 'loading' | 'ready' | 'missing' | 'removed' | { readonly fault: string };

/** A transcript being read: the pages around the reader's place, and what is added to it. */
export class Reading {
  readonly head = signal<TranscriptHead | null>(null);
  readonly held = signal<Held>({ pages: [], jump: 0 });
  readonly standing = signal<ReadingState>('loading');
  readonly isLive = signal(false);
  /** The place of the row that was jumped to. */
  readonly target = signal<number | null>(null);
  /** Turns that arrived while the reader was elsewhere. */
  readonly fresh = signal(0);
  readonly turns = signal(0);
  readonly #store: Store;
  readonly #id: string;
  #isBusy = false;
  /** How many parts have been requested: only the last one counts. */
  #opened = 0;
  /** How many requests are under way. */
  #opening = 0;
  /** How many parts are still incomplete. */
  #growing = 0;

  constructor(store: Store, id: string) {
    this.#store = store;
    this.#id = id;
  }

  /** Begins with what was requested ahead, and looks for new turns until the returned function is called. */
  start({ wanted, reply }: Ahead): () => void {
    void this.open(wanted, reply);
    void this.#readHead();
    const looking = setInterval(() => {
      if (document.visibilityState === 'visible') void this.look();
    }, LOOK_MS);
    return () => clearInterval(looking);
  }

  /** Whether a requested part is still missing; until then the scroll position does not show where the reader wants to be. */
  get isOpening(): boolean {
    return this.#opening > 0;
  }

  /** Opens the part around a place, and holds nothing else. */
  async open(wanted: Wanted, ahead?: Ahead['reply']): Promise<void> {
    const mine = ++this.#opened;
    this.#opening += 1;
    const page = await this.#ask(queryOf(wanted), ahead);
    this.#opening -= 1;
    if (page === undefined || mine !== this.#opened) return;
    const { jump } = this.held.value;
    const isTurn = typeof wanted === 'object';
    this.target.value = isTurn ? (page.items.find(({ kind }) => kind === 'turn')?.offset ?? null) : null;
    if (typeof wanted === 'object' && 'line' in wanted) this.target.value = page.items[0]?.offset ?? null;
    this.fresh.value = 0;
    const parts = growing(page, wanted === 'end' ? 'back' : 'front');
    this.held.value = { pages: parts.slice(0, 1), jump: jump + 1 };
    this.standing.value = 'ready';
    await this.#grow(parts);
    if (mine !== this.#opened) return;
    // A page that begins with the wanted turn has nothing above it to scroll to.
    if (!page.isStart && isTurn) await this.earlier();
  }

  /** Replaces each part with the next one after each paint, unless the reader has moved on meanwhile. */
  async #grow(parts: readonly ReaderPage[]): Promise<void> {
    this.#growing += 1;
    let [shown] = parts;
    for (const part of parts.slice(1)) {
      await painted();
      const { pages, jump } = this.held.value;
      const at = shown === undefined ? -1 : pages.indexOf(shown);
      // If only a long turn becomes whole, the pages already read after it stay.
      if (at === -1 || (pages.length > 1 && pages[at]?.end !== part.end)) break;
      this.held.value = { pages: pages.with(at, part), jump };
      shown = part;
    }
    this.#growing -= 1;
  }

  async earlier(): Promise<void> {
    const [first] = this.held.value.pages;
    if (first === undefined || first.isStart) return;
    const page = await this.#read(`before=${first.start}`);
    const { pages, jump } = this.held.value;
    if (page === undefined || pages[0] !== first) return;
    this.held.value = { pages: [page, ...pages].slice(0, MAX_PAGES), jump };
  }

  async later(): Promise<void> {
    const last = this.held.value.pages.at(-1);
    if (last === undefined || last.isEnd) return;
    const page = await this.#read(`after=${last.end}`);
    const { pages, jump } = this.held.value;
    if (page === undefined || pages.at(-1) !== last) return;
    this.held.value = { pages: [...pages, page].slice(-MAX_PAGES), jump };
  }

  /** Looks for newly added turns. */
  async look(): Promise<void> {
    const { pages } = this.held.value;
    const last = pages.at(-1);
    if (last === undefined || this.standing.value === 'removed' || this.#growing > 0) return;
    const page = await this.#read(last.isEnd ? `after=${last.end}` : 'from=end');
    if (page === undefined || this.held.value.pages !== pages) return;
    if (!last.isEnd) return;
    const added = page.items.filter(({ kind }) => kind === 'turn').length;
    if (added === 0 && sameTools(last.items, page.items) && page.end === last.end) return;
    this.fresh.value += added;
    this.held.value = { ...this.held.value, pages: withTail(pages, page) };
  }

  async #readHead(): Promise<void> {
    const reply = await this.#store.api.read<TranscriptHead>(`sessions/${encodeURIComponent(this.#id)}`);
    if (reply.isDone) this.head.value = reply.value;
    else this.#refused(reply);
  }

  /** Reads one more page, unless one is already on its way. */
  async #read(query: string): Promise<ReaderPage | undefined> {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    const page = await this.#ask(query);
    this.#isBusy = false;
    const [first] = this.held.value.pages;
    if (page === undefined || page.file === first?.file) return page;
    // The file was recovered or replaced: what is held belongs to the old one.
    await this.#startAnew();
    return undefined;
  }

  async #ask(query: string, ahead?: Ahead['reply']): Promise<ReaderPage | undefined> {
    const reply = await (ahead ?? this.#store.api.read<ReaderPage>(turnsPath(this.#id, query)));
    if (!reply.isDone) return this.#refused(reply);
    const page = reply.value;
    this.turns.value = page.turns;
    if (this.isLive.value !== page.isLive) void this.#readHead();
    this.isLive.value = page.isLive;
    if (this.standing.value !== 'loading') this.standing.value = 'ready';
    return page;
  }

  /** Opens the new file of the same name at the turn where the reader was. */
  async #startAnew(): Promise<void> {
    const turn = firstTurn(this.held.value.pages);
    void this.#readHead();
    await this.open(turn === null ? 'end' : { turn });
  }

  #refused(reply: Extract<Reply<unknown>, { isDone: false }>): undefined {
    this.#store.noteRefused(reply);
    const isHere = this.held.value.pages.length > 0;
    if (reply.status === 404) this.standing.value = isHere ? 'removed' : 'missing';
    else if (reply.status === 400 && isHere) void this.#startAnew();
    else if (!isHere)
      this.standing.value = {
        fault: reply.refusal?.message ?? 'The server does not answer. It is tried again when it is back.',
      };
    return undefined;
  }
}

/** The number of the first turn held. */
export function firstTurn(pages: readonly ReaderPage[]): number | null {
  for (const { items } of pages)
    for (const item of items) if (item.kind === 'turn' && item.number !== null) return item.number;
  return null;
}

export function lastTurn(pages: readonly ReaderPage[]): number | null {
  for (const { items } of pages.toReversed())
    for (const item of items.toReversed())
      if (item.kind === 'turn' && item.number !== null) return item.number;
  return null;
}

/** The items without the agent's current activity, which each reply reports anew. */
function closed(items: readonly ReaderItem[]): ReaderItem[] {
  return items.filter((item) => item.kind !== 'tools' || !item.isOpen);
}

function sameTools(before: readonly ReaderItem[], now: readonly ReaderItem[]): boolean {
  const count = (items: readonly ReaderItem[]) =>
    items.reduce((sum, item) => sum + (item.kind === 'tools' && item.isOpen ? item.lines.length : 0), 0);
  return count(before) === count(now);
}

/** The pages with what was added after the last one. */
function withTail(pages: readonly ReaderPage[], page: ReaderPage): ReaderPage[] {
  const last = pages.at(-1);
  if (last === undefined) return [page];
  const done = { ...last, items: closed(last.items), isEnd: page.isEnd, size: page.size, turns: page.turns };
  if (done.items.length + page.items.length > MERGED_ITEMS)
    return [...pages.slice(0, -1), done, page].slice(-MAX_PAGES);
  return [...pages.slice(0, -1), { ...done, items: [...done.items, ...page.items], end: page.end }];
}
