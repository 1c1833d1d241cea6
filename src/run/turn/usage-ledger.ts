import {
  type AgentEvent,
  hasTokens,
  type KeptReply,
  NO_TOKENS,
  type PriceOf,
  plusTokens,
  type TokenCounts,
  tokensBeyond,
} from '../../agents/index.js';
import type { Conversation, Turn, UsageRecord } from '../../sessions/conversation/index.js';
import type { AgentLaunch } from '../../sessions/process/index.js';

export interface UsageLedgerOptions {
  readonly conversation: Conversation;
  readonly launch: AgentLaunch;
  readonly priceOf?: PriceOf | undefined;
}

/** Which prompt was sent, and when. */
type Sent = Pick<Turn, 'number' | 'timestamp' | 'content'>;

const CHARACTERS_PER_TOKEN = 4;

/** Records what the replies of an agent used, each as soon as it is known and only once. */
export class UsageLedger {
  readonly #options: UsageLedgerOptions;

  constructor(options: UsageLedgerOptions) {
    this.#options = options;
  }

  /** Adds what the agent reports while it works. */
  add(turn: number, event: Extract<AgentEvent, { type: 'usage' }>, model: string | null): void {
    const { usage, reply = null } = event;
    if (!hasTokens(usage) && usage.costUsd === null) return;
    const facts = { turn, reply, model: event.model ?? model, costUsd: usage.costUsd };
    this.#write(facts, usage, 'reported', event.uncovered);
  }

  /**
   * Adds what else the agent's own transcript says about one prompt, for an agent that kept working after our death or died
   * itself. Without a transcript, the usage is estimated from the prompt's length, unless the agent is known to have done
   * nothing.
   */
  async settle(sent: Sent, hasActed = true): Promise<void> {
    const { conversation, launch } = this.#options;
    const handle = conversation.view.agentHandle;
    const isReadable = handle?.resumeId != null && handle.driver === launch.launch.driver;
    const replies = isReadable
      ? ((await launch.readReplies?.(handle.resumeId ?? '', new Date(sent.timestamp))) ?? null)
      : null;
    if (replies !== null) this.#addMissing(sent.number, replies);
    else if (hasActed && launch.reportsUsage === true && this.#known(sent.number).length === 0)
      this.#estimate(sent);
  }

  #addMissing(turn: number, replies: readonly KeptReply[]): void {
    const known = this.#known(turn);
    // For replies without names, only the sum shows what is known already.
    let unnamed = known.map(tokensOf).reduce(plusTokens, NO_TOKENS);
    for (const { reply, model, tokens, costUsd } of replies) {
      const told = known.filter((record) => record.reply === reply);
      const before = reply === null ? unnamed : told.map(tokensOf).reduce(plusTokens, NO_TOKENS);
      const more = tokensBeyond(tokens, before);
      if (reply === null) unnamed = tokensBeyond(unnamed, tokens);
      if (hasTokens(more))
        this.#write({ turn, reply, model, costUsd: told.length === 0 ? costUsd : null }, more, 'transcript');
    }
  }

  #estimate({ number, content }: Sent): void {
    const inputTokens = Math.ceil(content.length / CHARACTERS_PER_TOKEN);
    const { model } = this.#options.launch.launch;
    this.#write(
      { turn: number, reply: null, model, costUsd: null },
      { ...NO_TOKENS, inputTokens },
      'estimated',
    );
  }

  #known(turn: number): UsageRecord[] {
    return this.#options.conversation.usage.filter((record) => record.turn === turn);
  }

  #write(
    facts: Pick<UsageRecord, 'turn' | 'reply' | 'model' | 'costUsd'>,
    { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: TokenCounts,
    source: UsageRecord['source'],
    uncovered: TokenCounts = NO_TOKENS,
  ): void {
    const { conversation, priceOf } = this.#options;
    const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
    const unpaid = facts.costUsd === null ? tokens : uncovered;
    const isPaid = facts.costUsd !== null && !hasTokens(uncovered);
    const price = isPaid ? null : (priceOf?.(facts.model, unpaid) ?? null);
    conversation.addUsage({
      ...facts,
      ...tokens,
      pricedUsd: price?.usd ?? null,
      priceSource: price?.source ?? null,
      source,
    });
  }
}

function tokensOf(record: UsageRecord): TokenCounts {
  return record;
}
