import { type Clock, type Logger, messageOf } from '../../foundation/index.js';
import { isPermission, type QuestionSessions, type QuestionView } from '../../sessions/question/index.js';

export interface AgentQuestionsOptions {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  readonly log: Logger;
  /** The session that the agent works for; our server, which the agent asks through, records it with each question. */
  readonly sessionId: string;
  /** Called when the wait for a person starts and when it ends. */
  readonly onWaiting: (isWaiting: boolean) => void;
  /** Called when its question, or one for a permission it wants, is on disk. */
  readonly onAsked: (view: QuestionView) => void;
  /** Called when it was told the answer and has finished what it had to say about it. */
  readonly onAnswered: (id: string) => void;
}

/** Two changes leave no trace on disk: a set runs out of time, the waiting server dies. */
const LOOK_EVERY_MS = 15_000;

/**
 * Follows the questions an agent asks during one exchange, and those for the permissions it wants, so none is lost when the
 * exchange is. They are found only by the questions directory and the asker's stamp. What an agent reports of its tool calls
 * is not needed, and some report a call only when it is over.
 */
export class AgentQuestions implements Disposable {
  readonly #options: AgentQuestionsOptions;
  /** Questions from earlier exchanges. */
  readonly #before: ReadonlySet<string>;
  /** By id: whether the question is about a permission. */
  readonly #asked = new Map<string, boolean>();
  readonly #watch: { close(): void };
  #isWaiting = false;
  readonly #over = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(options: AgentQuestionsOptions) {
    this.#options = options;
    this.#watch = options.questions.watch(() => this.#lookSoon());
    this.#before = new Set(options.questions.ids());
  }

  /**
   * The exchange is over. Every unanswered question stays open. If the exchange was not completed, so does every question
   * asked in it: what the agent still knows of the answer is uncertain.
   */
  async settle({ isCompleted }: { readonly isCompleted: boolean }): Promise<void> {
    this.#watch.close();
    this.#lookSoon();
    await this.#looking;
    this[Symbol.dispose]();
    if (!isCompleted) return;
    for (const [id, isAboutPermission] of this.#asked) if (!isAboutPermission) await this.#close(id);
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    this.#watch.close();
    this.#tellWaiting(false);
  }

  /** Looks run one after the other; each sees what was there when it was requested. */
  #lookSoon(): void {
    this.#looking = this.#looking.then(() => (this.#over.signal.aborted ? undefined : this.#look()));
  }

  async #look(): Promise<void> {
    const { questions, sessionId, onAsked, log } = this.#options;
    try {
      const views = await questions.list();
      const own = views.filter((view) => isAskedFor(view, sessionId) && !this.#before.has(view.id));
      this.#tellWaiting(own.some(isWaitedFor));
      for (const view of own) {
        if (this.#asked.has(view.id)) continue;
        onAsked(view);
        // Afterwards, so that a question which could not be recorded is found again by the next look.
        this.#asked.set(view.id, isPermission(view));
      }
    } catch (error) {
      log.warn('run.questions-not-read', { error: messageOf(error) });
    }
  }

  #tellWaiting(isWaiting: boolean): void {
    if (isWaiting === this.#isWaiting) return;
    this.#isWaiting = isWaiting;
    this.#options.onWaiting(isWaiting);
    if (isWaiting) this.#lookNowAndThen().catch(() => {}); // the exchange was over first
  }

  async #lookNowAndThen(): Promise<void> {
    while (this.#isWaiting) {
      await this.#options.clock.sleep(LOOK_EVERY_MS, this.#over.signal);
      this.#lookSoon();
      await this.#looking;
    }
  }

  /** The agent may have got only a handle to the question, and the answer may have come since. In that case it stays open. */
  async #close(id: string): Promise<void> {
    try {
      // Waits for a delivery in progress: the server marks it after the answer has left.
      using delivery = await this.#options.questions.collect(id);
      if (delivery.view.collectedAt !== null) this.#options.onAnswered(id);
    } catch (error) {
      this.#options.log.warn('run.question-not-read', { sessionId: id, error: messageOf(error) });
    }
  }
}

/** Whether the asker of a set is an agent that works for this session. */
function isAskedFor({ asker }: QuestionView, sessionId: string): boolean {
  return asker?.session === sessionId;
}

/** Whether a server holds the agent until the person decides; an agent that only got an id works on. */
function isWaitedFor({ outcome, isAskerGone }: QuestionView): boolean {
  return outcome.status === 'pending' && isAskerGone === false;
}
