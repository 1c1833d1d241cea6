import { join } from 'node:path';
import { type Ids, isUuidV4, messageOf } from '../../foundation/index.js';
import {
  type AcquireOptions,
  acquireLock,
  attempt,
  createFile,
  type DirectoryWatch,
  DOCUMENT_VERSION,
  DocumentDamagedError,
  ensureDirectory,
  formatDocument,
  hasDirectory,
  isTemporaryName,
  type Lock,
  type LockTools,
  listDirectory,
  NewerVersionError,
  type OnHint,
  readDocument,
  readPatiently,
  removeQuietly,
  removeTree,
  StorageError,
  setAside,
  syncDirectory,
  Trash,
  UnsafePathError,
  writeDocument,
} from '../../storage/index.js';
import { InvalidSessionIdError, SessionNotFoundError } from './errors.js';
import { HeldQuestion } from './held-question.js';
import { documentsOf, FILE_NAMES, readSet } from './read-set.js';
import { DraftFile, RequestFile, StatusFile } from './schema.js';
import { healedStatus, type QuestionSnapshot, statusFor } from './state.js';

/** Where question sets are kept. The file implementation is the default; another engine can bring its own. */
export interface QuestionStore {
  /**
   * Makes a set visible, whole or not at all. False if its id is taken. Nobody else can create a set while `assertRoom`
   * checks whether there is room; what it throws is passed on.
   */
  create(request: RequestFile, status: StatusFile, assertRoom: () => void): Promise<boolean>;
  /** All ids, in no order. */
  ids(): string[];
  has(id: string): boolean;
  /** Reads a set without a lock. Throws SESSION_NOT_FOUND. */
  read(id: string): Promise<QuestionSnapshot>;
  /** The same in a single read, for lists: a file that does not parse is a fault, not something to wait for. */
  readOnce(id: string): QuestionSnapshot;
  /** Takes the set's lock and reads the files under it; holds until disposed of. Throws SESSION_NOT_FOUND, LOCKED. */
  hold(id: string, options?: AcquireOptions): Promise<HeldQuestion>;
  /** Makes sure that what was just read will survive power loss. */
  confirm(id: string): void;
  watch(id: string, onHint: OnHint): DirectoryWatch;
  /** Gives a hint whenever sets may have come or gone. */
  watchAll(onHint: OnHint): DirectoryWatch;
  /** Permanently removes what has been in the trash longer than this; returns the ids of what is gone. */
  purgeTrash(olderThanMs: number): string[];
  /** The half-given answer of a set; undefined if there is none, or none that can be read. */
  readDraft(id: string): DraftFile | undefined;
  writeDraft(draft: DraftFile): void;
  removeDraft(id: string): void;
}

/** Question sets as directories of JSON files, in the published format. */
export class FileQuestionStore implements QuestionStore {
  readonly directory: string;
  readonly trash: Trash;
  readonly #tools: LockTools & { ids: Ids };
  /**
   * Where permissions that agents' hooks ask for are kept: separately, because AUQ shows and answers everything in the
   * other directory.
   */
  readonly #apart: { readonly directory: string; readonly trash: Trash } | undefined;

  constructor(
    tools: LockTools & { ids: Ids },
    paths: {
      directory: string;
      trash: string;
      apart?: { readonly directory: string; readonly trash: string } | undefined;
    },
  ) {
    this.#tools = tools;
    this.directory = paths.directory;
    this.trash = new Trash(tools, paths.trash);
    this.#apart = paths.apart && {
      directory: paths.apart.directory,
      trash: new Trash(tools, paths.apart.trash),
    };
  }

  /** Every directory that holds sets, with its own trash. */
  get places(): readonly { readonly directory: string; readonly trash: Trash }[] {
    return this.#apart === undefined ? [this] : [this, this.#apart];
  }

  async create(request: RequestFile, status: StatusFile, assertRoom: () => void): Promise<boolean> {
    const { fileSystem } = this.#tools;
    const apart = request.asker?.hook === undefined ? undefined : this.#apart;
    const root = apart?.directory ?? this.directory;
    const own = join(root, '.holdfast');
    ensureDirectory(fileSystem, root);
    ensureDirectory(fileSystem, own);
    using _lock = await acquireLock(this.#tools, join(own, 'create'));
    this.#sweepStaging(own);
    const target = `${root}/${uuidOf(request.sessionId)}`;
    if (hasDirectory(fileSystem, target)) return false;
    if (apart === undefined) assertRoom();
    const staged = join(own, `${request.sessionId}.staged`);
    try {
      ensureDirectory(fileSystem, staged);
      const path = join(staged, 'request.json');
      createFile(this.#tools, path, formatDocument(path, request, RequestFile));
      const statusPath = join(staged, 'status.json');
      createFile(this.#tools, statusPath, formatDocument(statusPath, status, StatusFile));
      attempt(target, 'create', () => {
        fileSystem.rename(staged, target);
        syncDirectory(fileSystem, root);
      });
      return true;
    } catch (error) {
      this.#discard(staged);
      throw error;
    }
  }

  ids(): string[] {
    const { fileSystem } = this.#tools;
    return this.places.flatMap(({ directory }) => [...listDirectory(fileSystem, directory)]).filter(isUuidV4);
  }

  has(id: string): boolean {
    return this.#found(id) !== undefined;
  }

  read(id: string): Promise<QuestionSnapshot> {
    return readPatiently(
      this.#tools.clock,
      () => this.readOnce(id),
      ({ faults }) => faults.every(({ kind }) => kind !== 'damaged'),
    );
  }

  readOnce(id: string): QuestionSnapshot {
    return readSet(this.#tools.fileSystem, this.#existing(id), id);
  }

  async hold(id: string, options?: AcquireOptions): Promise<HeldQuestion> {
    const directory = this.#existing(id);
    const lock = await this.#acquire(id, join(directory, 'session'), options);
    return this.#begin(id, directory, lock);
  }

  confirm(id: string): void {
    const path = this.#path(id);
    attempt(path, 'sync', () => syncDirectory(this.#tools.fileSystem, path));
  }

  watch(id: string, onHint: OnHint): DirectoryWatch {
    return this.#tools.watcher.watch(this.#existing(id), onHint);
  }

  purgeTrash(olderThanMs: number): string[] {
    return this.places.flatMap(({ trash }) => trash.purge(olderThanMs)).map((entry) => entry.id);
  }

  watchAll(onHint: OnHint): DirectoryWatch {
    const { fileSystem, watcher } = this.#tools;
    const roots = this.places.map(({ directory }) => directory);
    for (const root of roots) ensureDirectory(fileSystem, root);
    const watch = watcher.watch(this.directory, onHint);
    const others = roots.slice(1).map((root) => watcher.watch(root, onHint));
    return {
      get mode() {
        return watch.mode;
      },
      close() {
        for (const one of [watch, ...others]) one.close();
      },
    };
  }

  readDraft(id: string): DraftFile | undefined {
    const directory = this.#existing(id);
    this.#sweepTemporaries(directory, ['draft.json']);
    try {
      return readDocument(this.#tools.fileSystem, join(directory, 'draft.json'), DraftFile);
    } catch (error) {
      if (!(error instanceof DocumentDamagedError)) throw error;
      const keptAt = setAside(this.#tools, join(directory, 'draft.json'));
      this.#tools.log.warn('question.damaged-file-set-aside', { sessionId: id, file: 'draft.json', keptAt });
      return undefined;
    }
  }

  writeDraft(draft: DraftFile): void {
    writeDocument(this.#tools, join(this.#existing(draft.sessionId), 'draft.json'), draft, DraftFile);
  }

  removeDraft(id: string): void {
    removeQuietly(this.#tools.fileSystem, join(this.#existing(id), 'draft.json'));
  }

  /** The path of a set's lock, for those who want to inspect it or take it away. */
  lockPath(id: string): string {
    return join(this.#existing(id), 'session');
  }

  #begin(id: string, directory: string, lock: Lock): HeldQuestion {
    try {
      this.#sweepTemporaries(directory);
      const trash =
        this.#apart && directory.startsWith(this.#apart.directory) ? this.#apart.trash : this.trash;
      return new HeldQuestion(this.#tools, trash, lock, directory, this.#readForChange(id, directory));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Sets damaged answers and statuses aside first, so that a change starts from files that verify. Changes nothing if a
   * file is not ours to open or was written by a newer Holdfast.
   */
  #readForChange(id: string, directory: string): QuestionSnapshot {
    const snapshot = this.readOnce(id);
    for (const { file, kind, reason } of snapshot.faults) {
      if (kind === 'unsafe') throw new UnsafePathError(join(directory, file), reason);
    }
    for (const [file, document] of Object.entries(documentsOf(snapshot))) {
      const version = document?.version ?? DOCUMENT_VERSION;
      if (version > DOCUMENT_VERSION) throw new NewerVersionError(join(directory, file), version);
    }
    for (const fault of snapshot.faults) {
      if (fault.kind !== 'damaged' || fault.file === 'request.json') continue;
      const keptAt = setAside(this.#tools, join(directory, fault.file));
      this.#tools.log.warn('question.damaged-file-set-aside', { sessionId: id, file: fault.file, keptAt });
    }
    return this.#restoreStatus(snapshot, directory);
  }

  /**
   * A set whose status was just set aside gets a new one, and one whose answer was set aside becomes pending for AUQ as
   * well, whatever comes of the change.
   */
  #restoreStatus(snapshot: QuestionSnapshot, directory: string): QuestionSnapshot {
    const lost = snapshot.faults.filter(({ kind }) => kind === 'damaged').map(({ file }) => file);
    if (!lost.includes('status.json') && !lost.includes('answers.json')) return snapshot;
    const made = statusFor(snapshot, this.#tools.clock.now());
    const status = healedStatus({ ...snapshot, status: made }) ?? made;
    if (status === snapshot.status) return snapshot;
    writeDocument(this.#tools, join(directory, 'status.json'), status, StatusFile);
    return { ...snapshot, status };
  }

  async #acquire(id: string, path: string, options?: AcquireOptions): Promise<Lock> {
    try {
      return await acquireLock(this.#tools, path, options);
    } catch (error) {
      // The directory went to the trash while we waited for its lock.
      if (error instanceof StorageError && !this.has(id)) throw new SessionNotFoundError(id);
      throw error;
    }
  }

  #existing(id: string): string {
    const path = this.#found(id);
    if (path === undefined) throw new SessionNotFoundError(id);
    return path;
  }

  /** Where a set is, or would be. */
  #path(id: string): string {
    return this.#found(id) ?? `${this.directory}/${id}`;
  }

  #found(id: string): string | undefined {
    const { fileSystem } = this.#tools;
    const path = `${this.directory}/${uuidOf(id)}`;
    if (hasDirectory(fileSystem, path)) return path;
    const apart = this.#apart && `${this.#apart.directory}/${id}`;
    return apart !== undefined && hasDirectory(fileSystem, apart) ? apart : undefined;
  }

  /** Only one process creates at a time, so anything staged now was left by one that died. */
  #sweepStaging(own: string): void {
    for (const name of listDirectory(this.#tools.fileSystem, own)) {
      if (name.endsWith('.staged')) this.#discard(join(own, name));
    }
  }

  /** Writers of documents hold the lock, so any temporary files of theirs found now were left by one that died. */
  #sweepTemporaries(directory: string, files: readonly string[] = FILE_NAMES): void {
    for (const name of listDirectory(this.#tools.fileSystem, directory)) {
      if (PROBE.test(name) || files.some((file) => isTemporaryName(name, file)))
        removeQuietly(this.#tools.fileSystem, join(directory, name));
    }
  }

  #discard(staged: string): void {
    try {
      removeTree(this.#tools.fileSystem, staged);
    } catch (error) {
      this.#tools.log.warn('question.staging-left', { path: staged, error: messageOf(error) });
    }
  }
}

/** Only a UUID becomes part of a path. Throws INVALID_SESSION_ID. */
function uuidOf(id: string): string {
  if (isUuidV4(id)) return id;
  throw new InvalidSessionIdError(id);
}

/** A file a watcher makes to see whether it gets notified; a leftover one is from a waiter that was killed. */
const PROBE = /^\.holdfast-probe-[0-9a-f]{32}$/;
