import { join } from 'node:path';
import { messageOf } from '../../foundation/index.js';
import {
  attempt,
  DocumentDamagedError,
  ensureDirectory,
  formatDocument,
  hasDirectory,
  isTemporaryName,
  type LockTools,
  listDirectory,
  readDocument,
  removeQuietly,
  replaceQuick,
  StorageError,
  UnsafePathError,
} from '../../storage/index.js';
import { type ChangeState, SessionFile } from './schema.js';
import { isSessionId } from './session-id.js';

/**
 * The published copies of session states, `<session id>.json` in the system's temporary directory. Others read them; we
 * only write them, and look there for lost state. If they are unavailable, everything works without them. They are not
 * synced; the claim is.
 */
export class Projections {
  readonly #tools: LockTools;
  /** Each must be ours; the last one contains the files. */
  readonly #directories: readonly string[];

  constructor(tools: LockTools, directories: readonly string[]) {
    this.#tools = tools;
    this.#directories = directories;
  }

  /** Only the owner of the session's lock may call this. */
  write(state: ChangeState): void {
    this.#quietly('change.projection-not-written', state.sessionId, () => {
      for (const directory of this.#directories) ensureDirectory(this.#tools.fileSystem, directory);
      this.#sweep(state.sessionId);
      const path = this.path(state.sessionId);
      replaceQuick(this.#tools, path, formatDocument(path, state, SessionFile));
    });
  }

  /** Removes the copy of an ended session, if the file is its copy. */
  remove(state: ChangeState): void {
    this.#quietly('change.projection-not-removed', state.sessionId, () => {
      const path = this.path(state.sessionId);
      const there = this.read(state.sessionId);
      if (there !== undefined && isSameSession(there, state))
        attempt(path, 'remove', () => this.#tools.fileSystem.unlink(path));
      this.#sweep(state.sessionId);
    });
  }

  /** The state in the copy; undefined if there is none that can be used. */
  read(sessionId: string): ChangeState | undefined {
    try {
      if (!this.#isOurs()) return undefined;
      const state = readDocument(this.#tools.fileSystem, this.path(sessionId), SessionFile);
      return state?.sessionId === sessionId ? state : undefined;
    } catch (error) {
      if (isUnusable(error)) return undefined;
      throw error;
    }
  }

  /** All copies that can be read. */
  all(): ChangeState[] {
    const ids = this.#names()
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length));
    return ids
      .filter(isSessionId)
      .map((id) => this.read(id))
      .filter((state) => state !== undefined);
  }

  path(sessionId: string): string {
    return join(this.#directories.at(-1) ?? '', `${sessionId}.json`);
  }

  #isOurs(): boolean {
    return this.#directories.every((directory) => hasDirectory(this.#tools.fileSystem, directory));
  }

  #names(): string[] {
    try {
      return this.#isOurs() ? listDirectory(this.#tools.fileSystem, this.#directories.at(-1) ?? '') : [];
    } catch (error) {
      if (isUnusable(error)) return [];
      throw error;
    }
  }

  /** Removes what a killed writer of this copy left behind. */
  #sweep(sessionId: string): void {
    for (const name of this.#names()) {
      if (isTemporaryName(name, `${sessionId}.json`))
        removeQuietly(this.#tools.fileSystem, join(this.#directories.at(-1) ?? '', name));
    }
  }

  #quietly(event: string, sessionId: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!isUnusable(error)) throw error;
      this.#tools.log.warn(event, { sessionId, error: messageOf(error) });
    }
  }
}

/** Whether two states belong to the same session: an id may come back later, or in another project. */
export function isSameSession(a: ChangeState, b: ChangeState): boolean {
  return a.sessionId === b.sessionId && a.createdAt === b.createdAt;
}

function isUnusable(error: unknown): boolean {
  return (
    error instanceof StorageError || error instanceof UnsafePathError || error instanceof DocumentDamagedError
  );
}
