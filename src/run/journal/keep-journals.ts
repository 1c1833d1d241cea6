import type { Clock } from '../../foundation/index.js';
import { lookAt, removeTree, type StorageTools, Trash, type TrashEntry } from '../../storage/index.js';
import { journalPlace } from './journal-place.js';

/** Where the journals of all sessions are, and where those of removed sessions go. */
export interface JournalPlaces {
  readonly runs: string;
  readonly trash: string;
}

/** Moves the journal of a session along with the session. A session without one is fine. Throws STORAGE_FAILED. */
export class KeptJournals {
  readonly #tools: StorageTools & { readonly clock: Clock };
  readonly #runs: string;
  readonly #trash: Trash;

  constructor(tools: StorageTools & { readonly clock: Clock }, { runs, trash }: JournalPlaces) {
    this.#tools = tools;
    this.#runs = runs;
    this.#trash = new Trash(tools, trash);
  }

  /** The session went to the trash. */
  remove(sessionId: string): void {
    const { directory } = journalPlace(this.#runs, sessionId);
    if (lookAt(this.#tools.fileSystem, directory) !== undefined) this.#trash.take(sessionId, directory);
  }

  /** The session is back. */
  restore(sessionId: string): boolean {
    const latest = this.#entriesOf([sessionId]).at(-1);
    return latest !== undefined && this.#trash.restore(latest, journalPlace(this.#runs, sessionId).directory);
  }

  /** The journals of a session in the trash, oldest first. */
  trashed(sessionId: string): TrashEntry[] {
    return this.#entriesOf([sessionId]);
  }

  /** Removes for good what has been in the trash longer than this; false if there was nothing. */
  purgeOlder(sessionId: string, olderThanMs: number): boolean {
    const limit = this.#tools.clock.now().getTime() - olderThanMs;
    const old = this.trashed(sessionId).filter(({ trashedAt }) => trashedAt.getTime() < limit);
    for (const { path } of old) removeTree(this.#tools.fileSystem, path);
    return old.length > 0;
  }

  /** The sessions are gone for good. */
  purge(sessionIds: readonly string[]): void {
    for (const { path } of this.#entriesOf(sessionIds)) removeTree(this.#tools.fileSystem, path);
  }

  #entriesOf(sessionIds: readonly string[]): TrashEntry[] {
    return this.#trash.entries().filter(({ id }) => sessionIds.includes(id));
  }
}
