import { join } from 'node:path';
import type { Ids } from '../../foundation/index.js';
import {
  createFile,
  formatDocument,
  type Lock,
  type LockTools,
  type Trash,
  writeDocument,
} from '../../storage/index.js';
import { AnswersFile, StatusFile } from './schema.js';
import type { QuestionSnapshot } from './state.js';

/** A question set held by its lock. Every write checks the lock first. */
export class HeldQuestion implements Disposable {
  #snapshot: QuestionSnapshot;
  readonly #tools: LockTools & { ids: Ids };
  readonly #trash: Trash;
  readonly #lock: Lock;
  readonly #directory: string;

  constructor(
    tools: LockTools & { ids: Ids },
    trash: Trash,
    lock: Lock,
    directory: string,
    snapshot: QuestionSnapshot,
  ) {
    this.#tools = tools;
    this.#trash = trash;
    this.#lock = lock;
    this.#directory = directory;
    this.#snapshot = snapshot;
  }

  /** The set as read under the lock, plus what has been written since. */
  get snapshot(): QuestionSnapshot {
    return this.#snapshot;
  }

  writeStatus(status: StatusFile): void {
    this.#lock.assertHeld();
    writeDocument(this.#tools, join(this.#directory, 'status.json'), status, StatusFile);
    this.#snapshot = { ...this.#snapshot, status };
  }

  /** False if someone else's answer is already there. */
  createAnswers(answers: AnswersFile): boolean {
    this.#lock.assertHeld();
    const path = join(this.#directory, 'answers.json');
    const isOurs = createFile(this.#tools, path, formatDocument(path, answers, AnswersFile));
    if (isOurs) this.#snapshot = { ...this.#snapshot, answers };
    return isOurs;
  }

  /** Moves the set to the trash. */
  retire(): void {
    this.#lock.assertHeld();
    this.#trash.take(this.snapshot.id, this.#directory);
  }

  [Symbol.dispose](): void {
    this.#lock.release();
  }
}
