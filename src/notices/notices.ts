import { type Clock, type Logger, messageOf, sleepOrHint } from '../foundation/index.js';
import type { QuestionSessions, QuestionView } from '../sessions/question/index.js';
import type { NoticeDuty, OpenedChannel } from './duty.js';
import { eventOfQuestion, type NoticeEvent } from './events.js';
import { isGone, type QuestionStandings, type QuestionsElsewhere } from './standings.js';
import type { NoticeStore } from './store.js';

export interface NoticesOptions {
  readonly duty: NoticeDuty;
  readonly store: NoticeStore;
  readonly channels: readonly OpenedChannel[];
  readonly questions: Pick<QuestionSessions, 'watch'>;
  readonly standings: QuestionStandings;
  /** Watched if people are told here about questions on other machines. */
  readonly elsewhere?: Pick<QuestionsElsewhere, 'watch'> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How soon we find what another process queued and did not live to send. */
const LOOK_EVERY_MS = 30_000;
/** How long a process that ends gives its last notices; the next process sends the rest. */
const LEAVE_MS = 3_000;

/**
 * Sends notices about what this process sees, and whatever else is due, as long as it lives: questions of every project, and
 * the events it is given.
 */
export class Notices implements AsyncDisposable {
  readonly #options: NoticesOptions;
  readonly #leaving = new AbortController();
  readonly #cut = new AbortController();
  readonly #watch: { close(): void };
  readonly #working: Promise<void>;
  #wake: () => void = () => {};
  #isAwake = true;
  /** Questions that were waiting before this process started: no news for its own screen. */
  #old: ReadonlySet<string> | undefined;
  #oldElsewhere: ReadonlySet<string> | undefined;
  readonly #watchElsewhere: { close(): Promise<void> } | undefined;

  constructor(options: NoticesOptions) {
    this.#options = options;
    this.#watch = options.questions.watch(() => this.#poke());
    this.#watchElsewhere = options.elsewhere?.watch(() => this.#poke());
    this.#working = this.#work();
  }

  /** Call when something happened that a person wants to know. It is on disk when this returns, and sent soon. Never throws. */
  tell(event: NoticeEvent): void {
    if (this.#options.duty.tell(event)) this.#poke();
  }

  /** Call when the card of a question is on a screen that a person looks at. Never throws. */
  noteSeen(question: string): void {
    const { store, log } = this.#options;
    try {
      store.noteSeen(question);
    } catch (error) {
      log.debug('notice.seen-not-noted', { question, error: messageOf(error) });
    }
  }

  /** Spends a moment sending what is due, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { clock, duty, channels } = this.#options;
    this.#watch.close();
    this.#leaving.abort();
    const isOver = new AbortController();
    const tooLong = clock.sleep(LEAVE_MS, isOver.signal).catch(() => {});
    const last = this.#working.then(async () => {
      await this.#look();
      await duty.pass(this.#cut.signal, { isLast: true });
    });
    await Promise.race([last, tooLong]);
    isOver.abort();
    this.#cut.abort();
    await last;
    await this.#watchElsewhere?.close();
    for (const { channel } of channels) channel.close?.();
  }

  async #work(): Promise<void> {
    const { clock, duty } = this.#options;
    while (!this.#leaving.signal.aborted) {
      this.#isAwake = false;
      const hint = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#look();
      const due = await duty.pass(this.#cut.signal);
      if (this.#isAwake) continue;
      const waitMs = due === undefined ? LOOK_EVERY_MS : due.getTime() - clock.now().getTime();
      const boundedMs = Math.min(LOOK_EVERY_MS, Math.max(0, waitMs));
      await sleepOrHint(clock, boundedMs, hint, this.#leaving.signal);
    }
  }

  #poke(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Queues notices for the questions that are waiting. */
  async #look(): Promise<void> {
    const { standings, duty, log } = this.#options;
    try {
      const here = await standings.open();
      this.#old ??= idsOf(here);
      const elsewhere = standings.waitingElsewhere();
      if (elsewhere !== undefined) this.#oldElsewhere ??= idsOf(elsewhere);
      for (const view of [...here, ...(elsewhere ?? [])]) {
        const event = isGone(view) ? undefined : eventOfQuestion(view);
        const isOld = this.#old.has(view.id) || this.#oldElsewhere?.has(view.id) === true;
        if (event !== undefined) duty.tell(event, ({ settings }) => !isOld || settings.type !== 'terminal');
      }
    } catch (error) {
      log.warn('notice.questions-not-read', { error: messageOf(error) });
    }
  }
}

function idsOf(views: readonly QuestionView[]): ReadonlySet<string> {
  return new Set(views.map(({ id }) => id));
}
