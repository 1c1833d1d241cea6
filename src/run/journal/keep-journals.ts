import type { Clock } from '../../foundation/index.js';
import { lookAt, removeTree, type StorageTools, Trash, type TrashEntry } from '../../storage/index.js';
import { journalPlace } from './place.js';

/** Where the journals of all sessions are, and where those of removed ones go. */
export interface JournalPlaces {
  readonly runs: string;
  readonly trash: string;
}

/** Lets the journal of a session go where the session goes. One that has none is no trouble. Throws STORAGE_FAILED. */
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
  restore(sessionId: string): void {
    const latest = this.#entriesOf([sessionId]).at(-1);
    if (latest !== undefined) this.#trash.restore(latest, journalPlace(this.#runs, sessionId).directory);
  }

  /** The sessions are gone for good. */
  purge(sessionIds: readonly string[]): void {
    for (const { path } of this.#entriesOf(sessionIds)) removeTree(this.#tools.fileSystem, path);
  }

  #entriesOf(sessionIds: readonly string[]): TrashEntry[] {
    return this.#trash.entries().filter(({ id }) => sessionIds.includes(id));
  }
}
