/** What one exchange, or a part of it, cost as far as the agent reports it; null = not reported. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** How much of the context window is in use after the exchange. */
  readonly contextTokens: number | null;
  readonly contextWindow: number | null;
  /** Of this exchange alone, whatever the agent sums up. */
  readonly costUsd: number | null;
}

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
  /** What was used since the last event of this type: a turn may have one for each reply of the model, and they add up. */
  | { readonly type: 'usage'; readonly usage: Usage }
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
      readonly status: 'warning' | 'rejected';
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

/** Two parts of one exchange together; how full the context is, is what the later one says. */
export function addUsage(before: Usage | null, after: Usage): Usage {
  if (before === null) return after;
  const isCostKnown = before.costUsd !== null || after.costUsd !== null;
  return {
    inputTokens: before.inputTokens + after.inputTokens,
    outputTokens: before.outputTokens + after.outputTokens,
    cacheReadTokens: before.cacheReadTokens + after.cacheReadTokens,
    cacheWriteTokens: before.cacheWriteTokens + after.cacheWriteTokens,
    contextTokens: after.contextTokens ?? before.contextTokens,
    contextWindow: after.contextWindow ?? before.contextWindow,
    costUsd: isCostKnown ? (before.costUsd ?? 0) + (after.costUsd ?? 0) : null,
  };
}
