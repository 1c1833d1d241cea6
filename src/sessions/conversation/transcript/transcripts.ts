import { InvalidInputError, SessionNotFoundError } from '../../../foundation/index.js';
import { LISTED_BY } from '../errors.js';
import { isHiddenId } from '../ids.js';
import type { ConversationStatus } from '../lifecycle.js';
import { fromDisk } from '../schema.js';
import type { ConversationSessions } from '../sessions.js';
import type { FileConversationStore } from '../store.js';
import { findText, type TranscriptHit } from './find-text.js';
import { findTurn } from './find-turn.js';
import { cutText, itemOf, type TranscriptItem } from './items.js';
import { type Mark, Offsets } from './offsets.js';
import { readBackward, readForward, type Stretch } from './read-page.js';

/** The wanted part of a transcript: one of its ends, what comes after or before a place, or a turn or line and what follows. */
export type TranscriptPosition =
  | { readonly from: 'start' | 'end' }
  | { readonly after: number }
  | { readonly before: number }
  | { readonly turn: number }
  | { readonly line: number };

/** A page of a transcript. */
export interface TranscriptPage extends Stretch {
  readonly id: string;
  /** Identifies the file. A new file of this name starts over: places in one mean nothing in the other. */
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** The number of the last turn. */
  readonly turns: number;
  readonly isStart: boolean;
}

/** A conversation at a glance. */
export interface TranscriptFacts {
  readonly id: string;
  readonly agent: string;
  readonly status: ConversationStatus;
  readonly createdAt: string;
  readonly lastActivity: string;
  readonly turns: number;
  readonly workingDirectory: string | null;
  /** Whether it has an owner now and may grow. */
  readonly isLive: boolean;
  readonly isDamaged: boolean;
  /** Whether it belongs to a run. */
  readonly isOfRun: boolean;
}

export interface TranscriptHits {
  readonly file: string;
  readonly size: number;
  readonly hits: readonly TranscriptHit[];
  /** Where to continue searching; null at the end. */
  readonly next: number | null;
}

/** One record on demand. */
export interface TranscriptRecord {
  readonly offset: number;
  /** The line's length in bytes. */
  readonly length: number;
  /** As stored in the file; only the beginning of a very long one. */
  readonly raw: string;
  readonly isCut: boolean;
  /** For a turn: what was said, in full as far as it can be shown. */
  readonly text: string | null;
}

const PAGE = { turns: 40, bytes: 512 * 1024 };
const HITS = 50;
/** How much one search reads, and how much of it before other work gets its turn. */
const FIND_BYTES = 64 * 1024 * 1024;
const FIND_BLOCK = 4 * 1024 * 1024;
const RAW_BYTES = 256 * 1024;
const WHOLE_TEXT = 2 * 1024 * 1024;
/** Shorter files are read up to the turn, so that its line number is known too. */
const LONG_BYTES = 4 * 1024 * 1024;
/** The number of conversations whose turn positions are remembered. */
const MAX_KNOWN = 8;

/** Conversations for people to read, a page at a time. The cost does not depend on their length. */
export class Transcripts {
  readonly #sessions: ConversationSessions;
  readonly #store: FileConversationStore;
  readonly #known = new Map<string, Offsets>();

  constructor(parts: {
    readonly conversations: ConversationSessions;
    readonly store: FileConversationStore;
  }) {
    this.#sessions = parts.conversations;
    this.#store = parts.store;
  }

  /** Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, STORAGE_FAILED. */
  facts(typed: string): TranscriptFacts {
    const id = this.#sessions.resolve(typed);
    const summary = this.#sessions.glanceAt(id);
    if (summary === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    const { agent, status, createdAt, lastActivity, workingDirectory, isDamaged, turnCount: turns } = summary;
    const isLive = this.isLive(id);
    const isOfRun = isHiddenId(id);
    return {
      id,
      agent,
      status,
      createdAt,
      lastActivity,
      turns,
      workingDirectory,
      isLive,
      isDamaged,
      isOfRun,
    };
  }

  /** A page of it. Throws SESSION_NOT_FOUND, INVALID_INPUT, STORAGE_FAILED. */
  async read(id: string, place: TranscriptPosition): Promise<TranscriptPage> {
    const { file, size } = this.#facts(id);
    const stretch = await this.#numbered(id, file, await this.#stretch(id, file, size, place));
    const turns = Math.max(await this.#turnsOf(id, file), ...stretch.items.map(numberOf));
    return { id, file, size, turns, ...stretch, isStart: stretch.start === 0 };
  }

  /** In bytes; 0 if there is none. */
  sizeOf(id: string): number {
    return this.#store.size(id);
  }

  /** Whether it has an owner now and may grow. */
  isLive(id: string): boolean {
    return this.#store.ownerOf(id).hold === 'held';
  }

  /** The time of the last turn before a place; null if there is none nearby. Throws as `read`. */
  turnTimeBefore(id: string, offset: number): string | null {
    const { items } = readBackward(this.#store, id, offset, { ...PAGE, turns: 1 });
    return items.findLast((item) => item.kind === 'turn')?.at ?? null;
  }

  /** Searches for words from a place onwards. Throws as `read`. */
  async find(id: string, words: string, after = 0): Promise<TranscriptHits> {
    const { file, size } = this.#facts(id);
    this.#checkPlace(id, after);
    const hits: TranscriptHit[] = [];
    const end = Math.min(size, after + FIND_BYTES);
    let reached = after;
    for (let block = FIND_BLOCK; reached < end && hits.length < HITS; ) {
      const before = reached;
      for (const found of findText(this.#store, id, words, {
        start: reached,
        end: Math.min(size, reached + block),
      })) {
        if ('reached' in found) {
          reached = found.reached;
          if (hits.length >= HITS) break;
        } else hits.push(found);
      }
      if (reached === before && before + block >= size) return { file, size, hits, next: null };
      // If a record does not fit into a block, double the block.
      block = reached === before ? block * 2 : FIND_BLOCK;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { file, size, hits, next: reached >= size ? null : reached };
  }

  /** The record at a place. Throws as `read`. */
  record(id: string, offset: number): TranscriptRecord {
    this.#facts(id);
    this.#checkPlace(id, offset);
    for (const found of this.#store.scanPart(id, { start: offset })) {
      if (found.kind === 'damage' && found.reason === 'gap') continue;
      const item = itemOf(found, null, WHOLE_TEXT);
      const raw = this.#store.bytes(id, found.offset, Math.min(found.length, RAW_BYTES)).toString('utf8');
      const text = item?.kind === 'turn' ? cutText(item.text, WHOLE_TEXT) : null;
      return { offset, length: found.length, raw, isCut: found.length > RAW_BYTES, text };
    }
    throw new InvalidInputError('There is no record at this place', { place: 'offset' });
  }

  async #stretch(id: string, file: string, size: number, place: TranscriptPosition): Promise<Stretch> {
    if ('after' in place) {
      this.#checkPlace(id, place.after);
      return readForward(this.#store, id, { start: place.after, line: null }, PAGE);
    }
    if ('before' in place) {
      this.#checkPlace(id, place.before);
      return readBackward(this.#store, id, place.before, PAGE);
    }
    if ('from' in place)
      return place.from === 'end'
        ? readBackward(this.#store, id, size, PAGE)
        : readForward(this.#store, id, { start: 0, line: 1 }, PAGE);
    const found = 'turn' in place ? this.#lookUp(id, file, size, place.turn) : null;
    if (found !== null) return readForward(this.#store, id, { start: found, line: null }, PAGE);
    const isBefore =
      'turn' in place ? (mark: Mark) => mark.turns < place.turn : (mark: Mark) => mark.line <= place.line;
    const mark = await this.#offsets(id, file).lastWhere(isBefore);
    const start = this.#walkTo(id, mark, place);
    return readForward(this.#store, id, start, PAGE);
  }

  /** The place of a turn in a long file beyond what has been read; null if finding it takes reading up to it. */
  #lookUp(id: string, file: string, size: number, turn: number): number | null {
    const isNear = size < LONG_BYTES || this.#offsets(id, file).reached.turns >= turn;
    return isNear ? null : findTurn(this.#store, id, turn, size);
  }

  /** Walks from a known place to the wanted one; if there is none, to the last turn. */
  #walkTo(
    id: string,
    mark: Mark,
    place: { readonly turn: number } | { readonly line: number },
  ): { readonly start: number; readonly line: number } {
    let { turns } = mark;
    let last = { start: mark.offset, line: mark.line };
    for (const found of this.#store.scanPart(id, { start: mark.offset })) {
      if (found.kind === 'tail') break;
      const line = mark.line + found.line - 1;
      if (found.kind === 'record' && found.value.type === 'turn') {
        const { turn } = found.value;
        turns = typeof turn === 'number' ? turn : turns + 1;
        last = { start: found.offset, line };
        if ('turn' in place && turns >= place.turn) break;
      }
      if ('line' in place && line >= place.line) return { start: found.offset, line };
    }
    return last;
  }

  /** Numbers the turns that carry no number by counting those before them. */
  async #numbered(id: string, file: string, stretch: Stretch): Promise<Stretch> {
    if (!stretch.items.some((item) => item.kind === 'turn' && item.number === null)) return stretch;
    const isBefore = ({ offset }: Mark) => offset <= stretch.start;
    const mark = await this.#offsets(id, file).lastWhere(isBefore);
    let { turns } = mark;
    if (mark.offset < stretch.start)
      for (const found of this.#store.scanPart(id, { start: mark.offset, end: stretch.start }))
        if (found.kind === 'record' && isTurn(found.value))
          turns = typeof found.value.turn === 'number' ? found.value.turn : turns + 1;
    const items = stretch.items.map((item): TranscriptItem => {
      if (item.kind !== 'turn') return item;
      turns = item.number ?? turns + 1;
      return { ...item, number: turns };
    });
    return { ...stretch, items };
  }

  /** The number of turns according to the end of the file. A file whose writer does not number turns is counted once. */
  async #turnsOf(id: string, file: string): Promise<number> {
    for (const found of this.#store.scanBackwards(id, { limitBytes: PAGE.bytes })) {
      if (found.kind !== 'record') continue;
      const record = fromDisk(found.value);
      if (record === null || typeof record === 'string') continue;
      if (record.type === 'turn' && record.turn !== null) return record.turn;
      if (record.type === 'status' && record.turns !== null) return record.turns;
      if (record.type === 'turn' || record.type === 'status') break;
    }
    const offsets = this.#offsets(id, file);
    await offsets.lastWhere(() => true);
    return offsets.reached.turns;
  }

  /** Checks that a given place is at a line boundary. Throws INVALID_INPUT. */
  #checkPlace(id: string, offset: number): void {
    const { size } = this.#facts(id);
    const isBetween = offset === 0 || (offset <= size && this.#store.bytes(id, offset - 1, 1)[0] === LF);
    if (!isBetween) throw new InvalidInputError('There is no record at this place', { place: 'offset' });
  }

  #facts(id: string): { readonly file: string; readonly size: number } {
    const facts = this.#store.facts(id);
    if (facts === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    return facts;
  }

  #offsets(id: string, file: string): Offsets {
    const key = `${id} ${file}`;
    const known = this.#known.get(key) ?? new Offsets(this.#store, id);
    // Moves the most recently used to the end.
    this.#known.delete(key);
    this.#known.set(key, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN) break;
      this.#known.delete(oldest);
    }
    return known;
  }
}

const LF = 0x0a;

function isTurn(value: Readonly<Record<string, unknown>>): boolean {
  return value.type === 'turn';
}

function numberOf(item: TranscriptItem): number {
  return item.kind === 'turn' ? (item.number ?? 0) : 0;
}
