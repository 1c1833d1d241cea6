import type { Services } from '../../../app/index.js';
import { runShelf } from '../../../app/run/run-shelf.js';
import { type RunEvent, RunLog } from '../../../run/index.js';
import { runDescriber } from '../../../run/journal/describe-run.js';
import { describeWait } from '../../../sessions/loop/index.js';

/** Writes the plain lines of a run to its log, for people who were not there. */
export class RunRecord implements Disposable {
  readonly #services: Services;
  readonly #describe = runDescriber(false);
  #log: RunLog | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  add(event: RunEvent): void {
    if (event.type === 'run-start') this.#log ??= new RunLog(runShelf(this.#services), event.sessionId);
    const lines = event.type === 'waiting' ? [describeWait(event, this.#services.clock.now())] : [];
    this.#log?.add([...this.#describe(event).map(({ text }) => text), ...lines]);
  }

  /** Writes the last lines. */
  close(lines: readonly string[]): void {
    this.#log?.add(lines);
  }

  [Symbol.dispose](): void {
    this.#log?.[Symbol.dispose]();
  }
}
