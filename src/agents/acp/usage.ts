import { costBetween } from '../cost.js';
import type { KeptReply } from '../driver.js';
import { type AgentEvent, NO_USAGE, type Usage } from '../events.js';
import { NumberCheck } from '../usage.js';
import type { PromptResult, SessionUpdate, TokenCount } from './schema.js';

/**
 * Turns what an agent reports (the running cost and the context of the session, the tokens of the turn) into what one
 * exchange used. The cost of a session keeps adding up across turns and resumes. If its earlier value is unknown, the
 * first number after a resume therefore says nothing about the exchange it came in.
 */
export class UsageMeter {
  /** The cost that has been accounted for; null = the session was resumed and its cost is not known yet. */
  #accountedCost: number | null;
  #cost: number | null = null;
  #context: Pick<Usage, 'contextTokens' | 'contextWindow'> = { contextTokens: null, contextWindow: null };
  #hasNews = false;
  readonly #check = new NumberCheck();

  /** `costBefore` is what a resumed session had cost when it was left, if that is known. */
  constructor(options: { isResumed: boolean; costBefore?: number | undefined }) {
    this.#accountedCost = options.isResumed ? (options.costBefore ?? null) : 0;
  }

  /** What the session has cost so far; null if unknown. */
  get totalCost(): number | null {
    return this.#cost;
  }

  /** Notes a `usage_update`. */
  note(update: SessionUpdate): void {
    this.#hasNews = true;
    this.#context = {
      contextTokens:
        update.used === undefined ? this.#context.contextTokens : this.#check.count('used', update.used),
      contextWindow: this.#check.count('size', update.size) || this.#context.contextWindow,
    };
    if (update.cost?.currency === 'USD')
      this.#cost = this.#check.dollars('cost', update.cost.amount) ?? this.#cost;
  }

  /** A turn begins. Whatever came before it does not count towards it. */
  startTurn(): void {
    this.#hasNews = false;
    const isNewSum = this.#cost !== null && this.#cost < (this.#accountedCost ?? 0);
    if (this.#accountedCost === null || isNewSum) this.#accountedCost = this.#cost;
  }

  /**
   * What the exchange used: reply by reply if the agent's transcript has that, otherwise what the agent said over the
   * protocol, which may be nothing.
   */
  endTurn(result: PromptResult | null, replies: readonly KeptReply[] | null = null): UsageEvent[] {
    const tokens = result?.usage ?? result?._meta?.quota?.token_count;
    const costUsd = this.#takeCost();
    if (replies !== null && replies.length > 0)
      return replies.map(({ reply, model, tokens: counts, costUsd: cost }) => ({
        type: 'usage',
        usage: { ...NO_USAGE, ...counts, ...this.#context, costUsd: cost },
        model,
        reply: reply ?? undefined,
      }));
    if (tokens === undefined && !this.#hasNews) return [];
    return [{ type: 'usage', usage: { ...NO_USAGE, ...this.#countsOf(tokens), ...this.#context, costUsd } }];
  }

  /** The reports about numbers that were not counted. */
  takeOdd(): AgentEvent[] {
    return this.#check.take();
  }

  #countsOf(tokens: TokenCount | undefined): Partial<Usage> {
    if (tokens === undefined) return {};
    const count = (name: string, value: unknown) => this.#check.count(name, value);
    return {
      inputTokens: count('inputTokens', tokens.inputTokens ?? tokens.input_tokens),
      outputTokens: count('outputTokens', tokens.outputTokens ?? tokens.output_tokens),
      cacheReadTokens: count('cachedReadTokens', tokens.cachedReadTokens ?? tokens.cachedInputTokens),
      cacheWriteTokens: count('cachedWriteTokens', tokens.cachedWriteTokens),
    };
  }

  #takeCost(): number | null {
    const cost = this.#cost;
    const accounted = this.#accountedCost;
    if (cost === null) return null;
    this.#accountedCost = cost;
    if (accounted === null) return null;
    // A sum that shrank was restarted.
    return cost >= accounted ? costBetween(accounted, cost) : cost;
  }
}

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;
