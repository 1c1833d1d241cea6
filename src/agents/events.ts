/**
 * What a reply of the model, or a whole exchange, used; null = not reported. The same for every agent: input is what was
 * read anew, without what came from a cache or was written to one; output includes what the model thought.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** How much of the context window is in use afterwards. */
  readonly contextTokens: number | null;
  readonly contextWindow: number | null;
  /** Of this reply or exchange alone, whatever the agent sums up. */
  readonly costUsd: number | null;
}

/** The tokens of a reply, by what is paid for them. */
export type TokenCounts = Pick<
  Usage,
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'
>;

/** How many characters of a tool call's title are told. */
export const MAX_TITLE = 200;

/** What a tool does, as far as permissions care. */
export type ToolKind = 'read' | 'edit' | 'delete' | 'move' | 'execute' | 'fetch' | 'other';

/** Why an exchange ended. Only `completed` means that the agent finished what it wanted to say. */
export type TurnEndReason =
  | 'completed'
  | 'cancelled'
  | 'refused'
  | 'turn-limit'
  | 'context-overflow'
  | 'rate-limited'
  | 'failed'
  | 'died';

/** What an agent does while it works on a prompt. The last event of every exchange is `turn-end`. */
export type AgentEvent =
  | {
      readonly type: 'text';
      readonly text: string;
      /** The message it belongs to, where the protocol tells messages apart; a turn may have several. */
      readonly messageId?: string | undefined;
    }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly kind: ToolKind;
      /** In one line, for people. */
      readonly title: string;
      readonly input: unknown;
    }
  | { readonly type: 'tool-result'; readonly id: string; readonly isError: boolean; readonly output: string }
  | {
      readonly type: 'permission';
      readonly id: string;
      readonly name: string;
      readonly kind: ToolKind;
      readonly title: string;
      readonly input: unknown;
      /** What was decided, by which rule. */
      readonly decision: 'allowed' | 'denied';
      readonly by: string;
      /** What a person said about a denial. */
      readonly message?: string | undefined;
    }
  /**
   * What one reply cost, or whatever the exchange used since the last `usage` event. The usage of an exchange is the sum of
   * these events; of `contextTokens` and `contextWindow` the latest count. They come as soon as the service has said it, so
   * that an exchange that is cut short, or whose agent is killed, counts all the same. A cost covers everything that the
   * exchange used before it: an agent that tells dollars only at the end tells its replies with `costUsd: null` and the
   * dollars with a last event, whose tokens are what was not told yet (perhaps none).
   */
  | {
      readonly type: 'usage';
      readonly usage: Usage;
      /** The model that replied, if known. */
      readonly model?: string | null | undefined;
      /** The reply as the agent's own transcript names it: by that name it is known again there, and counted once. */
      readonly reply?: string | undefined;
      /** Tokens that were told before and that the cost does not cover: those of a reply that was cut off. */
      readonly uncovered?: TokenCounts | undefined;
    }
  /** The agent tries again by itself. */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly delayMs: number | null;
      readonly status: number | null;
      readonly message: string;
    }
  | {
      readonly type: 'rate-limit';
      /** `allowed`: nothing is wrong, it only says how much is used. */
      readonly status: 'allowed' | 'warning' | 'rejected';
      /** How much of the allowance is used, where the agent says so. */
      readonly usedPercent?: number | undefined;
      /** ISO 8601; null when the agent does not say when it ends. */
      readonly resetsAt: string | null;
      /** Which allowance it is of, where the agent says so: `5h`, `weekly`, … */
      readonly scope?: string | null | undefined;
      readonly message: string;
    }
  /** Something went wrong that need not end the exchange. */
  | { readonly type: 'error'; readonly message: string; readonly status: number | null }
  | { readonly type: 'turn-end'; readonly reason: TurnEndReason; readonly message: string | null };

/** The event that ends an exchange. */
export type TurnEnd = Extract<AgentEvent, { type: 'turn-end' }>;

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  contextTokens: null,
  contextWindow: null,
  costUsd: null,
};
