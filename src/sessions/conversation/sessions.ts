import {
  type Clock,
  findId,
  type Ids,
  InvalidInputError,
  isHoldfastError,
  type Logger,
  messageOf,
  type Retirable,
  redact,
  SessionNotFoundError,
  timestamp,
} from '../../foundation/index.js';
import {
  type FileEnds,
  type LogRecord,
  MAX_RECORD_BYTES,
  NewerVersionError,
  type TrashEntry,
} from '../../storage/index.js';
import { Conversation, viewOf } from './conversation.js';
import { LISTED_BY } from './errors.js';
import { ConversationFold } from './fold.js';
import { checkAgent, checkNewId, isHiddenId, newId } from './ids.js';
import type { ConversationStatus } from './lifecycle.js';
import { adoptedRecords, type MovedRecord, movedRecords } from './moved-conversation.js';
import { type ReadLastLimits, readLastTurns } from './read-last.js';
import { nothingIntact, recoverConversation } from './recover.js';
import { retirableConversations } from './retirable.js';
import { FORMAT_VERSION, toDisk } from './schema.js';
import type { FileConversationStore, HeldConversation } from './store.js';
import { glance } from './summarize.js';
import { verifyConversation } from './verify.js';
import {
  type ConversationDamage,
  type ConversationRecovery,
  type ConversationSummary,
  type ConversationView,
  shownStatus,
  type VerifyReport,
} from './view.js';

export interface ConversationSessionsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly store: FileConversationStore;
  /** Applied to all text before it is written; the product's own redaction if absent. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Called with the directory in which a conversation was started. */
  readonly onStarted?: ((directory: string) => void) | undefined;
}

export interface CreateConversation {
  /** A name chosen by the caller; generated if absent. */
  readonly id?: string | undefined;
  readonly agent: string;
  readonly workingDirectory?: string | undefined;
  /** Whether it belongs to a run. Its id is then `run-…` and it is left out of lists. */
  readonly isHidden?: boolean | undefined;
}

export interface OpenConversation {
  /** How long to wait for another owner; no wait if absent. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ConversationFilter {
  readonly agent?: string | undefined;
  readonly status?: ConversationStatus | undefined;
  readonly withHidden?: boolean | undefined;
}

/** Conversations with agents: each has one owner that appends, and anyone may read at any time. */
export class ConversationSessions {
  readonly kind = 'conversation';
  readonly #options: ConversationSessionsOptions;
  readonly #store: FileConversationStore;
  readonly #redact: (text: string) => string;

  constructor(options: ConversationSessionsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#redact = options.redact ?? redact;
  }

  /** Begins a conversation and owns it. Throws CONVERSATION_EXISTS, INVALID_CONVERSATION_ID, INVALID_INPUT, LOCKED. */
  async create(options: CreateConversation): Promise<Conversation> {
    const { agent, workingDirectory, isHidden = false } = options;
    checkAgent(agent);
    if (options.id !== undefined) checkNewId(options.id, isHidden);
    const id = options.id ?? newId(this.#options, isHidden);
    const held = await this.#store.create(
      id,
      toDisk({
        type: 'metadata',
        sessionId: id,
        agent: this.#redact(agent),
        createdAt: timestamp(this.#options.clock),
        status: 'active',
        version: FORMAT_VERSION,
        workingDirectory: workingDirectory === undefined ? null : this.#redact(workingDirectory),
      }),
    );
    if (workingDirectory !== undefined) this.#options.onStarted?.(workingDirectory);
    return this.#begin(held);
  }

  /**
   * Takes ownership of a conversation to continue it. A torn end is repaired; other damage stays and is listed in
   * `view.damage`. Throws SESSION_NOT_FOUND, LOCKED with the owner, DOCUMENT_DAMAGED, NEWER_VERSION, ABORTED.
   */
  async hold(id: string, options: OpenConversation = {}): Promise<Conversation> {
    const { waitMs = 0, signal } = options;
    return this.#begin(await this.#store.hold(id, { waitMs, signal }));
  }

  /** The intact records after a position, so another machine can continue. Throws SESSION_NOT_FOUND, STORAGE_FAILED. */
  exportRecords(id: string, after = -1): MovedRecord[] {
    return movedRecords(this.#store.scan(id), after);
  }

  /**
   * Takes in a conversation that another machine exported; false if it is already here. A different one of the same name goes to
   * the trash first. The agent's own conversation does not move along. Throws INVALID_INPUT, LOCKED, ATOMIC_WRITE_FAILED.
   */
  async adopt(
    id: string,
    moved: readonly LogRecord[],
    { workingDirectory }: { readonly workingDirectory: string },
  ): Promise<boolean> {
    const records = adoptedRecords(id, moved, workingDirectory);
    if (this.#store.has(id)) {
      const here = this.exportRecords(id).map(({ record }) => record);
      if (JSON.stringify(here) === JSON.stringify(records)) return false;
      await this.remove(id);
    }
    const [first, ...others] = records;
    using _held = await this.#store.create(id, first ?? {}, others);
    return true;
  }

  /** Every intact turn in order, without a lock; never a torn one. Throws SESSION_NOT_FOUND, STORAGE_FAILED. */
  get(id: string): ConversationView {
    const view = this.#read(id);
    this.#store.noteDamage(id, view.damage.length > 0);
    return view;
  }

  /** The last turns, from the end of the file only. Throws as `get`. */
  readLast(id: string, count: number): ConversationView {
    if (!Number.isSafeInteger(count) || count < 0)
      throw new InvalidInputError(`${count} is not a valid number of turns`, { place: 'count' });
    return this.#readLast(id, count);
  }

  /**
   * The last turns, and everything wrong with the file: every record is checked. Memory use does not depend on the
   * file's size. Throws as `get`.
   */
  readLastChecked(id: string, count: number): ConversationView {
    const { damage } = this.verify(id);
    return { ...this.readLast(id, count), damage };
  }

  /**
   * All conversations, most recently active first, read from the ends of their files; damaged ones are marked. The
   * newest are checked record by record, within a fixed allowance; the others show the result of their last full check.
   * Throws STORAGE_FAILED.
   */
  list(filter: ConversationFilter = {}): ConversationSummary[] {
    let bytes = CHECKED_BYTES;
    return this.#list(filter).map((summary, index) => {
      if (summary.isDamaged || index >= CHECKED_FILES) return summary;
      bytes -= this.#store.size(summary.id);
      return bytes < 0 ? summary : this.#check(summary);
    });
  }

  /** The same from the ends of the files alone, without checking every record. Throws STORAGE_FAILED. */
  glance(filter: ConversationFilter = {}): ConversationSummary[] {
    return this.#list(filter);
  }

  /** One of them; undefined if it is gone. */
  glanceAt(id: string): ConversationSummary | undefined {
    return this.#summarize(id, this.#store.endsReader(), this.#store.damageNotes());
  }

  #check(summary: ConversationSummary): ConversationSummary {
    try {
      return { ...summary, isDamaged: !this.verify(summary.id).isOk, isChecked: true };
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      return summary; // it has gone in the meantime
    }
  }

  /** From the ends of the files alone. */
  #list(filter: ConversationFilter): ConversationSummary[] {
    const readEnds = this.#store.endsReader();
    const isNoted = this.#store.damageNotes();
    const summaries: ConversationSummary[] = [];
    for (const id of this.#store.ids()) {
      if (isHiddenId(id) && filter.withHidden !== true) continue;
      const summary = this.#summarize(id, readEnds, isNoted);
      if (summary === undefined) continue;
      if (filter.agent !== undefined && summary.agent !== filter.agent) continue;
      if (filter.status !== undefined && summary.status !== filter.status) continue;
      summaries.push(summary);
    }
    return lastActiveFirst(summaries);
  }

  /**
   * The full id for what a person typed: an id, 4 or more characters of one, or `last` for the most recently active one
   * that `isMeant` accepts. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID.
   */
  resolve(typed: string, isMeant: (summary: ConversationSummary) => boolean = () => true): string {
    const found = typed === 'last' ? this.#list({}).find(isMeant)?.id : findId(this.#store.ids(), typed);
    if (found === undefined) throw new SessionNotFoundError(typed, LISTED_BY);
    return found;
  }

  /** Calls back whenever a conversation may have appeared, gone or changed, with its id if known. */
  watch(onHint: (id: string | null) => void): { close(): void } {
    return this.#store.watch(onHint);
  }

  /** Moves a conversation that is not open to the trash. Throws SESSION_NOT_FOUND, LOCKED. */
  async remove(id: string): Promise<TrashEntry> {
    using held = await this.#store.hold(id, { waitMs: 0 });
    return held.retire();
  }

  /** What may go to the trash, for cleaning. */
  retirable(before: number): Iterable<Retirable> {
    const readEnds = this.#store.endsReader();
    const summarize = (id: string) => this.#summarize(id, readEnds, () => false);
    return retirableConversations(this.#store, summarize, before);
  }

  /** Removes what killed processes left behind. Throws STORAGE_FAILED. */
  sweep(): void {
    this.#store.sweep();
  }

  /** Removes for good what has been in the trash longer than this, and returns the ids. Throws STORAGE_FAILED. */
  purgeTrash(olderThanMs: number): string[] {
    return this.#store.trash.purge(olderThanMs).map(({ id }) => id);
  }

  /** Checks every record. Throws SESSION_NOT_FOUND, STORAGE_FAILED. */
  verify(id: string): VerifyReport {
    let report = verifyConversation(this.#store, id);
    // If the end is repaired while we read, two halves can look like a damaged record: check again.
    if (!report.isOk) report = verifyConversation(this.#store, id);
    this.#store.noteDamage(id, !report.isOk);
    return report;
  }

  /**
   * Keeps every intact record of a damaged conversation and sets the old file aside; see `recoverConversation`. Throws
   * SESSION_NOT_FOUND, LOCKED, DOCUMENT_DAMAGED, NEWER_VERSION, ATOMIC_WRITE_FAILED.
   */
  async recover(id: string): Promise<ConversationRecovery> {
    const held = await this.#store.hold(id, { waitMs: 0 });
    let report: ConversationRecovery;
    try {
      this.#assertOurs(held, this.#fold(id));
      report = recoverConversation(this.#options, held, () => this.#fold(id));
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
    // Opening it records the interruption if the previous owner died.
    this.#begin(held)[Symbol.dispose]();
    return report;
  }

  #begin(held: HeldConversation): Conversation {
    try {
      const fold = this.#fold(held.id);
      this.#assertOurs(held, fold);
      held.openLog(fold.highestSeq + 1);
      const tools = { clock: this.#options.clock, redact: this.#redact };
      const conversation = new Conversation(tools, held, fold);
      if (held.takenOver && conversation.status === 'active')
        conversation.setStatus('interrupted', 'its process ended without a word');
      return conversation;
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
  }

  #assertOurs(held: HeldConversation, fold: ConversationFold): void {
    if (fold.isEmpty) throw nothingIntact(held.path);
    const { version } = fold.state().metadata ?? { version: FORMAT_VERSION };
    if (version > FORMAT_VERSION) throw new NewerVersionError(held.path, version);
  }

  #fold(id: string, end?: number): ConversationFold {
    const fold = new ConversationFold();
    for (const found of this.#store.scan(id, end)) fold.add(found);
    return fold;
  }

  #read(id: string, end?: number): ConversationView {
    const look = () => this.#fold(id, end);
    const first = look();
    // If the end is repaired while we read, two halves can look like a damaged record.
    const calm = first.notes.list.length > 0 ? look() : first;
    const { found, torn } = this.#settled(id, calm, look, ({ notes }) => notes.torn);
    return this.#view(id, found.state(), found.notes.list, torn);
  }

  #readLast(id: string, count: number, limits: ReadLastLimits = {}): ConversationView {
    const look = () => readLastTurns(this.#store, id, count, limits);
    const { found, torn } = this.#settled(id, look(), look, (last) => last?.torn);
    if (found !== undefined) return this.#view(id, found.state, found.damage, torn);
    const whole = this.#read(id, limits.end);
    return { ...whole, turns: count === 0 ? [] : whole.turns.slice(-count) };
  }

  /**
   * What was found, by a second look if need be, and an end that is torn for good. An unfinished end is still being
   * written if the conversation has an owner. If it has none, the owner may have finished and left before we asked, so
   * an end counts as torn only if a second look finds it unchanged.
   */
  #settled<Found>(
    id: string,
    first: Found,
    look: () => Found,
    tornIn: (found: Found) => ConversationDamage | undefined,
  ): { readonly found: Found; readonly torn: ConversationDamage | undefined } {
    let found = first;
    for (let torn = tornIn(found); torn !== undefined; ) {
      if (this.#store.ownerOf(id).hold === 'held') break;
      found = look();
      const now = tornIn(found);
      if (now?.offset === torn.offset && now.length === torn.length) return { found, torn: now };
      torn = now;
    }
    return { found, torn: undefined };
  }

  #view(
    id: string,
    state: Parameters<typeof viewOf>[1],
    damage: readonly ConversationDamage[],
    torn: ConversationDamage | undefined,
  ): ConversationView {
    const owner = once(() => this.#store.ownerOf(id));
    const all = torn === undefined ? [...damage] : [...damage, torn];
    return viewOf(id, state, shownStatus(state.status, owner), all);
  }

  /** Undefined if it is gone or cannot be read from disk; the latter logs a warning. */
  #summarize(
    id: string,
    readEnds: (id: string) => FileEnds | undefined,
    isNoted: (id: string, ends: FileEnds) => boolean,
  ): ConversationSummary | undefined {
    try {
      const ends = readEnds(id);
      if (ends === undefined) return undefined;
      const seen = glance(id, ends);
      const owner = once(() => this.#store.ownerOf(id));
      const hasNulEnd = ends.dataEnd < ends.size;
      const isDamaged = hasNulEnd || isNoted(id, ends);
      if (seen === undefined || (seen.isTorn && owner().hold !== 'held')) {
        const whole = this.#summarizeWhole(id, hasNulEnd ? ends.dataEnd : undefined);
        return isDamaged ? { ...whole, isDamaged } : whole;
      }
      return {
        id,
        agent: seen.agent,
        turnCount: seen.turnCount,
        createdAt: seen.createdAt,
        status: shownStatus(seen.status, owner),
        lastActivity: seen.lastActivity,
        workingDirectory: seen.workingDirectory,
        isHidden: isHiddenId(id),
        isDamaged: seen.isDamaged || isDamaged,
        isChecked: false,
      };
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      if (!(error instanceof SessionNotFoundError))
        this.#options.log.warn('conversation.unreadable', { sessionId: id, error: messageOf(error) });
      return undefined;
    }
  }

  /** From the last records, beyond what the ends show, up to where the file has data. */
  #summarizeWhole(id: string, end: number | undefined): ConversationSummary {
    const limits = { end, limitBytes: MAX_RECORD_BYTES };
    const { metadata, workingDirectory, status, turnCount, lastActivity, damage } = this.#readLast(
      id,
      1,
      limits,
    );
    const { agent, createdAt, isHidden } = metadata;
    return {
      id,
      agent,
      turnCount,
      createdAt,
      status,
      lastActivity,
      workingDirectory,
      isHidden,
      isDamaged: damage.length > 0,
      isChecked: false,
    };
  }
}

/** How many bytes a list reads to check the newest conversations, and how many it checks: the cost is bounded. */
const CHECKED_BYTES = 4 * 1024 * 1024;
const CHECKED_FILES = 50;

function lastActiveFirst(summaries: readonly ConversationSummary[]): ConversationSummary[] {
  return summaries
    .map((summary) => ({ summary, time: Date.parse(summary.lastActivity) }))
    .sort((a, b) => b.time - a.time || (a.summary.id < b.summary.id ? 1 : -1))
    .map(({ summary }) => summary);
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
