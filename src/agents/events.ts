/**
 * What a reply of the model, or a whole exchange, used; null = not reported. The same for every agent: the input excludes
 * what was read from a cache or written to one, and the output includes the model's thinking.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** How much of the context window is in use afterwards. */
  readonly contextTokens: number | null;
  readonly contextWindow: number | null;
  /** The cost of this reply or exchange alone, whatever total the agent keeps. */
  readonly costUsd: number | null;
}

/** The tokens of a reply, by how they are priced. */
export type TokenCounts = Pick<
  Usage,
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'
>;

/** How many characters of a tool call's title are reported. */
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
      /** The message it belongs to, if the protocol distinguishes messages; a turn may have several. */
      readonly messageId?: string | undefined;
    }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly kind: ToolKind;
      /** One line, for people. */
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
      /** What was decided; `by` says by which rule. */
      readonly decision: 'allowed' | 'denied';
      readonly by: string;
      /** What a person said with a denial. */
      readonly message?: string | undefined;
    }
  /**
   * What one reply cost, or whatever the exchange used since the last `usage` event. The usage of an exchange is the sum
   * of these events; for `contextTokens` and `contextWindow` the latest count. They come as soon as the service has
   * reported them, so an exchange that is cut short, or whose agent is killed, counts too. A cost covers everything the
   * exchange used before it. An agent that reports dollars only at the end reports its replies with `costUsd: null`, and
   * the dollars in a last event whose tokens are what was not reported yet (perhaps none).
   */
  | {
      readonly type: 'usage';
      readonly usage: Usage;
      /** The model that replied, if known. */
      readonly model?: string | null | undefined;
      /** The name of the reply in the agent's own transcript, so that it is recognised there and counted once. */
      readonly reply?: string | undefined;
      /** Tokens that were reported earlier and that the cost does not cover: those of a reply that was cut off. */
      readonly uncovered?: TokenCounts | undefined;
    }
  /** The agent is retrying on its own. */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly delayMs: number | null;
      readonly status: number | null;
      readonly message: string;
    }
  | {
      readonly type: 'rate-limit';
      /** `allowed`: nothing is wrong; it only says how much is used. */
      readonly status: 'allowed' | 'warning' | 'rejected';
      /** How much of the allowance is used, if the agent says so. */
      readonly usedPercent?: number | undefined;
      /** ISO 8601; null if the agent does not say when it ends. */
      readonly resetsAt: string | null;
      /** Which allowance it is, if the agent says so: `5h`, `weekly`, … */
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
