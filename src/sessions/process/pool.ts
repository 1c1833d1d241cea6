import { type Logger, messageOf } from '../../foundation/index.js';
import type { ProcessSession } from './session.js';

/** At most so many processes started ahead. No other policy: one is taken when somebody wants a session. */
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

  /** A process that is up already, if there is one that still lives. */
  take(): ProcessSession | undefined {
    for (let spare = this.#spares.shift(); spare !== undefined; spare = this.#spares.shift()) {
      spare.checkAlive();
      if (spare.state === 'ready') return spare;
    }
    return undefined;
  }

  /** Starts what is missing, one after the other. What cannot be started now is tried again next time. */
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
