import { isHoldfastError } from '../../foundation/index.js';
import { isPermission, type QuestionView } from '../../sessions/question/index.js';
import type { RemoteQuestions } from './remote-questions.js';

export interface KnownQuestionsOptions {
  readonly remote: Pick<RemoteQuestions, 'list' | 'get' | 'watch' | 'trouble'>;
  /** Whether a set belongs to this machine: then nobody else's word about it counts. */
  readonly isLocal: (id: string) => boolean;
}

/** How many ended sets are remembered with their outcome. */
const MAX_ENDED = 500;

/**
 * The question sets of the other machines, as they were last read. The hub may be slow or unreachable: it is asked in
 * the background, so nothing on this machine ever waits for it.
 */
export class KnownQuestions {
  readonly #options: KnownQuestionsOptions;
  #pending: readonly QuestionView[] = [];
  /** Null: no machine has it any more. */
  readonly #ended = new Map<string, QuestionView | null>();
  readonly #wanted = new Set<string>();
  #isRead = false;
  #isStale = false;
  #reading: Promise<void> | undefined;

  constructor(options: KnownQuestionsOptions) {
    this.#options = options;
  }

  /** Whether they have been read at least once. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** What has no outcome yet, including what has a decision on its way. */
  get pending(): readonly QuestionView[] {
    return this.#pending;
  }

  /** Why the hub cannot be asked, and when it last answered; undefined if it can. */
  get trouble(): RemoteQuestions['trouble'] {
    return this.#options.remote.trouble;
  }

  /** How a set stands that was waiting once; null if it is gone. Undefined if unknown: it is then looked up. */
  standing(id: string): QuestionView | null | undefined {
    const known = this.#pending.find((view) => view.id === id) ?? this.#ended.get(id);
    if (known === undefined) this.#wanted.add(id);
    return known;
  }

  /** Reads them again. If the hub is unreachable, that becomes `trouble`, and what is known stays. */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /**
   * Reads them whenever something may have changed anywhere, and calls back if it did; `onFailed` hears of failures
   * that are not the hub's.
   */
  watch(onChange: () => void, onFailed: (error: unknown) => void): { close(): void } {
    let told = '';
    let isClosed = false;
    const look = () =>
      this.refresh().then(() => {
        const facts = JSON.stringify([this.#pending, [...this.#ended.keys()], this.trouble]);
        if (facts === told || isClosed) return;
        told = facts;
        onChange();
      }, onFailed);
    const watch = this.#options.remote.watch(() => void look());
    void look();
    return {
      close() {
        isClosed = true;
        watch.close();
      },
    };
  }

  async #readAll(): Promise<void> {
    const { remote, isLocal } = this.#options;
    while (this.#isStale) {
      this.#isStale = false;
      const views = (await remote.list()).filter(({ id }) => !isLocal(id));
      this.#isRead ||= remote.trouble === undefined;
      const before = this.#pending;
      this.#pending = views.filter(isOpen);
      const there = new Set(views.map(({ id }) => id));
      for (const { id } of before) if (!there.has(id)) this.#wanted.add(id);
      for (const view of views) this.#note(view.id, isOpen(view) ? undefined : view);
      if (remote.trouble === undefined) await this.#lookUp();
    }
  }

  /** Looks up sets that somebody asked for and that no list contained. */
  async #lookUp(): Promise<void> {
    for (const id of this.#wanted) {
      try {
        const view = await this.#options.remote.get(id);
        if (!isOpen(view)) this.#note(id, view);
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        if (error.code !== 'SESSION_NOT_FOUND') return; // it stays wanted
        this.#note(id, null);
      }
      this.#wanted.delete(id);
    }
  }

  #note(id: string, ended: QuestionView | null | undefined): void {
    this.#ended.delete(id);
    if (ended !== undefined) this.#ended.set(id, ended);
    for (const old of [...this.#ended.keys()].slice(0, -MAX_ENDED)) this.#ended.delete(old);
  }
}

/** As for sets of this machine: a permission whose asker is gone no longer waits for anybody. */
function isOpen(view: QuestionView): boolean {
  return view.outcome.status === 'pending' && !(isPermission(view) && view.isAskerGone === true);
}
