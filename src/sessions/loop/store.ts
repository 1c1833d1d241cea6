import { join } from 'node:path';
import { isUuidV4 } from '../../foundation/index.js';
import {
  acquireLock,
  assertLoopPlace,
  commitGroup,
  type DirectoryWatch,
  DOCUMENT_VERSION,
  DocumentDamagedError,
  ensureDirectory,
  hasDirectory,
  inspectLock,
  isTemporaryName,
  keepOutOfGit,
  type Lock,
  type LockState,
  type LockTools,
  listDirectory,
  lookAt,
  NewerVersionError,
  readFile,
  removeQuietly,
  rollForward,
  setAside,
  UnsafePathError,
} from '../../storage/index.js';
import {
  archivedNames,
  archiveSession,
  isFromArchive,
  removeArchived,
  restoreArchived,
  restoreSession,
  type TrashedLoop,
  trashArchived,
  trashedIn,
  trashIn,
  trashSession,
  UNREADABLE_LOOP,
} from './archive.js';
import { groupOf, type LoopSnapshot, readLoop, writeDocuments } from './read-loop.js';
import { requestLock } from './requests.js';
import { DOCUMENTS, type LoopDocuments, STATUS_LOG } from './schema.js';

const LOCK = 'loop';

/** The files of one loop: the documents that change together, the requests, the archive and the trash. */
export class LoopStore {
  readonly directory: string;
  readonly #tools: LockTools;
  readonly #isPlaceFound: boolean;

  /** `isPlaceFound`: the directory was found rather than chosen, so the place it is in must be safe. */
  constructor(tools: LockTools, place: { readonly directory: string; readonly isPlaceFound: boolean }) {
    this.#tools = tools;
    this.directory = place.directory;
    this.#isPlaceFound = place.isPlaceFound;
  }

  /** Whether there is a loop directory. Throws UNSAFE_PATH. */
  exists(): boolean {
    if (!hasDirectory(this.#tools.fileSystem, this.directory)) return false;
    this.#assertPlace();
    return true;
  }

  /** What the files say, without a lock. */
  read(): LoopSnapshot {
    return this.exists() ? readLoop(this.#tools.fileSystem, this.directory) : NOTHING;
  }

  /** Refuses to change what only a newer Holdfast may change, or what is unsafe to open. Throws NEWER_VERSION, UNSAFE_PATH. */
  assertOurs(snapshot: LoopSnapshot): void {
    if (snapshot.version > DOCUMENT_VERSION) throw new NewerVersionError(this.directory, snapshot.version);
    const unsafe = snapshot.faults.find((fault) => fault.kind === 'unsafe');
    if (unsafe !== undefined) throw new UnsafePathError(join(this.directory, unsafe.file), unsafe.reason);
  }

  /** Takes the lock and completes what a crash cut short. Throws LOCKED with the owner. */
  async hold(): Promise<Lock> {
    const lock = await this.#acquire();
    try {
      this.#recover(lock);
      return lock;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Commits the documents of a new session and holds it. An existing one is archived first, whatever its state. Throws
   * LOCKED, NEWER_VERSION, UNSAFE_PATH.
   */
  async create(
    make: () => LoopDocuments,
    refuse: (found: LoopSnapshot['found']) => void = () => {},
  ): Promise<{ lock: Lock; documents: LoopDocuments }> {
    const { fileSystem, log } = this.#tools;
    this.#assertPlace();
    ensureDirectory(fileSystem, this.directory);
    const lock = await this.#acquire();
    try {
      using requests = await acquireLock(this.#tools, requestLock(this.directory));
      this.#recover(lock);
      keepOutOfGit(this.#tools, this.directory);
      const before = this.read();
      this.assertOurs(before);
      refuse(before.found);
      if (before.isFound)
        log.info('loop.archived', {
          path: archiveSession(this.#tools, this.directory, before.found?.sessionId),
        });
      const documents = make();
      const replaced = { ...writeDocuments(documents, 0), [STATUS_LOG]: '' };
      requests.assertHeld();
      commitGroup(this.#tools, groupOf(this.directory), { replaced }, lock);
      removeArchived(fileSystem, this.directory);
      return { lock, documents };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Commits the files of a session created elsewhere; false if the same bytes are already here. A different session, or
   * another state of the same one, is archived first. Throws LOCKED, NEWER_VERSION, UNSAFE_PATH.
   */
  async adopt(replaced: Readonly<Record<string, string>>): Promise<boolean> {
    const { fileSystem, log } = this.#tools;
    this.#assertPlace();
    ensureDirectory(fileSystem, this.directory);
    using lock = await this.#acquire();
    using requests = await acquireLock(this.#tools, requestLock(this.directory));
    this.#recover(lock);
    keepOutOfGit(this.#tools, this.directory);
    const before = this.read();
    this.assertOurs(before);
    const isSame = ([name, text]: [string, string]) =>
      readFile(fileSystem, join(this.directory, name)) === text;
    if (before.isFound && Object.entries(replaced).every(isSame)) return false;
    if (before.isFound)
      log.info('loop.archived', {
        path: archiveSession(this.#tools, this.directory, before.found?.sessionId),
      });
    requests.assertHeld();
    commitGroup(this.#tools, groupOf(this.directory), { replaced }, lock);
    removeArchived(fileSystem, this.directory);
    return true;
  }

  /** Moves the existing session, readable or not, to the trash; false if there is none. Throws as `create`. */
  async remove(): Promise<boolean> {
    using lock = await this.#acquire();
    using requests = await acquireLock(this.#tools, requestLock(this.directory));
    this.#recover(lock);
    const snapshot = this.read();
    if (!snapshot.isFound) return false;
    this.assertOurs(snapshot);
    const id = snapshot.documents.state?.sessionId;
    lock.assertHeld();
    requests.assertHeld();
    trashSession(this.#tools, this.directory, id !== undefined && isUuidV4(id) ? id : UNREADABLE_LOOP);
    return true;
  }

  /** The names of the sessions that newer ones replaced; with `since`, only those changed after it. Throws UNSAFE_PATH. */
  archived(since?: Date): string[] {
    const { fileSystem } = this.#tools;
    const names = archivedNames(fileSystem, this.directory);
    if (since === undefined) return names;
    // Its files are hard links to the originals, so their times are those of the session.
    const changedMs = (name: string) =>
      lookAt(fileSystem, join(this.directory, 'archive', name, DOCUMENTS.state.file))?.modifiedMs ?? 0;
    return names.filter((name) => changedMs(name) >= since.getTime());
  }

  /** Moves an archived session to the trash. Throws LOOP_NOT_FOUND, STORAGE_FAILED. */
  removeArchived(name: string): void {
    trashArchived(this.#tools, this.directory, name);
  }

  /** What is in the trash, oldest first. */
  trashed(): TrashedLoop[] {
    return this.exists() ? trashedIn(trashIn(this.#tools, this.directory).entries()) : [];
  }

  /** Puts a session back where it was; false if another one is there. Throws LOCKED, STORAGE_FAILED, UNSAFE_PATH. */
  async restore(trashed: TrashedLoop): Promise<boolean> {
    if (isFromArchive(trashed.entry)) return restoreArchived(this.#tools, this.directory, trashed);
    using _lock = await this.hold();
    return !this.read().isFound && restoreSession(this.#tools, this.directory, trashed.entry);
  }

  /** Removes for good what has been in the trash longer than this, and returns the ids. Throws STORAGE_FAILED. */
  purgeTrash(olderThanMs: number): string[] {
    if (!this.exists()) return [];
    return trashedIn(trashIn(this.#tools, this.directory).purge(olderThanMs)).map(({ id }) => id);
  }

  /** Who runs the loop. */
  ownerOf(): LockState {
    if (!this.exists()) return { hold: 'free', epoch: 0, reason: 'there is no loop' };
    return inspectLock(this.#tools, this.lockPath());
  }

  /** The path of the loop's lock, for inspecting it or taking it over. */
  lockPath(): string {
    return join(this.directory, LOCK);
  }

  /** Calls back whenever the loop may have changed, its requests included. */
  watch(onHint: () => void): DirectoryWatch {
    return this.#tools.watcher.watch(this.directory, () => onHint());
  }

  #assertPlace(): void {
    if (this.#isPlaceFound) assertLoopPlace(this.#tools.fileSystem, this.directory);
  }

  #acquire(): Promise<Lock> {
    return acquireLock(this.#tools, this.lockPath(), { waitMs: 0 });
  }

  /** Completes what a crash cut short and sweeps up what it left. A redo record that does not verify is set aside. */
  #recover(lock: Lock): void {
    const { fileSystem, log } = this.#tools;
    const group = groupOf(this.directory);
    for (const name of listDirectory(fileSystem, this.directory)) {
      if ([...group.files, group.record, '.gitignore'].some((file) => isTemporaryName(name, file)))
        removeQuietly(fileSystem, join(this.directory, name));
    }
    try {
      if (rollForward(this.#tools, group, lock))
        log.info('loop.rolled-forward', { directory: this.directory });
    } catch (error) {
      if (!(error instanceof DocumentDamagedError)) throw error;
      const keptAt = setAside(this.#tools, join(this.directory, group.record));
      log.warn('loop.damaged-file-set-aside', { file: group.record, keptAt });
    }
  }
}

/** What is read when there is no loop. */
export const NOTHING: LoopSnapshot = {
  isFound: false,
  found: undefined,
  documents: {},
  faults: [],
  missing: [],
  version: DOCUMENT_VERSION,
  commit: null,
};
