import { isPermission } from '../foundation/index.js';
import { isWaiting, type QuestionSessions, type QuestionView } from '../sessions/question/index.js';

/** The questions of other machines as they were read last, where a person is told of them here, too. */
export interface QuestionsElsewhere {
  /** Whether they were ever read. */
  readonly isRead: boolean;
  readonly pending: readonly QuestionView[];
  /** How one stands; null where it is gone, undefined where that is not known now. */
  standing(id: string): QuestionView | null | undefined;
  /** Calls back when something changed there, until it is closed. */
  watch(onChange: () => void): { close(): Promise<void> };
}

/** The standing of a question of another machine of which nothing is known now: nothing is done about it. */
export const UNKNOWN = 'unknown';

/** How the questions stand that people are told of. What is decided for good is read once: there may be ten thousand of them. */
export class QuestionStandings {
  readonly #questions: Pick<QuestionSessions, 'list'>;
  readonly #elsewhere: QuestionsElsewhere | undefined;
  readonly #decided = new Map<string, string>();

  constructor(questions: Pick<QuestionSessions, 'list'>, elsewhere?: QuestionsElsewhere) {
    this.#questions = questions;
    this.#elsewhere = elsewhere;
  }

  /** What waits for a person on other machines; undefined where nothing is known of them. */
  waitingElsewhere(): readonly QuestionView[] | undefined {
    return this.#elsewhere?.isRead === true ? this.#elsewhere.pending.filter(isWaiting) : undefined;
  }

  /** Those that may still change. */
  async open(): Promise<QuestionView[]> {
    const views = await this.#questions.list({ isLeftOut: (id) => this.#decided.has(id) });
    const isDecided = ({ outcome: { status } }: QuestionView) =>
      status === 'completed' || status === 'rejected';
    for (const view of views) if (isDecided(view)) this.#decided.set(view.id, view.outcome.status);
    return views.filter((view) => !isDecided(view));
  }

  /** The status of each, by id; of those on other machines what waits, and what is asked for. */
  async statuses(elsewhere: readonly string[] = []): Promise<ReadonlyMap<string, string>> {
    const open = await this.open();
    const there = new Set([...(this.#elsewhere?.pending ?? []).map(({ id }) => id), ...elsewhere]);
    return new Map([
      ...[...there].map((id) => [id, this.#statusElsewhere(id)] as const),
      ...this.#decided,
      ...open.map((view) => [view.id, statusOf(view)] as const),
    ]);
  }

  #statusElsewhere(id: string): string {
    const view = this.#elsewhere?.standing(id);
    if (view === null) return 'gone';
    return view === undefined ? UNKNOWN : statusOf(view);
  }
}

function statusOf(view: QuestionView): string {
  return isGone(view) ? 'withdrawn' : view.outcome.status;
}

/** Nobody waits for this permission any more: an answer would be refused. */
export function isGone(view: QuestionView): boolean {
  return isPermission(view) && view.isAskerGone === true;
}
