import { type AgentEvent, NO_USAGE, type Usage } from '../events.js';
import { countOf, NumberCheck } from '../usage.js';
import type { Notification, Tokens } from './schema.js';

type Report = Extract<Notification, { method: 'thread/tokenUsage/updated' }>['params'];

/**
 * Turns what Codex reports into what each reply used. A new thread reports every reply when it is complete
 * (`rawResponse/completed`), and again, with the thread's total, when its tools are done. A resumed thread, and those of
 * its helpers, report it only then. A total that is reported a second time, as after a resume, is not a reply.
 */
export class UsageMeter {
  readonly #totals = new Map<string, string>();
  #isCounted = false;
  #window: number | null = null;
  readonly #check = new NumberCheck();

  /** A turn begins; earlier reports do not count towards it. */
  startTurn(): void {
    this.#isCounted = false;
  }

  /** The reports about numbers that were not counted. */
  takeOdd(): AgentEvent[] {
    return this.#check.take();
  }

  /** A reply is complete. */
  reply(tokens: Tokens): Usage {
    this.#isCounted = true;
    return { ...this.#usageOf(tokens), ...this.#contextOf(tokens) };
  }

  /** The total of a thread, ours or a helper's; undefined if it says nothing new. */
  report({ threadId, tokenUsage: { total, last, modelContextWindow } }: Report, isOurs: boolean) {
    if (!isOurs) return this.#isNew(threadId ?? '', total) ? this.#usageOf(last) : undefined;
    const hadWindow = this.#window !== null;
    this.#window = this.#check.count('modelContextWindow', modelContextWindow) || this.#window;
    const wasCounted = this.#isCounted;
    this.#isCounted = false;
    if (!this.#isNew('', total)) return undefined;
    if (!wasCounted) return { ...this.#usageOf(last), ...this.#contextOf(last) };
    return hadWindow ? undefined : { ...NO_USAGE, ...this.#contextOf(last) };
  }

  #usageOf(tokens: Tokens): Usage {
    const cacheReadTokens = this.#check.count('cachedInputTokens', tokens.cachedInputTokens);
    const cacheWriteTokens = this.#check.count('cacheWriteInputTokens', tokens.cacheWriteInputTokens);
    const input = this.#check.count('inputTokens', tokens.inputTokens);
    return {
      ...NO_USAGE,
      inputTokens: Math.max(0, input - cacheReadTokens - cacheWriteTokens),
      outputTokens: this.#check.count('outputTokens', tokens.outputTokens),
      cacheReadTokens,
      cacheWriteTokens,
    };
  }

  #isNew(thread: string, total: Tokens): boolean {
    const written = JSON.stringify(total);
    const isNew = this.#totals.get(thread) !== written;
    this.#totals.set(thread, written);
    return isNew;
  }

  #contextOf(tokens: Tokens): Pick<Usage, 'contextTokens' | 'contextWindow'> {
    const contextTokens =
      this.#check.count('totalTokens', tokens.totalTokens) ||
      countOf(tokens.inputTokens) + countOf(tokens.outputTokens);
    return { contextTokens, contextWindow: this.#window };
  }
}
