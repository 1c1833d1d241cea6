import { join } from 'node:path';
import {
  anything,
  isUuidV4,
  oneOf,
  optional,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
} from '../../foundation/index.js';
import type { NewRequest } from '../../hub/index.js';
import {
  ensureDirectory,
  listDirectory,
  readDocument,
  removeQuietly,
  type StorageTools,
  writeDocument,
} from '../../storage/index.js';

const Uuid = textThat(isUuidV4, 'not a UUID v4');

const SentFile = record({
  version: whole(),
  id: Uuid,
  home: Uuid,
  machine: text,
  sessionKind: oneOf(['question', 'run'] as const),
  session: text,
  kind: text,
  body: anything,
  at: time,
  refusal: optional(text),
});

/** A request that this machine sent and whose outcome nobody has been told yet. */
export type SentRequest = NewRequest & Pick<ValueOf<typeof SentFile>, 'machine' | 'at'> & Refused;

interface Refused {
  /** Why the hub refused it when it was sent again, to be reported to its sender. */
  readonly refusal?: string | undefined;
}

/**
 * Copies of what was sent, kept until the outcome was reported. If the database forgets a request (a failover, an old
 * backup), it is sent again; the request's own id makes that harmless.
 */
export class SentRequests {
  readonly #tools: StorageTools;
  readonly #directory: string;

  constructor(tools: StorageTools, directory: string) {
    this.#tools = tools;
    this.#directory = join(directory, 'sent');
  }

  /** Durable before anything leaves this machine. Throws ATOMIC_WRITE_FAILED. */
  keep(request: SentRequest): void {
    ensureDirectory(this.#tools.fileSystem, this.#directory);
    const { id, home, machine, sessionKind, session, kind, body, at, refusal } = request;
    writeDocument(
      this.#tools,
      this.#pathOf(id),
      { version: 1, id, home, machine, sessionKind, session, kind, body, at, refusal },
      SentFile,
    );
  }

  has(id: string): boolean {
    return this.#tools.fileSystem.look(this.#pathOf(id)) !== undefined;
  }

  forget(id: string): void {
    removeQuietly(this.#tools.fileSystem, this.#pathOf(id));
  }

  /** Oldest first. Throws DOCUMENT_DAMAGED, STORAGE_FAILED. */
  list(): SentRequest[] {
    const { fileSystem } = this.#tools;
    return listDirectory(fileSystem, this.#directory)
      .filter((name) => isUuidV4(name.replace(/\.json$/, '')))
      .flatMap((name) => {
        const found = readDocument(fileSystem, join(this.#directory, name), SentFile);
        return found === undefined ? [] : [found];
      })
      .sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  #pathOf(id: string): string {
    return join(this.#directory, `${id}.json`);
  }
}
