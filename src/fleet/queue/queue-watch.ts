import { isHoldfastError, messageOf, sleepOrHint } from '../../foundation/index.js';
import { HubQueue, QUEUE_CHANNEL } from '../../hub/index.js';
import type { LockTools } from '../../storage/index.js';
import type { Door } from '../door.js';
import { Pauses } from '../link/pauses.js';
import type { OwnMachine } from '../own-machine.js';
import type { WorkerRules } from './worker-rules.js';

export interface QueueWatchOptions {
  readonly door: Door;
  readonly machine: OwnMachine;
  readonly rules: WorkerRules | undefined;
  readonly tools: LockTools;
  readonly onHint: () => void;
}

/**
 * How often to look at the queue if notifications do not arrive, for example behind a pooler; if they do, it still
 * looks occasionally.
 */
const LOOK_MS = 5_000;
const RARE_LOOK_MS = 30_000;
const OFFER_MS = 60_000;

/** Reports when something in the fleet's queue may have changed, and meanwhile announces what this worker takes. */
export class QueueWatch {
  readonly #options: QueueWatchOptions;
  readonly #closed = new AbortController();
  readonly #worker: string;
  /** Resolves when it has said goodbye. */
  readonly ended: Promise<void>;
  #revision = -1;

  constructor(options: QueueWatchOptions) {
    this.#options = options;
    this.#worker = options.tools.ids.uuid();
    this.ended = this.#run();
  }

  close(): void {
    this.#closed.abort();
  }

  async #run(): Promise<void> {
    const { tools } = this.#options;
    const pauses = new Pauses();
    while (!this.#closed.signal.aborted) {
      let failure: unknown;
      try {
        await this.#follow(() => pauses.reset());
      } catch (error) {
        failure = error;
      }
      if (this.#closed.signal.aborted) return;
      const retryMs = pauses.after(failure);
      if (failure !== undefined) {
        const level = isHoldfastError(failure) ? 'info' : 'error';
        tools.log[level]('fleet.queue-not-watched', { error: messageOf(failure), retryMs });
      }
      await tools.clock.sleep(retryMs, this.#closed.signal).catch(() => {});
    }
  }

  async #follow(onUp: () => void): Promise<void> {
    const { door, tools, onHint } = this.#options;
    const { connection } = await door.open();
    const hub = new HubQueue(connection);
    // A listener that heard in the meantime that the queue is unreachable looks again, even if nothing in it changed.
    this.#revision = -1;
    let wake = () => {};
    // A failure below leaves the connection open, and the next attempt listens to it again.
    using _end = connection.onEnd(() => wake());
    using _calls = await connection.listen(QUEUE_CHANNEL, () => wake());
    const lookMs = (await door.isHeard(await door.open(), QUEUE_CHANNEL)) ? RARE_LOOK_MS : LOOK_MS;
    let offeredAtMs = Number.NEGATIVE_INFINITY;
    while (!this.#closed.signal.aborted && connection.isOpen) {
      if (tools.clock.monotonicMs() - offeredAtMs >= OFFER_MS) {
        offeredAtMs = tools.clock.monotonicMs();
        await this.#offer(hub);
      }
      // Set before the look: a notification that arrives during it ends the wait below.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const { revision } = await hub.queue();
      onUp();
      if (revision !== this.#revision) {
        this.#revision = revision;
        onHint();
      }
      await sleepOrHint(tools.clock, lookMs, woken, this.#closed.signal);
    }
    if (this.#closed.signal.aborted && connection.isOpen && this.#options.rules !== undefined)
      await hub.endOffer(this.#worker, this.#options.machine.id);
  }

  async #offer(hub: HubQueue): Promise<void> {
    const { machine, rules } = this.#options;
    if (rules === undefined) return;
    const { labels, trusted, agents, slots } = rules;
    await hub.offer(this.#worker, machine.id, { labels, trusted, agents: agents(), slots });
  }
}
