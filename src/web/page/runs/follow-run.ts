import { type Signal, signal } from '@preact/signals';
import type { RunEntry } from '../../contract/index.js';
import type { Store } from '../live/store.js';
import { emptyLog, type ShownLog, withEntries } from './run-log.js';

/** Text arrives in many small pieces; it is drawn at most this often. */
const DRAW_EVERY_MS = 100;

/** Follows the journal of one run while it is being looked at. */
export class FollowedRun {
  readonly log: Signal<ShownLog>;
  /** Whether a process runs it; null until all existing entries have arrived. */
  readonly isRunning = signal<boolean | null>(null);
  readonly #store: Store;
  readonly #run: string;
  #pending: RunEntry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, run: string) {
    this.#store = store;
    this.#run = run;
    this.log = signal(emptyLog(Date.now()));
  }

  /** Starts following, and returns a function that stops it. */
  start(): () => void {
    const stopListening = this.#store.listen(this.#run, {
      onEntry: (entry) => {
        this.#pending.push(entry);
        this.#timer ??= setTimeout(() => this.#draw(), DRAW_EVERY_MS);
      },
      onCaught: (isRunning) => {
        this.#draw();
        this.isRunning.value = isRunning;
      },
    });
    // Another tab may have asked for another run since: the visible tab asks again.
    const ask = () => {
      if (document.visibilityState === 'visible') this.#ask();
    };
    addEventListener('focus', ask);
    document.addEventListener('visibilitychange', ask);
    this.#ask();
    return () => {
      stopListening();
      removeEventListener('focus', ask);
      document.removeEventListener('visibilitychange', ask);
      clearTimeout(this.#timer);
    };
  }

  #ask(): void {
    this.#store.follow({ run: this.#run, after: this.log.peek().seq });
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.#pending;
    this.#pending = [];
    if (entries.length > 0) this.log.value = withEntries(this.log.peek(), entries);
  }
}
