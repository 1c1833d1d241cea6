import * as z from 'zod';
import type { AgentEvent } from '../agents/index.js';
import { type Clock, type Logger, messageOf } from '../foundation/index.js';
import type { QuestionSessions, QuestionView } from '../sessions/question/index.js';

const TOOL = /(?:^|[^a-z])ask_user_questions$/;
const Asked = z.looseObject({ questions: z.array(z.looseObject({ prompt: z.string() })).min(1) });
/** The server that the agent asks needs a moment to put the question down. */
const LOOK_AGAIN_MS = 50;
/** Clocks of one machine do not differ; stamps may be rounded. */
const SLACK_MS = 1_000;

export interface AgentQuestionsOptions {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  readonly log: Logger;
  /** The session that the agent works for: its server writes that down with each question. */
  readonly sessionId: string;
  /** The agent waits for a person from now on, or does not any more. */
  readonly onWaiting: (isWaiting: boolean) => void;
  /** Its question is on disk. */
  readonly onAsked: (view: QuestionView) => void;
  /** It was told the answer, and has finished what it had to say about it. */
  readonly onAnswered: (id: string) => void;
}

interface OpenCall {
  readonly seeking: Promise<string | undefined>;
  readonly over: AbortController;
}

/** Follows the questions that an agent asks during one exchange, so that none is lost when the exchange is. */
export class AgentQuestions {
  readonly #options: AgentQuestionsOptions;
  readonly #calls = new Map<string, OpenCall>();
  /** Calls that came back with something other than an error. */
  readonly #heard: OpenCall[] = [];

  constructor(options: AgentQuestionsOptions) {
    this.#options = options;
  }

  add(event: AgentEvent): void {
    if (event.type === 'tool-call' && TOOL.test(event.name) && !this.#calls.has(event.id))
      this.#begin(event.id, event.input);
    else if (event.type === 'tool-result') this.#end(event.id, event.isError);
  }

  /**
   * The exchange is over. Whatever was asked and not answered stays open, and so does every question of an exchange that
   * was not completed: who knows what the agent still knows of the answer.
   */
  async settle({ isCompleted }: { readonly isCompleted: boolean }): Promise<void> {
    for (const [, call] of this.#calls) {
      call.over.abort();
      this.#options.onWaiting(false);
      await call.seeking;
    }
    this.#calls.clear();
    for (const call of this.#heard) if (isCompleted) await this.#close(call);
  }

  #begin(callId: string, input: unknown): void {
    const over = new AbortController();
    this.#options.onWaiting(true);
    this.#calls.set(callId, { over, seeking: this.#seek(input, over.signal) });
  }

  #end(callId: string, isError: boolean): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#calls.delete(callId);
    call.over.abort();
    this.#options.onWaiting(false);
    if (!isError) this.#heard.push(call);
  }

  /** The agent may have got only a handle to the question, and the answer may have come since: then it stays open. */
  async #close({ seeking }: OpenCall): Promise<void> {
    const id = await seeking;
    if (id === undefined) return;
    try {
      // Waits for a delivery that is under way: the server marks it after the answer has left.
      using delivery = await this.#options.questions.collect(id);
      if (delivery.view.collectedAt !== null) this.#options.onAnswered(id);
    } catch (error) {
      this.#options.log.warn('run.question-not-read', { sessionId: id, error: messageOf(error) });
    }
  }

  async #seek(input: unknown, signal: AbortSignal): Promise<string | undefined> {
    const { questions, clock, log, onAsked, sessionId } = this.#options;
    const asked = Asked.safeParse(input);
    const prompts = asked.success ? asked.data.questions.map(({ prompt }) => prompt) : undefined;
    const sinceMs = clock.now().getTime() - SLACK_MS;
    try {
      for (;;) {
        const sets = await questions.list();
        const found = sets.findLast((view) => isMeant(view, { prompts, sinceMs, sessionId }));
        if (found !== undefined) {
          onAsked(found);
          return found.id;
        }
        if (signal.aborted) return undefined;
        await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => {}); // then it looks a last time
      }
    } catch (error) {
      log.warn('run.questions-not-read', { error: messageOf(error) });
      return undefined;
    }
  }
}

function isMeant(
  view: QuestionView,
  wanted: {
    readonly prompts: readonly string[] | undefined;
    readonly sinceMs: number;
    readonly sessionId: string;
  },
): boolean {
  const { prompts, sinceMs, sessionId } = wanted;
  if (Date.parse(view.createdAt) < sinceMs) return false;
  if ((view.asker?.session ?? sessionId) !== sessionId) return false;
  if (prompts === undefined) return true;
  const own = view.questions.map(({ prompt }) => prompt);
  return own.length === prompts.length && own.every((prompt, index) => prompt === prompts[index]);
}
