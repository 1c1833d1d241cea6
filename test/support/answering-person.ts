import { setTimeout as pause } from 'node:timers/promises';
import type { QuestionSessions, QuestionView } from '../../src/sessions/question/index.js';
import type { SeededRandom } from './seeded-random.js';

const LOOK_EVERY_MS = 25;

/** A person who answers an agent's questions, each time in different words, at once or after a while. */
export class AnsweringPerson {
  /** The text of every accepted answer. */
  readonly answers: string[] = [];
  readonly #questions: QuestionSessions;
  readonly #random: SeededRandom;

  constructor(questions: QuestionSessions, random: SeededRandom) {
    this.#questions = questions;
    this.#random = random;
  }

  /** Checks the inbox now and then until something has ended. */
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
    // A question from the run itself gets the answer that lets it continue.
    const isRun = asker?.agent === 'holdfast run';
    const text = `words-${this.answers.length}-${id.slice(0, 8)}`;
    const choice = questions[0]?.options[0]?.label ?? '';
    const answer = isRun ? { selectedOption: choice } : { customText: text };
    await this.#questions.answer(id, [{ questionIndex: 0, ...answer }]).catch((error: unknown) => {
      // The run withdrew it, or its holder was killed a moment ago.
      const { code } = error as { code?: string };
      if (!isRun || code !== 'ALREADY_SETTLED') throw error;
    });
    if (!isRun) this.answers.push(text);
  }
}
