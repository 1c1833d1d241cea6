import { NO_USAGE, type Usage } from '../events.js';
import type { Notification, Tokens } from './schema.js';

type Report = Extract<Notification, { method: 'thread/tokenUsage/updated' }>['params'];

/**
 * Turns what Codex reports into what each reply used. In a new thread every reply is told when it is whole
 * (`rawResponse/completed`) and once more, with the total of its thread, when its tools are done; in a resumed one, and
 * in those of its helpers, only then. A total that is told again, as after a resume, is no reply.
 */
export class UsageMeter {
  readonly #totals = new Map<string, string>();
  #isCounted = false;
  #window: number | null = null;

  /** A turn begins: what was told before is not of it. */
  startTurn(): void {
    this.#isCounted = false;
  }

  /** A reply is whole. */
  reply(tokens: Tokens): Usage {
    this.#isCounted = true;
    return { ...usageOf(tokens), ...this.#contextOf(tokens) };
  }

  /** The total of a thread, ours or that of a helper; undefined where it says nothing new. */
  report({ threadId, tokenUsage: { total, last, modelContextWindow } }: Report, isOurs: boolean) {
    if (!isOurs) return this.#isNew(threadId ?? '', total) ? usageOf(last) : undefined;
    const hadWindow = this.#window !== null;
    this.#window = modelContextWindow ?? this.#window;
    const wasCounted = this.#isCounted;
    this.#isCounted = false;
    if (!this.#isNew('', total)) return undefined;
    if (!wasCounted) return { ...usageOf(last), ...this.#contextOf(last) };
    return hadWindow ? undefined : { ...NO_USAGE, ...this.#contextOf(last) };
  }

  #isNew(thread: string, total: Tokens): boolean {
    const written = JSON.stringify(total);
    const isNew = this.#totals.get(thread) !== written;
    this.#totals.set(thread, written);
    return isNew;
  }

  #contextOf(tokens: Tokens): Pick<Usage, 'contextTokens' | 'contextWindow'> {
    const contextTokens = tokens.totalTokens ?? tokens.inputTokens + tokens.outputTokens;
    return { contextTokens, contextWindow: this.#window };
  }
}

function usageOf(tokens: Tokens): Usage {
  const cacheReadTokens = tokens.cachedInputTokens ?? 0;
  const cacheWriteTokens = tokens.cacheWriteInputTokens ?? 0;
  return {
    ...NO_USAGE,
    inputTokens: Math.max(0, tokens.inputTokens - cacheReadTokens - cacheWriteTokens),
    outputTokens: tokens.outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
  };
}
