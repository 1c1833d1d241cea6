import { sleepOrHint } from '../foundation/index.js';
import type { CutReason, RunParts } from './run-parts.js';

/**
 * What a run must react to at once, whatever it is doing: a signal, a request from another terminal, a lock that was taken
 * away, a journal that can no longer be written.
 */
export class Attention implements Disposable {
  readonly #parts: RunParts;
  readonly #signal: AbortSignal;
  readonly #loss: AbortSignal;
  readonly #watch: { close(): void };
  readonly #listeners = new Set<() => void>();
  readonly #over = new AbortController();

  constructor(parts: RunParts, signal: AbortSignal) {
    const { loop, loops, journal, checkpoint } = parts;
    this.#parts = parts;
    this.#signal = signal;
    this.#loss = loop.lossSignal();
    const look = () => this.#tell();
    this.#watch = loops.watch(look);
    for (const said of [signal, this.#loss, journal.failure, checkpoint?.lost, checkpoint?.wanted])
      said?.addEventListener('abort', look, { signal: this.#over.signal });
  }

  /** Throws LOCK_LOST when somebody took the session away, or the reason why the journal cannot be written. */
  assertHeld(): void {
    this.#loss.throwIfAborted();
    this.#parts.journal.failure.throwIfAborted();
  }

  /** Why the current work must stop; undefined when it need not. */
  get reason(): CutReason | undefined {
    if (this.#loss.aborted) return 'lost';
    if (this.#parts.journal.failure.aborted) return 'journal';
    if (this.#parts.checkpoint?.lost.aborted) return 'fenced';
    if (this.#signal.aborted) return 'signal';
    return this.#isAskedUrgently() ? 'request' : undefined;
  }

  /** The name of the system signal that arrived, or undefined if none did. */
  get systemSignal(): string | undefined {
    const { aborted, reason } = this.#signal;
    return aborted && typeof reason === 'string' ? reason : undefined;
  }

  /** Whether another machine should take over the run. */
  get isWanted(): boolean {
    return this.#parts.checkpoint?.wanted.aborted === true;
  }

  /** A controller that is aborted, with the reason, as soon as there is one. Before a move an iteration may finish. */
  cut({ isIteration = false } = {}): AbortController & Disposable {
    const controller = new AbortController();
    const look = () => {
      const reason = this.reason ?? (this.isWanted && !isIteration ? 'hand-over' : undefined);
      if (reason !== undefined && !controller.signal.aborted) controller.abort(reason);
    };
    this.#listeners.add(look);
    look();
    return Object.assign(controller, { [Symbol.dispose]: () => void this.#listeners.delete(look) });
  }

  /** Waits until a time (or for ever), a hint, or something that must be reacted to. */
  async wait(untilMs: number, hint: Promise<void> = new Promise(() => {})): Promise<void> {
    const { clock } = this.#parts;
    using cut = this.cut();
    let isHinted = false;
    void hint.then(() => {
      isHinted = true;
    });
    while (!cut.signal.aborted && !isHinted) {
      const leftMs = untilMs - clock.now().getTime();
      if (leftMs <= 0) return;
      // Wall time may jump and a machine may sleep, so it looks again now and then.
      await sleepOrHint(clock, Math.min(leftMs, LOOK_AGAIN_MS), hint, cut.signal);
    }
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    this.#watch.close();
    this.#listeners.clear();
  }

  /** Requests that cannot be read stop the work, too: the next step of the run reads them again and throws the error. */
  #isAskedUrgently(): boolean {
    try {
      return this.#parts.loop.requests().some(({ kind }) => kind !== 'guidance');
    } catch {
      return true;
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const LOOK_AGAIN_MS = 30_000;
