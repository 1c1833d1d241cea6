import type { Server } from 'node:http';

/** A call of a tool, by the action that is wanted: it is translated into the tool that the agent really offers. */
export type ToolCall =
  | { readonly action: 'write_file'; readonly path: string; readonly content: string }
  | { readonly action: 'read_file'; readonly path: string }
  | { readonly action: 'bash'; readonly command: string }
  | { readonly action: 'mcp'; readonly server: string; readonly tool: string; readonly input: unknown }
  /** A tool by its very name. */
  | { readonly name: string; readonly input: unknown };

/** What goes wrong with a reply; `times` times (once unless said otherwise), then the reply is given properly. */
export interface Fault {
  readonly type:
    | 'rate_limit'
    | 'overloaded'
    | 'server_error'
    | 'auth'
    | 'usage_limit'
    /** Any status with any words. */
    | 'http'
    | 'reset_before_headers'
    | 'context_overflow'
    | 'reset'
    | 'truncate'
    /** The stream stops until the client goes. */
    | 'stall'
    | 'malformed_sse';
  readonly times?: number | 'always';
  /** Where in the stream; in the middle unless said otherwise. */
  readonly afterFrames?: number;
  /** Seconds, for `rate_limit`. */
  readonly retryAfter?: number;
  /** Epoch seconds, for `usage_limit`; or how far away that is. */
  readonly resetsAt?: number;
  readonly resetsInSeconds?: number;
  /** Which allowance of Anthropic is used up; `five_hour` unless said otherwise. */
  readonly claim?: 'five_hour' | 'seven_day';
  /** For `http`, and what the others say. */
  readonly status?: number;
  readonly message?: string;
  readonly kind?: string;
  readonly code?: string;
}

/** One reply of the model. */
export interface ModelTurn {
  readonly text?: string;
  readonly thinking?: string;
  /** Says `text` so many times, `{{n}}` counting from 1. */
  readonly repeatText?: number;
  readonly toolCalls?: readonly ToolCall[];
  readonly usage?: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Size of the streamed pieces. */
  readonly chunkChars?: number;
  /** Between two of them. */
  readonly chunkDelayMs?: number;
  readonly fault?: Fault;
}

/** A reply that is given by what the model is told, not by its place; it is tried before the turns. */
export interface Rule {
  /** All of it must be so. */
  readonly when: {
    /** A regular expression for the newest text of the user. */
    readonly lastUser?: string;
    /** How many replies the model has given since. */
    readonly step?: number;
  };
  /** How often it may be given; without end unless said otherwise. */
  readonly times?: number;
  readonly turn: ModelTurn;
}

export interface Script {
  readonly turns: readonly ModelTurn[];
  readonly rules?: readonly Rule[];
  readonly onExhausted?: 'stop-text' | 'repeat-last' | 'error';
}

/** Tokens of one reply. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export type LogEntry =
  | {
      readonly kind: 'request';
      readonly seq: number;
      readonly path: string;
      readonly purpose: string;
      readonly body: unknown;
    }
  /** By which turn of the script a request is answered, or `side`: titles, summaries and the like. */
  | { readonly kind: 'answer'; readonly seq: number; readonly answeredBy: string; readonly fault?: string }
  | {
      readonly kind: 'response';
      readonly seq: number;
      readonly status: number | null;
      readonly completed: boolean;
      /** What the reply says that it used. */
      readonly usage?: ModelUsage;
    }
  | { readonly kind: 'upgrade-refused'; readonly path: string };

export function createFakeModel(
  scenario: Script,
  options?: { readonly variables?: Record<string, string>; readonly log?: (entry: LogEntry) => void },
): Server;
