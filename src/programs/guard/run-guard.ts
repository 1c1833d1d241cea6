import type { EndCause, FromGuard, ToGuard } from './messages.js';
import type { RunTree } from './run-tree.js';

/** How often the clock is checked: an agent outlives its deadline by at most this, plus the time it takes to kill it. */
export const TICK_MS = 50;
/** How often the tree is scanned while it lives, and the largest share of this process's time that may take. */
const LEARN_MS = 500;
const MAX_SHARE = 0.02;

export interface RunGuardOptions {
  readonly tree: Pick<RunTree, 'follow' | 'learn' | 'end'>;
  readonly bootTimeMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly say: (words: FromGuard) => void;
  /** Called when its work is done. */
  readonly leave: () => void;
}

/**
 * Ends a run at its deadline, or when the worker that set the deadline is gone. It trusts only the clock: if the
 * deadline is not moved in time, the run ends, whatever happened to the worker.
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

  /** Call this repeatedly. */
  tick(): void {
    if (this.#isOver) return;
    const now = this.#options.bootTimeMs();
    if (now >= this.#deadlineMs) {
      void this.end('deadline');
      return;
    }
    if (now >= this.#learnAtMs) this.#learn();
  }

  /** Ends every process of the run, reports it, and leaves. */
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
      // What cannot be seen now is looked for again, also at the end.
    }
    const tookMs = performance.now() - startedAt;
    this.#learnAtMs = this.#options.bootTimeMs() + Math.max(LEARN_MS, tookMs / MAX_SHARE);
  }
}
