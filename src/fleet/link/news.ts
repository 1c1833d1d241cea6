import type { Clock } from '../../foundation/index.js';

/** What happened while the link was busy or asleep. */
export class News {
  readonly #questions = new Set<string | null>();
  #isAsked = true;
  #hasRuns = false;
  #wake = () => {};

  /** Whether nothing has to be done now; runs wait for their turn. */
  get isEmpty(): boolean {
    return !this.#isAsked && this.#questions.size === 0;
  }

  get hasRuns(): boolean {
    return this.#hasRuns;
  }

  wake(): void {
    this.#wake();
  }

  /** Resolves when something happens. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  noteAsked(): void {
    this.#isAsked = true;
    this.#wake();
  }

  /** Null means any of them. */
  noteQuestion(id: string | null): void {
    this.#questions.add(id);
    this.#wake();
  }

  /** Once is enough: a working run reports very often. */
  noteRuns(): void {
    if (!this.#hasRuns) this.#wake();
    this.#hasRuns = true;
  }

  takeAsked(): boolean {
    const isAsked = this.#isAsked;
    this.#isAsked = false;
    return isAsked;
  }

  takeQuestions(): ReadonlySet<string | null> {
    const taken = new Set(this.#questions);
    this.#questions.clear();
    return taken;
  }

  takeRuns(): boolean {
    const hasRuns = this.#hasRuns;
    this.#hasRuns = false;
    return hasRuns;
  }
}

/** Something that is due at intervals. */
export class Periodic {
  readonly #clock: Clock;
  readonly #ms: number;
  #at: number;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.#at = clock.monotonicMs();
  }

  get leftMs(): number {
    return Math.max(0, this.#at + this.#ms - this.#clock.monotonicMs());
  }

  /** Takes the turn if it is due. */
  isDue(): boolean {
    if (this.leftMs > 0) return false;
    this.#at = this.#clock.monotonicMs();
    return true;
  }
}
