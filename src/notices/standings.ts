import { isPermission } from '../foundation/index.js';
import { isWaiting, type QuestionSessions, type QuestionView } from '../sessions/question/index.js';

/** The questions of other machines as last read, if a person is told about them here, too. */
export interface QuestionsElsewhere {
  /** Whether they have been read at least once. */
  readonly isRead: boolean;
  readonly pending: readonly QuestionView[];
  /** How a question stands; null if it is gone, undefined if that is unknown at the moment. */
  standing(id: string): QuestionView | null | undefined;
  /** Calls back when something changes there, until it is closed. */
  watch(onChange: () => void): { close(): Promise<void> };
}

/** The standing of a question on another machine about which nothing is known at the moment: nothing is done about it. */
export const UNKNOWN = 'unknown';

/**
 * How the questions stand that notices are about. What is finally decided is read only once: there may be ten thousand of
 * them.
 */
export class QuestionStandings {
  readonly #questions: Pick<QuestionSessions, 'list'>;
  readonly #elsewhere: QuestionsElsewhere | undefined;
  readonly #decided = new Map<string, string>();

  constructor(questions: Pick<QuestionSessions, 'list'>, elsewhere?: QuestionsElsewhere) {
    this.#questions = questions;
    this.#elsewhere = elsewhere;
  }

  /** The questions waiting for a person on other machines; undefined if nothing is known about them. */
  waitingElsewhere(): readonly QuestionView[] | undefined {
    return this.#elsewhere?.isRead === true ? this.#elsewhere.pending.filter(isWaiting) : undefined;
  }

  /** The questions that may still change. */
  async open(): Promise<QuestionView[]> {
    const views = await this.#questions.list({ isLeftOut: (id) => this.#decided.has(id) });
    const isDecided = ({ outcome: { status } }: QuestionView) =>
      status === 'completed' || status === 'rejected';
    for (const view of views) if (isDecided(view)) this.#decided.set(view.id, view.outcome.status);
    return views.filter((view) => !isDecided(view));
  }

  /** The status of each question, by id; for other machines, of those that are waiting and those in `elsewhere`. */
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

/** Whether the agent behind a permission has stopped waiting: an answer would be refused. */
export function isGone(view: QuestionView): boolean {
  return isPermission(view) && view.isAskerGone === true;
}
