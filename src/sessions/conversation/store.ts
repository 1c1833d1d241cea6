import { join } from 'node:path';
import { type Ids, messageOf, SessionNotFoundError } from '../../foundation/index.js';
import {
  type AcquireOptions,
  acquireLock,
  type CheckLogOptions,
  checkLog,
  type DirectoryWatch,
  EndsReader,
  ensureDirectory,
  type FileEnds,
  hasDirectory,
  inspectLock,
  JsonlLog,
  type Lock,
  LockedError,
  type LockState,
  type LockTools,
  type LogRecord,
  listDirectory,
  type Piece,
  readFile,
  readRange,
  removeQuietly,
  removeTree,
  rewriteFile,
  StorageError,
  scanLog,
  scanLogBackwards,
  type TailRepair,
  Trash,
  type TrashEntry,
  tryAcquireLock,
  writeQuick,
} from '../../storage/index.js';
import { ConversationExistsError, LISTED_BY } from './errors.js';
import { checkId, idFault } from './ids.js';

const ENDING = '.jsonl';
const END_BYTES = 4096;
/** For reading a page of it. */
const PART_BYTES = 128 * 1024;

/** Conversations as files in the published format: `<id>.jsonl`. Our own files beside them are in `.holdfast`. */
export class FileConversationStore {
  readonly directory: string;
  readonly trash: Trash;
  readonly #tools: LockTools & { ids: Ids };
  readonly #locks: string;
  readonly #damaged: string;

  constructor(tools: LockTools & { ids: Ids }, paths: { directory: string }) {
    this.#tools = tools;
    this.directory = paths.directory;
    this.#locks = join(paths.directory, '.holdfast', 'locks');
    this.#damaged = join(paths.directory, '.holdfast', 'damaged');
    this.trash = new Trash(tools, join(paths.directory, '.holdfast', 'trash'));
  }

  /** All ids, in no order. */
  ids(): string[] {
    const ids: string[] = [];
    for (const name of listDirectory(this.#tools.fileSystem, this.directory)) {
      const id = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : '';
      if (idFault(id) === undefined) ids.push(id);
    }
    return ids;
  }

  /** Calls back whenever a conversation's file may have changed, with its id if known. */
  watch(onHint: (id: string | null) => void): DirectoryWatch {
    ensureDirectory(this.#tools.fileSystem, this.directory);
    return this.#tools.watcher.watch(this.directory, (name) => {
      const id = name?.endsWith(ENDING) === true ? name.slice(0, -ENDING.length) : undefined;
      if (name === null) onHint(null);
      else if (id !== undefined && idFault(id) === undefined) onHint(id);
    });
  }

  /** Throws INVALID_CONVERSATION_ID. */
  has(id: string): boolean {
    const path = this.path(id);
    return this.#tools.fileSystem.look(path) !== undefined;
  }

  /** The file of a conversation. Throws INVALID_CONVERSATION_ID. */
  path(id: string): string {
    checkId(id);
    return join(this.directory, `${id}${ENDING}`);
  }

  /** The path of a conversation's lock, for inspecting it or taking it over. */
  lockPath(id: string): string {
    return join(this.#lockDirectory(id), 'session');
  }

  /** Who owns a conversation now. */
  ownerOf(id: string): LockState {
    try {
      if (hasDirectory(this.#tools.fileSystem, this.#lockDirectory(id)))
        return inspectLock(this.#tools, this.lockPath(id));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    return { hold: 'free', epoch: 0, reason: 'it was never taken' };
  }

  /** Everything in a file up to `end`, in order. Throws SESSION_NOT_FOUND, UNSAFE_PATH, STORAGE_FAILED. */
  scan(id: string, end?: number) {
    return scanLog(this.#tools.fileSystem, this.#existing(id), { sessionId: id, end });
  }

  /** The same, for reading only the first line. */
  scanStart(id: string) {
    const options = { sessionId: id, chunkBytes: END_BYTES };
    return scanLog(this.#tools.fileSystem, this.#existing(id), options);
  }

  /** Everything in a file, backwards from its end. Throws as `scan`. */
  scanBackwards(id: string, limits: { end?: number | undefined; limitBytes?: number | undefined } = {}) {
    return scanLogBackwards(this.#tools.fileSystem, this.#existing(id), { ...limits, sessionId: id });
  }

  /** Everything in a file, checked but mostly not parsed. Throws as `scan`. */
  check(id: string, passOver?: CheckLogOptions['passOver']) {
    return checkLog(this.#tools.fileSystem, this.#existing(id), { sessionId: id, passOver });
  }

  /** A part of a file that begins with a line, in order. Throws as `scan`. */
  scanPart(id: string, part: { readonly start: number; readonly end?: number | undefined }) {
    return scanLog(this.#tools.fileSystem, this.#existing(id), {
      ...part,
      sessionId: id,
      chunkBytes: PART_BYTES,
    });
  }

  /** The same, checked but mostly not parsed. Throws as `scan`. */
  checkPart(id: string, part: Pick<CheckLogOptions, 'start' | 'end' | 'passOver'>) {
    return checkLog(this.#tools.fileSystem, this.#existing(id), { ...part, sessionId: id });
  }

  /** Some bytes of a file as they are. Throws SESSION_NOT_FOUND, STORAGE_FAILED. */
  bytes(id: string, start: number, length: number): Buffer {
    return readRange(this.#tools.fileSystem, this.#existing(id), start, length);
  }

  /** The identity of the file and its size; undefined if there is none. A new file of the same name has another identity. */
  facts(id: string): { readonly file: string; readonly size: number } | undefined {
    const found = this.#tools.fileSystem.look(this.path(id));
    return found && { file: `${found.device}-${found.inode}`, size: found.size };
  }

  /** The current size of a file, in bytes. */
  size(id: string): number {
    return this.#tools.fileSystem.look(this.path(id))?.size ?? 0;
  }

  /**
   * Remembers the result of a full check for lists, which read only the ends. It counts as long as the file is
   * unchanged, and is just a hint: if it cannot be written, the next check finds the same again.
   */
  noteDamage(id: string, isDamaged: boolean): void {
    const { fileSystem, log } = this.#tools;
    const path = join(this.#damaged, id);
    try {
      const file = isDamaged ? fileSystem.look(this.path(id)) : undefined;
      const known = fileSystem.look(path);
      if (known !== undefined) fileSystem.unlink(path);
      if (file === undefined) return;
      ensureDirectory(fileSystem, this.#damaged);
      writeQuick(fileSystem, path, damageMark(file));
    } catch (error) {
      log.debug('conversation.damage-not-noted', { sessionId: id, error: messageOf(error) });
    }
  }

  /** Reads what `noteDamage` noted, for a list: whether the file with these facts was found damaged. */
  damageNotes(): (id: string, facts: Pick<FileEnds, 'size' | 'modifiedMs'>) => boolean {
    const { fileSystem } = this.#tools;
    const noted = new Set(listDirectory(fileSystem, this.#damaged));
    return (id, facts) =>
      noted.has(id) && readFile(fileSystem, join(this.#damaged, id)) === damageMark(facts);
  }

  /** A reader for the ends of files, for lists; it returns undefined if there is no such file. */
  endsReader(): (id: string) => FileEnds | undefined {
    const reader = new EndsReader(this.#tools.fileSystem, END_BYTES);
    // Ids come from a listing and have been checked; joining 10,000 paths piece by piece costs more than reading.
    return (id) => reader.read(`${this.directory}/${id}${ENDING}`);
  }

  /** Creates a conversation with its first records and owns it. Throws CONVERSATION_EXISTS, LOCKED, ATOMIC_WRITE_FAILED. */
  async create(id: string, first: LogRecord, others: readonly LogRecord[] = []): Promise<HeldConversation> {
    const path = this.path(id);
    ensureDirectory(this.#tools.fileSystem, this.directory);
    if (this.has(id)) throw new ConversationExistsError(id);
    const lock = await this.#lock(id, { waitMs: 0 });
    try {
      if (!JsonlLog.create(this.#tools, path, id, first, ...others)) throw new ConversationExistsError(id);
      return this.#held(id, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Takes ownership of a conversation without touching its file yet. Throws SESSION_NOT_FOUND, LOCKED with the owner. */
  async hold(id: string, options: AcquireOptions = {}): Promise<HeldConversation> {
    this.#existing(id);
    let lock: Lock;
    try {
      lock = await this.#lock(id, options);
    } catch (error) {
      if (isGone(error) && !this.has(id)) throw new SessionNotFoundError(id, LISTED_BY);
      throw error;
    }
    try {
      this.#existing(id);
      return this.#held(id, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Removes what killed processes left behind and has no owner: temporary files, locks of deleted conversations. */
  sweep(): void {
    const { fileSystem } = this.#tools;
    for (const name of listDirectory(fileSystem, this.directory)) {
      const id = temporaryOf(name);
      if (id !== undefined && this.ownerOf(id).hold !== 'held')
        removeQuietly(fileSystem, join(this.directory, name));
    }
    for (const name of listDirectory(fileSystem, this.#locks)) {
      if (name.startsWith(GONE)) removeTree(fileSystem, join(this.#locks, name));
      else if (idFault(name) === undefined && !this.has(name)) this.#sweepLock(name);
    }
    this.#sweepNotes();
  }

  #sweepNotes(): void {
    const { fileSystem } = this.#tools;
    for (const name of listDirectory(fileSystem, this.#damaged))
      if (idFault(name) !== undefined || !this.has(name))
        removeQuietly(fileSystem, join(this.#damaged, name));
  }

  #sweepLock(id: string): void {
    const lock = tryAcquireLock(this.#tools, this.lockPath(id));
    if (!('release' in lock)) return;
    using _lock = lock;
    if (!this.has(id)) this.#removeLock(id);
  }

  #held(id: string, lock: Lock): HeldConversation {
    // Only an owner that died midway leaves something behind.
    if (lock.takenOver) this.#sweepTemporaries(id);
    return new HeldConversation(this.#tools, {
      id,
      path: this.path(id),
      lock,
      retire: () => this.#retire(id),
    });
  }

  #retire(id: string): TrashEntry {
    const entry = this.trash.take(id, this.path(id));
    try {
      this.#removeLock(id);
    } catch (error) {
      // The conversation is in the trash; the next sweep removes its lock.
      this.#tools.log.warn('conversation.lock-not-removed', { sessionId: id, error: messageOf(error) });
    }
    return entry;
  }

  /** Moves the lock's directory out of the way in one step, then removes it. We must hold the lock. */
  #removeLock(id: string): void {
    const { fileSystem, ids } = this.#tools;
    const gone = join(this.#locks, `${GONE}${ids.token()}`);
    fileSystem.rename(this.#lockDirectory(id), gone);
    removeTree(fileSystem, gone);
  }

  #sweepTemporaries(id: string): void {
    const { fileSystem } = this.#tools;
    for (const name of listDirectory(fileSystem, this.directory))
      if (temporaryOf(name) === id) removeQuietly(fileSystem, join(this.directory, name));
  }

  async #lock(id: string, options: AcquireOptions): Promise<Lock> {
    ensureDirectory(this.#tools.fileSystem, this.#lockDirectory(id));
    try {
      return await acquireLock(this.#tools, this.lockPath(id), options);
    } catch (error) {
      if (error instanceof LockedError) throw new LockedError(error.path, error.state, id);
      throw error;
    }
  }

  #lockDirectory(id: string): string {
    checkId(id);
    return join(this.#locks, id);
  }

  #existing(id: string): string {
    if (!this.has(id)) throw new SessionNotFoundError(id, LISTED_BY);
    return this.path(id);
  }
}

/** A conversation that this process owns. */
export class HeldConversation implements Disposable {
  readonly id: string;
  readonly path: string;
  /** Whether the previous owner was found dead. */
  readonly takenOver: boolean;
  readonly #tools: LockTools & { ids: Ids };
  readonly #lock: Lock;
  readonly #retire: () => TrashEntry;
  #log: JsonlLog | undefined;

  constructor(
    tools: LockTools & { ids: Ids },
    facts: { id: string; path: string; lock: Lock; retire: () => TrashEntry },
  ) {
    this.#tools = tools;
    this.id = facts.id;
    this.path = facts.path;
    this.#lock = facts.lock;
    this.#retire = facts.retire;
    this.takenOver = facts.lock.takenOver;
  }

  /** What was repaired at the end of the file. */
  get repairs(): readonly TailRepair[] {
    return this.#log?.repairs ?? [];
  }

  /** Repairs the end of the file and prepares to append; no record gets a number lower than this. */
  openLog(nextSeq: number): void {
    this.#log ??= JsonlLog.open(this.#tools, this.path, { sessionId: this.id, lock: this.#lock });
    this.#log.continueFrom(nextSeq);
  }

  /** Appends records in one write, durably, and returns the number of the first. */
  append(records: readonly LogRecord[]): number {
    if (this.#log === undefined) throw new Error('the log was not opened');
    return this.#log.appendAll(records);
  }

  /** Moves the conversation to the trash. Throws LOCK_LOST, STORAGE_FAILED. */
  retire(): TrashEntry {
    this.#lock.assertHeld();
    return this.#retire();
  }

  /** Replaces the file with some of its bytes and keeps the old one; see `rewriteFile`. Throws LOCK_LOST, ATOMIC_WRITE_FAILED. */
  rewrite(pieces: Iterable<Piece>, isGood: (path: string) => boolean): string {
    this.#lock.assertHeld();
    return rewriteFile(this.#tools, this.path, pieces, isGood);
  }

  /** Checks a file as if it were this conversation's. */
  check(path: string) {
    return checkLog(this.#tools.fileSystem, path, { sessionId: this.id });
  }

  [Symbol.dispose](): void {
    this.#log?.close();
    this.#lock.release();
  }
}

/** Identifies the state of the file that a damage note is about. */
function damageMark({ size, modifiedMs }: Pick<FileEnds, 'size' | 'modifiedMs'>): string {
  return `${size} ${modifiedMs}`;
}

const GONE = '.gone-';

/** The conversation a temporary file was meant for; undefined for any other name. */
function temporaryOf(name: string): string | undefined {
  const id = /^\.(.+?)\.jsonl(?:\..+)?\.[0-9a-f]{32}\.tmp$/.exec(name)?.[1];
  return id !== undefined && idFault(id) === undefined ? id : undefined;
}

/** Whether the directory has been removed in the meantime. */
function isGone(error: unknown): boolean {
  return error instanceof StorageError && error.fault === 'gone';
}
