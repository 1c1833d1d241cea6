import { join } from 'node:path';
import { HoldfastError } from '../../foundation/index.js';
import { isChangeName, type Project } from '../../plans/index.js';
import {
  acquireLock,
  attempt,
  createFile,
  DOCUMENT_VERSION,
  DocumentDamagedError,
  ensureDirectory,
  formatDocument,
  hasDirectory,
  isTemporaryName,
  keepOutOfGit,
  type Lock,
  type LockTools,
  listDirectory,
  NewerVersionError,
  readDocument,
  removeQuietly,
  setAside,
  syncDirectory,
  Trash,
  type TrashEntry,
  writeDocument,
} from '../../storage/index.js';
import { type ChangeState, SessionFile } from './schema.js';
import { isSessionId } from './session-id.js';

/** A claim as shown in a list: the state of its session, or why that cannot be read. */
export type Claim =
  | { readonly changeName: string; readonly state: ChangeState; readonly fault?: undefined }
  | { readonly changeName: string; readonly state?: undefined; readonly fault: string };

/** An ended session that was moved to the trash. */
export interface TrashedSession {
  readonly sessionId: string;
  readonly entry: TrashEntry;
}

/**
 * The claims of a project, each with the state of its session, in `openspec/.holdfast/changes/<change>/session.json`:
 * that file is authoritative. Ended sessions are kept in `openspec/.holdfast/ended`.
 */
export class ChangeStore {
  readonly #tools: LockTools;

  constructor(tools: LockTools) {
    this.#tools = tools;
  }

  /** Makes the directories of a project. Only the holder of the `holdProject` lock may call this. */
  prepare(project: Project, changeName: string): void {
    const own = ownDirectory(project);
    const { fileSystem } = this.#tools;
    this.#sweep(own, '.gitignore');
    keepOutOfGit(this.#tools, own);
    for (const name of ['changes', 'ended']) ensureDirectory(fileSystem, join(own, name));
    ensureDirectory(fileSystem, join(own, 'changes', changeName));
  }

  /** Makes sure that only one session is started in a project at a time. Throws LOCKED. */
  holdProject(project: Project): Promise<Lock> {
    const own = ownDirectory(project);
    ensureDirectory(this.#tools.fileSystem, own);
    return acquireLock(this.#tools, join(own, 'init'), { waitMs: LOCK_WAIT_MS });
  }

  /** Takes the lock of a change for one command. Throws LOCKED. */
  async hold(project: Project, changeName: string): Promise<HeldChange> {
    const directory = claimDirectory(project, changeName);
    this.#assertOurs(project, directory);
    const lock = await acquireLock(this.#tools, join(directory, 'session'), { waitMs: LOCK_WAIT_MS });
    this.#sweep(directory, 'session.json');
    return new HeldChange(this.#tools, lock, project, changeName);
  }

  /** Where the lock of a change is, for those who want to inspect it or take it away. */
  lockPath(project: Project, changeName: string): string {
    return join(claimDirectory(project, changeName), 'session');
  }

  /** All claims of a project. */
  claims(project: Project): Claim[] {
    if (!this.#assertOurs(project)) return [];
    const names = listDirectory(this.#tools.fileSystem, join(ownDirectory(project), 'changes'));
    return names
      .filter(isChangeName)
      .sort()
      .map((name) => this.#claim(project, name))
      .filter((claim) => claim !== undefined);
  }

  /**
   * Ended sessions, the last one first; those that cannot be read are skipped with a warning. A session that still has
   * its claim died while it was being ended: it is still active.
   */
  ended(project: Project): ChangeState[] {
    const claimed = new Set(this.claims(project).map(({ state }) => state && endedName(state)));
    const directory = join(ownDirectory(project), 'ended');
    const names = listDirectory(this.#tools.fileSystem, directory).filter(
      (name) => ENDED.test(name) && !claimed.has(name),
    );
    return names
      .sort()
      .reverse()
      .map((name) => this.#readEnded(join(directory, name)))
      .filter((state) => state !== undefined);
  }

  /** Reads the state in a claim without a lock; undefined if there is none. Throws DOCUMENT_DAMAGED. */
  readClaim(project: Project, changeName: string): ChangeState | undefined {
    return withWayOut(changeName, () =>
      readDocument(this.#tools.fileSystem, claimPath(project, changeName), SessionFile),
    );
  }

  /** What was moved to the trash of a project, oldest first. */
  trashed(project: Project): TrashedSession[] {
    if (!this.#assertOurs(project)) return [];
    return trashedIn(this.#trash(project).entries());
  }

  /** Puts a session from the trash back; false if one is already in its place. Throws STORAGE_FAILED. */
  restore(project: Project, { entry }: TrashedSession): boolean {
    return this.#trash(project).restore(entry, join(ownDirectory(project), 'ended', entry.id));
  }

  /** Permanently removes what has been in the trash longer than this. Throws STORAGE_FAILED. */
  purgeTrash(project: Project, olderThanMs: number): TrashedSession[] {
    return this.#assertOurs(project) ? trashedIn(this.#trash(project).purge(olderThanMs)) : [];
  }

  #trash(project: Project): Trash {
    return trashOf(this.#tools, project);
  }

  /** A cloned project may contain a link in place of our directory. Throws UNSAFE_PATH. */
  #assertOurs(project: Project, ...more: readonly string[]): boolean {
    const own = ownDirectory(project);
    return [own, join(own, 'changes'), ...more].every((path) => hasDirectory(this.#tools.fileSystem, path));
  }

  #claim(project: Project, changeName: string): Claim | undefined {
    try {
      const path = claimPath(project, changeName);
      const state = readDocument(this.#tools.fileSystem, path, SessionFile);
      return state === undefined ? undefined : { changeName, state };
    } catch (error) {
      if (error instanceof HoldfastError) return { changeName, fault: error.message };
      throw error;
    }
  }

  #readEnded(path: string): ChangeState | undefined {
    try {
      return readDocument(this.#tools.fileSystem, path, SessionFile);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      this.#tools.log.warn('change.ended-unreadable', { path, error: error.message });
      return undefined;
    }
  }

  /** Writers hold the lock, so any temporary file for this name was left by one that died. */
  #sweep(directory: string, target: string): void {
    sweep(this.#tools, directory, target);
  }
}

/** Agents run many commands at once, and each needs the lock for a few milliseconds. */
const LOCK_WAIT_MS = 30_000;
const ENDED = /^\d{8}T\d{9}Z-(.+)\.json$/;

/** A change held for one command. Every write checks the lock first. */
export class HeldChange implements Disposable {
  readonly #tools: LockTools;
  readonly #lock: Lock;
  readonly #project: Project;
  readonly #changeName: string;

  constructor(tools: LockTools, lock: Lock, project: Project, changeName: string) {
    this.#tools = tools;
    this.#lock = lock;
    this.#project = project;
    this.#changeName = changeName;
  }

  /** The state of the session that holds the change; undefined if it is free. Throws DOCUMENT_DAMAGED. */
  read(): ChangeState | undefined {
    const state = withWayOut(this.#changeName, () =>
      readDocument(this.#tools.fileSystem, this.#path, SessionFile),
    );
    if (state !== undefined && state.version > DOCUMENT_VERSION)
      throw new NewerVersionError(this.#path, state.version);
    return state;
  }

  /** Claims a free change. */
  create(state: ChangeState): void {
    this.#lock.assertHeld();
    createFile(this.#tools, this.#path, formatDocument(this.#path, state, SessionFile));
  }

  write(state: ChangeState): void {
    this.#lock.assertHeld();
    writeDocument(this.#tools, this.#path, state, SessionFile);
  }

  /** Keeps the state of a session that is ending, and gives up its claim. */
  end(state: ChangeState): void {
    this.writeEnded(state);
    this.#lock.assertHeld();
    attempt(this.#path, 'remove', () => {
      this.#tools.fileSystem.unlink(this.#path);
      syncDirectory(this.#tools.fileSystem, claimDirectory(this.#project, this.#changeName));
    });
  }

  /** Rewrites the kept state of an ended session. */
  writeEnded(state: ChangeState): void {
    const directory = join(ownDirectory(this.#project), 'ended');
    const name = endedName(state);
    sweep(this.#tools, directory, name);
    this.#lock.assertHeld();
    writeDocument(this.#tools, join(directory, name), state, SessionFile);
  }

  /** Moves a claim that cannot be read out of the way and returns its new name. */
  setAside(): string {
    this.#lock.assertHeld();
    return setAside(this.#tools, this.#path);
  }

  /** Moves the kept state of an ended session to the trash of the project. */
  retire(state: ChangeState): TrashEntry {
    const name = endedName(state);
    this.#lock.assertHeld();
    return trashOf(this.#tools, this.#project).take(name, join(ownDirectory(this.#project), 'ended', name));
  }

  [Symbol.dispose](): void {
    this.#lock.release();
  }

  get #path(): string {
    return claimPath(this.#project, this.#changeName);
  }
}

/** The same session always gets the same name, so ending it twice keeps it only once. */
function endedName({ createdAt, sessionId }: ChangeState): string {
  return `${new Date(createdAt).toISOString().replaceAll(/[-:.]/g, '')}-${sessionId}.json`;
}

/** Skips names that we did not give. */
function trashedIn(entries: readonly TrashEntry[]): TrashedSession[] {
  return entries.flatMap((entry) => {
    const sessionId = ENDED.exec(entry.id)?.[1];
    return sessionId !== undefined && isSessionId(sessionId) ? [{ sessionId, entry }] : [];
  });
}

function ownDirectory(project: Project): string {
  return join(project.directory, '.holdfast');
}

function trashOf(tools: LockTools, project: Project): Trash {
  return new Trash(tools, join(ownDirectory(project), 'trash'));
}

function claimDirectory(project: Project, changeName: string): string {
  return join(ownDirectory(project), 'changes', changeName);
}

function claimPath(project: Project, changeName: string): string {
  return join(claimDirectory(project, changeName), 'session.json');
}

function sweep(tools: LockTools, directory: string, target: string): void {
  for (const name of listDirectory(tools.fileSystem, directory)) {
    if (isTemporaryName(name, target)) removeQuietly(tools.fileSystem, join(directory, name));
  }
}

function withWayOut<Result>(changeName: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw damagedClaim(changeName, error);
  }
}

function damagedClaim(changeName: string, error: unknown): unknown {
  if (!(error instanceof DocumentDamagedError)) return error;
  const hint = `It is unknown which session holds the change. Mend it with: holdfast change recover ${changeName}`;
  return new DocumentDamagedError(error.path, error.reason, { cause: error.cause, hint });
}
