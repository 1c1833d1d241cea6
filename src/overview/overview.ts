import { startOfDay } from '../foundation/index.js';
import type { ConversationSessions } from '../sessions/conversation/index.js';
import type { QuestionSessions, QuestionView } from '../sessions/question/index.js';
import { AllRuns, type AllRunsParts } from './all-runs.js';
import { ChatRows } from './chats.js';
import { PendingQuestions } from './pending.js';
import type { Elsewhere, OverviewRow, RowSource } from './row.js';
import { withQuestions } from './with-questions.js';

export interface OverviewParts extends AllRunsParts {
  readonly questions: QuestionSessions;
  readonly conversations: Pick<ConversationSessions, 'glance' | 'glanceAt' | 'watch'>;
  /** Whether a chat is open now. */
  readonly isChatOpen: (id: string) => boolean;
  /** Where more rows come from. */
  readonly sources: readonly RowSource[];
  /** The other machines of the fleet, if there is one. */
  readonly elsewhere?: Elsewhere | undefined;
}

/** Changes within this time of the first hint are read together. */
const SETTLE_MS = 50;
/** A process that dies and time that passes leave no trace on disk, so they are checked this often. */
const LOOK_MS = 10_000;

/**
 * Every run, chat and question of all of this user's projects, and what other machines report about theirs. Everything
 * is read once; after that only what a hint names is read again, so the cost does not depend on how much there is.
 */
export class Overview implements Disposable {
  readonly #parts: OverviewParts;
  readonly #runs: AllRuns;
  readonly #chats: ChatRows;
  readonly #pending: PendingQuestions;
  readonly #watches: { close(): void }[] = [];
  #onChange: (() => void) | undefined;
  #settling: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(parts: OverviewParts) {
    this.#parts = parts;
    this.#runs = new AllRuns(parts);
    this.#chats = new ChatRows(parts);
    this.#pending = new PendingQuestions(parts);
  }

  /** All current rows, in no particular order; what ended before today is left out. Throws STORAGE_FAILED. */
  async read(): Promise<OverviewRow[]> {
    const dayStart = startOfDay(this.#parts.clock.now());
    const { sources, elsewhere } = this.#parts;
    const own = [
      ...this.#runs.read(dayStart),
      ...this.#chats.read(dayStart),
      ...sources.flatMap((source) => source.read()),
    ];
    const known = new Set(own.map(({ id }) => id));
    // Another machine that claims one of our runs is not believed.
    const others = elsewhere?.rows().filter(({ id }) => !known.has(id)) ?? [];
    const isShown = ({ group, since }: OverviewRow) =>
      group !== 'ended' || Date.parse(since) >= dayStart.getTime();
    return withQuestions([...own, ...others].filter(isShown), await this.readPending());
  }

  /** The question sets that are waiting, oldest first, as `read` found them or newer. Throws STORAGE_FAILED. */
  async readPending(): Promise<QuestionView[]> {
    const own = await this.#pending.read();
    const others = this.#parts.elsewhere?.pending() ?? [];
    if (others.length === 0) return own;
    const ids = new Set(own.map(({ id }) => id));
    return [...own, ...others.filter(({ id }) => !ids.has(id))].sort(
      (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1),
    );
  }

  /** Calls back whenever `read` may give a different result, until disposed of. */
  watch(onChange: () => void): void {
    this.#onChange = onChange;
    const settle = () => this.#settle();
    this.#watches.push(
      this.#pending.watch(settle),
      this.#runs.watch(settle),
      this.#chats.watch(settle),
      ...this.#parts.sources.map((source) => source.watch(settle)),
    );
    if (this.#parts.elsewhere !== undefined) this.#watches.push(this.#parts.elsewhere.watch(settle));
    this.#looking = setInterval(() => this.#look(), LOOK_MS);
  }

  [Symbol.dispose](): void {
    this.#onChange = undefined;
    clearTimeout(this.#settling);
    clearInterval(this.#looking);
    for (const one of this.#watches) one.close();
  }

  #settle(): void {
    if (this.#onChange === undefined) return;
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      this.#onChange?.();
    }, SETTLE_MS);
  }

  /** Looks for processes that have died; the time that has passed matters to every row. */
  #look(): void {
    try {
      this.#runs.lookAtOwners();
      this.#chats.lookAtOwners();
      this.#pending.lookAtAskers();
    } catch {
      // What cannot be read counts as a change: the next `read` meets the error where it can be reported.
    }
    this.#settle();
  }
}
