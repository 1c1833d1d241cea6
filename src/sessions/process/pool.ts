import { type Logger, messageOf } from '../../foundation/index.js';
import type { ProcessSession } from './session.js';

/** Starts up to `size` processes ahead. There is no other policy: one is taken whenever a session is wanted. */
export class Pool {
  readonly #size: number;
  readonly #start: () => Promise<ProcessSession>;
  readonly #log: Logger;
  readonly #spares: ProcessSession[] = [];
  #filling: Promise<void> | undefined;

  constructor(size: number, start: () => Promise<ProcessSession>, log: Logger) {
    this.#size = size;
    this.#start = start;
    this.#log = log;
  }

  /** A process that is already up and still alive, if there is one. */
  take(): ProcessSession | undefined {
    for (let spare = this.#spares.shift(); spare !== undefined; spare = this.#spares.shift()) {
      spare.checkAlive();
      if (spare.state === 'ready') return spare;
    }
    return undefined;
  }

  /** Starts missing processes one by one. If one cannot be started now, the next call tries again. */
  fill(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #fill(): Promise<void> {
    while (this.#spares.length < this.#size) {
      try {
        this.#spares.push(await this.#start());
      } catch (error) {
        this.#log.debug('process.no-spare', { error: messageOf(error) });
        return;
      }
    }
  }
}
