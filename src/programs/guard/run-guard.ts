import type { EndCause, FromGuard, ToGuard } from './messages.js';
import type { RunTree } from './run-tree.js';

/** How often the clock is looked at: an agent outlives its deadline by no more than that, and the time to kill it. */
export const TICK_MS = 50;
/** How often the tree is looked at while it lives, and which part of the time of this process that may take. */
const LEARN_MS = 500;
const MAX_SHARE = 0.02;

export interface RunGuardOptions {
  readonly tree: Pick<RunTree, 'follow' | 'learn' | 'end'>;
  readonly bootTimeMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly say: (words: FromGuard) => void;
  /** Its work is done. */
  readonly leave: () => void;
}

/**
 * Ends a run at its deadline, or when whoever told it the deadline is gone. It trusts nobody but the clock: a deadline that
 * is not moved in time is kept, whatever became of the worker.
 */
export class RunGuard {
  readonly #options: RunGuardOptions;
  #deadlineMs: number;
  #isOver = false;
  #learnAtMs = 0;

  constructor(options: RunGuardOptions, firstDeadlineMs: number) {
    this.#options = options;
    this.#deadlineMs = firstDeadlineMs;
  }

  hear(message: ToGuard): void {
    if (this.#isOver) return;
    switch (message.tell) {
      case 'deadline':
        if (Number.isFinite(message.bootMs)) this.#deadlineMs = message.bootMs;
        break;
      case 'run':
        this.#options.tree.follow(message.process);
        break;
      case 'end':
        void this.end('told');
        break;
      case 'leave':
        this.#isOver = true;
        this.#options.leave();
        break;
    }
  }

  /** To be called again and again. */
  tick(): void {
    if (this.#isOver) return;
    const now = this.#options.bootTimeMs();
    if (now >= this.#deadlineMs) {
      void this.end('deadline');
      return;
    }
    if (now >= this.#learnAtMs) this.#learn();
  }

  /** Ends every process of the run, says so, and leaves. */
  async end(cause: EndCause): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const { tree, pause, say, leave } = this.#options;
    const { ended, left } = await tree.end(pause);
    say({ says: 'ended', cause, ended, left });
    leave();
  }

  #learn(): void {
    const startedAt = performance.now();
    try {
      this.#options.tree.learn();
    } catch {
      // What cannot be seen now is looked for again, and at the end.
    }
    const tookMs = performance.now() - startedAt;
    this.#learnAtMs = this.#options.bootTimeMs() + Math.max(LEARN_MS, tookMs / MAX_SHARE);
  }
}
