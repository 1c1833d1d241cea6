import { setTimeout as pause } from 'node:timers/promises';
import type { QuestionSessions, QuestionView } from '../../src/sessions/question/index.js';
import type { SeededRandom } from './seeded-random.js';

const LOOK_EVERY_MS = 25;

/** Somebody who answers what an agent asks, each time in other words, at once or after a while. */
export class AnsweringPerson {
  /** The words of every answer that was accepted. */
  readonly answers: string[] = [];
  readonly #questions: QuestionSessions;
  readonly #random: SeededRandom;

  constructor(questions: QuestionSessions, random: SeededRandom) {
    this.#questions = questions;
    this.#random = random;
  }

  /** Looks into the inbox now and then until something has ended. */
  async answerUntil(end: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = end.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      if (this.#random.chance(0.3)) await this.answerAll();
      await Promise.race([pause(LOOK_EVERY_MS), over]);
    }
  }

  async answerAll(): Promise<void> {
    for (const view of await this.#questions.list())
      if (view.outcome.status === 'pending') await this.#answer(view);
  }

  async #answer({ id, asker, questions }: QuestionView): Promise<void> {
    // What the run itself asks has an answer that lets it go on.
    const isRun = asker?.agent === 'holdfast run';
    const text = `words-${this.answers.length}-${id.slice(0, 8)}`;
    const choice = questions[0]?.options[0]?.label ?? '';
    const answer = isRun ? { selectedOption: choice } : { customText: text };
    await this.#questions.answer(id, [{ questionIndex: 0, ...answer }]).catch((error: unknown) => {
      // The run withdrew it, or whoever holds it was killed a moment ago.
      const { code } = error as { code?: string };
      if (!isRun || code !== 'ALREADY_SETTLED') throw error;
    });
    if (!isRun) this.answers.push(text);
  }
}
