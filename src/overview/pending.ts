import { isHoldfastError } from '../foundation/index.js';
import { isPermission, type QuestionSessions, type QuestionView } from '../sessions/question/index.js';

export interface PendingParts {
  readonly clock: { now(): Date };
  readonly questions: QuestionSessions;
}

/** The question sets that are waiting for a person; only those that changed are read again. */
export class PendingQuestions {
  readonly #parts: PendingParts;
  /** Every set read so far, by its id; undefined for one that is no longer waiting. */
  #known: Map<string, QuestionView | undefined> | undefined;
  readonly #stale = new Set<string>();
  #isListStale = false;

  constructor(parts: PendingParts) {
    this.#parts = parts;
  }

  /** Oldest first. Throws STORAGE_FAILED. */
  async read(): Promise<QuestionView[]> {
    const known = this.#known ?? (await this.#readAll());
    if (this.#isListStale) this.#compareIds(known);
    for (const id of [...this.#stale]) {
      this.#stale.delete(id);
      await this.#readOne(known, id);
    }
    const nowMs = this.#parts.clock.now().getTime();
    // A set that expires leaves no trace on disk.
    const isInTime = ({ expiresAt }: QuestionView) => expiresAt === null || Date.parse(expiresAt) > nowMs;
    return [...known.values()]
      .filter((view) => view !== undefined)
      .filter(isInTime)
      .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1));
  }

  watch(onHint: () => void): { close(): void } {
    // What was decided stays decided: watching thousands of those would waste memory and time.
    const isWanted = (id: string) => this.#known?.has(id) !== true || this.#known.get(id) !== undefined;
    return this.#parts.questions.watch((id) => {
      if (id === null) this.#isListStale = true;
      else this.#stale.add(id);
      onHint();
    }, isWanted);
  }

  /** An asker may be gone. */
  lookAtAskers(): void {
    for (const view of this.#known?.values() ?? []) if (view?.isAskerGone === false) this.#stale.add(view.id);
  }

  async #readAll(): Promise<Map<string, QuestionView | undefined>> {
    const views = await this.#parts.questions.listLive();
    this.#known = new Map(views.map((view) => [view.id, pendingOnly(view)]));
    return this.#known;
  }

  #compareIds(known: Map<string, QuestionView | undefined>): void {
    this.#isListStale = false;
    const ids = new Set(this.#parts.questions.ids());
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    for (const id of ids) if (!known.has(id)) this.#stale.add(id);
  }

  async #readOne(known: Map<string, QuestionView | undefined>, id: string): Promise<void> {
    try {
      known.set(id, pendingOnly(await this.#parts.questions.get(id)));
    } catch (error) {
      // It is gone or unreadable: nobody could answer it.
      if (!isHoldfastError(error)) throw error;
      known.delete(id);
    }
  }
}

/** A permission whose asker is gone no longer waits for anybody. */
function pendingOnly(view: QuestionView): QuestionView | undefined {
  if (view.outcome.status !== 'pending') return undefined;
  return isPermission(view) && view.isAskerGone === true ? undefined : view;
}
