import { type Clock, isHoldfastError, sleepOrHint } from '../../foundation/index.js';
import type { Elsewhere, OverviewRow } from '../../overview/index.js';
import { isWaiting, type QuestionView } from '../../sessions/question/index.js';
import type { Door } from '../door.js';
import { type Hearing, hearing } from '../link/hearing.js';
import type { RemoteQuestions } from '../questions/remote-questions.js';
import type { RemoteRuns } from './remote-runs.js';

export interface FleetElsewhereOptions {
  readonly door: Door;
  readonly runs: RemoteRuns;
  readonly questions: RemoteQuestions;
  /** What is waiting in the queue of the fleet. Throws as the hub. */
  readonly queued?: (() => Promise<readonly OverviewRow[]>) | undefined;
  readonly clock: Clock;
  readonly timeoutMs?: number | undefined;
}

/** How often to look in case a notification was missed. */
const LOOK_MS = 5_000;
/** Notifications of many machines at once lead to one read. */
const GATHER_MS = 100;

/**
 * Runs and waiting questions of the other machines, read in the background, so that this machine's rows never wait for
 * a network.
 */
export class FleetElsewhere implements Elsewhere {
  readonly #options: FleetElsewhereOptions;
  #queued: readonly OverviewRow[] = [];

  constructor(options: FleetElsewhereOptions) {
    this.#options = options;
  }

  rows(): readonly OverviewRow[] {
    return [...this.#options.runs.rows(), ...this.#queued];
  }

  pending(): readonly QuestionView[] {
    return this.#options.questions.known.filter(isWaiting);
  }

  /** Why the hub cannot be asked, and since when; undefined if it can. */
  get trouble(): { readonly reason: string; readonly at: Date | undefined } | undefined {
    return this.#options.runs.trouble ?? this.#options.questions.trouble;
  }

  /** Reads both now. Does not throw if the hub is unreachable: see `trouble`. */
  async refresh(): Promise<void> {
    const { runs, questions } = this.#options;
    await questions.list();
    // If the hub was unreachable a moment ago, waiting once more reveals nothing new.
    if (questions.trouble === undefined || runs.trouble === undefined) await runs.refresh();
    if (runs.trouble === undefined) await this.#readQueue();
  }

  /** If the hub goes away in the meantime, this stays as last read: the next look reports it. */
  async #readQueue(): Promise<void> {
    try {
      this.#queued = (await this.#options.queued?.()) ?? [];
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
    }
  }

  watch(onHint: () => void): { close(): void } {
    const closed = new AbortController();
    void this.#follow(onHint, closed.signal);
    return { close: () => closed.abort() };
  }

  async #follow(onHint: () => void, signal: AbortSignal): Promise<void> {
    const { clock, door, timeoutMs } = this.#options;
    let heard: Hearing | undefined;
    let told = '';
    let wake = () => {};
    let isCalled = false;
    const onCall = () => {
      isCalled = true;
      wake();
    };
    while (!signal.aborted) {
      isCalled = false;
      heard = await hearing(door, heard, onCall, { timeoutMs });
      await this.refresh();
      const facts = JSON.stringify([this.rows(), this.pending(), this.trouble?.reason]);
      if (facts !== told && !signal.aborted) onHint();
      told = facts;
      if (!isCalled) {
        const hint = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await sleepOrHint(clock, LOOK_MS, hint, signal);
      }
      await clock.sleep(GATHER_MS, signal).catch(() => {});
    }
    heard?.close();
  }
}
