import { isPermission } from '../foundation/index.js';
import type { QuestionSessions, QuestionView } from '../sessions/question/index.js';

/** How the questions stand that people are told of. What is decided for good is read once: there may be ten thousand of them. */
export class QuestionStandings {
  readonly #questions: Pick<QuestionSessions, 'list'>;
  readonly #decided = new Map<string, string>();

  constructor(questions: Pick<QuestionSessions, 'list'>) {
    this.#questions = questions;
  }

  /** Those that may still change. */
  async open(): Promise<QuestionView[]> {
    const views = await this.#questions.list({ isLeftOut: (id) => this.#decided.has(id) });
    const isDecided = ({ outcome: { status } }: QuestionView) =>
      status === 'completed' || status === 'rejected';
    for (const view of views) if (isDecided(view)) this.#decided.set(view.id, view.outcome.status);
    return views.filter((view) => !isDecided(view));
  }

  /** The status of each, by id. */
  async statuses(): Promise<ReadonlyMap<string, string>> {
    const open = await this.open();
    return new Map([
      ...this.#decided,
      ...open.map((view) => [view.id, isGone(view) ? 'withdrawn' : view.outcome.status] as const),
    ]);
  }
}

/** Nobody waits for this permission any more: an answer would be refused. */
export function isGone(view: QuestionView): boolean {
  return isPermission(view) && view.isAskerGone === true;
}
