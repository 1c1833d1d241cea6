import { type Clock, type Logger, messageOf } from '../../foundation/index.js';
import { isPermission, type QuestionSessions, type QuestionView } from '../../sessions/question/index.js';

export interface AgentQuestionsOptions {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  readonly log: Logger;
  /** The session that the agent works for: our server, which it asks through, writes that down with each question. */
  readonly sessionId: string;
  /** A person is waited for from now on, or is not any more. */
  readonly onWaiting: (isWaiting: boolean) => void;
  /** Its question, or one for a permission that it wants, is on disk. */
  readonly onAsked: (view: QuestionView) => void;
  /** It was told the answer, and has finished what it had to say about it. */
  readonly onAnswered: (id: string) => void;
}

/** Two things change without a trace on the disk: a set runs out of time, the server that waits dies. */
const LOOK_EVERY_MS = 15_000;

/**
 * Follows the questions that an agent asks during one exchange, and those for the permissions it wants, so that none is
 * lost when the exchange is. They are known from the directory of questions and the stamp of who asked for it alone: what
 * an agent tells of its tool calls is not needed, and some tell of one only when it is over.
 */
export class AgentQuestions implements Disposable {
  readonly #options: AgentQuestionsOptions;
  /** What was there before: of earlier exchanges. */
  readonly #before: ReadonlySet<string>;
  /** By id: whether it is about a permission. */
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
   * The exchange is over. Whatever was asked and not answered stays open, and so does every question of an exchange that
   * was not completed: who knows what the agent still knows of the answer.
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

  /** One look after the other; each sees what was there when it was wanted. */
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
        this.#asked.set(view.id, isPermission(view));
        onAsked(view);
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

  /** The agent may have got only a handle to the question, and the answer may have come since: then it stays open. */
  async #close(id: string): Promise<void> {
    try {
      // Waits for a delivery that is under way: the server marks it after the answer has left.
      using delivery = await this.#options.questions.collect(id);
      if (delivery.view.collectedAt !== null) this.#options.onAnswered(id);
    } catch (error) {
      this.#options.log.warn('run.question-not-read', { sessionId: id, error: messageOf(error) });
    }
  }
}

/** Whether a set was asked by an agent that works for this session, or for one. */
function isAskedFor({ asker }: QuestionView, sessionId: string): boolean {
  return asker?.session === sessionId;
}

/** Whether a server holds the agent until the person has decided; one that was only handed an id works on. */
function isWaitedFor({ outcome, isAskerGone }: QuestionView): boolean {
  return outcome.status === 'pending' && isAskerGone === false;
}
