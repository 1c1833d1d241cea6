import { join } from 'node:path';
import { messageOf, SessionNotFoundError } from '../../foundation/index.js';
import {
  acquireLock,
  type DirectoryWatch,
  DOCUMENT_VERSION,
  DocumentDamagedError,
  ensureDirectory,
  hasDirectory,
  inspectLock,
  keepOutOfGit,
  type Lock,
  type LockState,
  type LockTools,
  listDirectory,
  lookAt,
  readDocument,
  removeQuietly,
  Trash,
  type TrashEntry,
  writeDocument,
} from '../../storage/index.js';
import { InvalidProcessIdError, ProcessIdTakenError } from './errors.js';
import { isProcessId, ProcessFile, StopFile, type StopMode } from './schema.js';

const RECORD = 'session.json';
const STOP = 'stop.json';

/** Where process sessions are kept: one directory each, with its record and its owner's lock. */
export class FileProcessStore {
  readonly directory: string;
  readonly trash: Trash;
  readonly #tools: LockTools;
  readonly #inProject: string | undefined;

  /** `inProject` is our directory that contains the store, if that is inside a project. */
  constructor(tools: LockTools, paths: { directory: string; trash: string; inProject?: string }) {
    this.#tools = tools;
    this.#inProject = paths.inProject;
    this.directory = paths.directory;
    this.trash = new Trash(tools, paths.trash);
  }

  /**
   * Records a new session and holds it. A directory without a record does not count as a session. Throws
   * SESSION_ID_TAKEN, LOCKED, STORAGE_FAILED, ATOMIC_WRITE_FAILED.
   */
  async create(record: ProcessFile): Promise<HeldProcess> {
    // Before the lock as well: the id of a session in use is taken, not just locked.
    this.#assertFree(record.id);
    ensureDirectory(this.#tools.fileSystem, this.#path(record.id));
    if (this.#inProject !== undefined) keepOutOfGit(this.#tools, this.#inProject);
    const held = await this.#hold(record.id);
    try {
      this.#assertFree(record.id);
      held.write(record);
      return held;
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
  }

  /** Becomes the owner of a session that has no living owner. Throws SESSION_NOT_FOUND, LOCKED with the owner. */
  async hold(id: string): Promise<HeldProcess> {
    this.#existing(id);
    return this.#hold(id);
  }

  ids(): string[] {
    return listDirectory(this.#tools.fileSystem, this.directory).filter(isProcessId);
  }

  /** The record of a session. Throws SESSION_NOT_FOUND, DOCUMENT_DAMAGED. */
  read(id: string): ProcessFile {
    const path = join(this.#existing(id), RECORD);
    const record = readDocument(this.#tools.fileSystem, path, ProcessFile);
    if (record === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    if (record.id !== id) throw new DocumentDamagedError(path, `it belongs to session ${record.id}`);
    return record;
  }

  /**
   * When a directory without a record was last touched: its process died before it wrote one. Undefined if there is a
   * record, readable or not. Throws SESSION_NOT_FOUND.
   */
  touchedWithoutRecord(id: string): number | undefined {
    const directory = this.#existing(id);
    return this.#hasRecord(id) ? undefined : lookAt(this.#tools.fileSystem, directory)?.modifiedMs;
  }

  /** Who owns a session now. */
  ownerOf(id: string): LockState {
    return inspectLock(this.#tools, this.lockPath(id));
  }

  /** The path of a session's lock, for those who want to inspect it or take it away. */
  lockPath(id: string): string {
    return join(this.#existing(id), 'session');
  }

  /** Asks the owner of a session to stop it. */
  requestStop(id: string, mode: StopMode): void {
    const request = { version: DOCUMENT_VERSION, mode };
    writeDocument(this.#tools, join(this.#existing(id), STOP), request, StopFile);
  }

  /** Moves a session that has no living owner to the trash. Throws SESSION_NOT_FOUND, LOCKED. */
  async remove(id: string): Promise<TrashEntry> {
    const directory = this.#existing(id);
    using _lock = await acquireLock(this.#tools, join(directory, 'session'), { waitMs: 0 });
    return this.trash.take(id, directory);
  }

  /** The same if the record still satisfies `isMeant` once nobody else can write it; otherwise false. Throws as `remove`. */
  async removeIf(id: string, isMeant: (record: ProcessFile) => boolean): Promise<boolean> {
    const directory = this.#existing(id);
    using _lock = await acquireLock(this.#tools, join(directory, 'session'), { waitMs: 0 });
    if (!isMeant(this.read(id))) return false;
    this.trash.take(id, directory);
    return true;
  }

  /**
   * Moves a directory to the trash if it still has no record once nobody else can write one; otherwise returns false.
   * Taking the lock touches the directory, so its age has to be checked before. Throws as `remove`.
   */
  async removeWithoutRecord(id: string): Promise<boolean> {
    const directory = this.#existing(id);
    using _lock = await acquireLock(this.#tools, join(directory, 'session'), { waitMs: 0 });
    if (this.#hasRecord(id)) return false;
    this.trash.take(id, directory);
    return true;
  }

  async #hold(id: string): Promise<HeldProcess> {
    const directory = this.#path(id);
    const lock = await acquireLock(this.#tools, join(directory, 'session'), { waitMs: 0 });
    removeQuietly(this.#tools.fileSystem, join(directory, STOP));
    return new HeldProcess(this.#tools, directory, lock);
  }

  #assertFree(id: string): void {
    if (this.#hasRecord(id)) throw new ProcessIdTakenError(id);
  }

  /** Whether there is a record, even one that cannot be read. */
  #hasRecord(id: string): boolean {
    return lookAt(this.#tools.fileSystem, join(this.#path(id), RECORD)) !== undefined;
  }

  #existing(id: string): string {
    const path = this.#path(id);
    if (!hasDirectory(this.#tools.fileSystem, path)) throw new SessionNotFoundError(id, LISTED_BY);
    return path;
  }

  #path(id: string): string {
    if (!isProcessId(id)) throw new InvalidProcessIdError(id);
    return join(this.directory, id);
  }
}

export const LISTED_BY = 'holdfast processes list --all';

/** What only the owner of a session may do with its files. */
export class HeldProcess implements Disposable {
  readonly #tools: LockTools;
  readonly #directory: string;
  readonly #lock: Lock;

  constructor(tools: LockTools, directory: string, lock: Lock) {
    this.#tools = tools;
    this.#directory = directory;
    this.#lock = lock;
  }

  /** Where the full output of the agent goes, from its n-th prompt until it is started again. */
  outputPathFrom(prompt: number): string {
    return join(this.#directory, `output-${prompt}.log`);
  }

  /** Makes a record durable. Throws LOCK_LOST, ATOMIC_WRITE_FAILED, DOCUMENT_REFUSED. */
  write(record: ProcessFile): void {
    const path = join(this.#directory, RECORD);
    this.#lock.assertHeld();
    writeDocument(this.#tools, path, record, ProcessFile);
  }

  /** Calls back once for each request to stop, soon after it is made. */
  onStop(act: (mode: StopMode) => void): DirectoryWatch {
    const path = join(this.#directory, STOP);
    const look = () => {
      try {
        const request = readDocument(this.#tools.fileSystem, path, StopFile);
        if (request === undefined) return;
        removeQuietly(this.#tools.fileSystem, path);
        act(request.mode);
      } catch (error) {
        // Only the log can report this; the next hint looks again.
        this.#tools.log.warn('process.stop-not-read', { path, error: messageOf(error) });
      }
    };
    const watch = this.#tools.watcher.watch(this.#directory, (name) => {
      if (name === null || name === STOP) look();
    });
    look();
    return watch;
  }

  [Symbol.dispose](): void {
    this.#lock.release();
  }
}
