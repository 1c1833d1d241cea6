import type { Server } from 'node:http';

/** A tool call, named by the action wanted: it is translated into the tool the agent really offers. */
export type ToolCall =
  | { readonly action: 'write_file'; readonly path: string; readonly content: string }
  | { readonly action: 'read_file'; readonly path: string }
  | { readonly action: 'bash'; readonly command: string }
  | { readonly action: 'mcp'; readonly server: string; readonly tool: string; readonly input: unknown }
  /** A tool by its exact name. */
  | { readonly name: string; readonly input: unknown };

/** What goes wrong with a reply, `times` times (once unless given); then the reply is sent properly. */
export interface Fault {
  readonly type:
    | 'rate_limit'
    | 'overloaded'
    | 'server_error'
    | 'auth'
    | 'usage_limit'
    /** Any status with any text. */
    | 'http'
    | 'reset_before_headers'
    | 'context_overflow'
    | 'reset'
    | 'truncate'
    /** The stream stops until the client goes. */
    | 'stall'
    | 'malformed_sse';
  readonly times?: number | 'always';
  /** Where in the stream; in the middle unless given. */
  readonly afterFrames?: number;
  /** Seconds, for `rate_limit`. */
  readonly retryAfter?: number;
  /** Epoch seconds, for `usage_limit`; or the seconds from now. */
  readonly resetsAt?: number;
  readonly resetsInSeconds?: number;
  /** Which allowance of Anthropic is used up; `five_hour` unless given. */
  readonly claim?: 'five_hour' | 'seven_day';
  /** For `http`, and the text of the other kinds. */
  readonly status?: number;
  readonly message?: string;
  readonly kind?: string;
  readonly code?: string;
}

/** One reply of the model. */
export interface ModelTurn {
  readonly text?: string;
  readonly thinking?: string;
  /** Repeats `text` this many times, `{{n}}` counting from 1. */
  readonly repeatText?: number;
  readonly toolCalls?: readonly ToolCall[];
  readonly usage?: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  /** The delay before the first byte. */
  readonly delayMs?: number;
  /** The size of the streamed pieces. */
  readonly chunkChars?: number;
  /** The delay between two pieces. */
  readonly chunkDelayMs?: number;
  readonly fault?: Fault;
}

/** A reply chosen by what the model is told, not by its place; rules are tried before the turns. */
export interface Rule {
  /** All of these conditions must hold. */
  readonly when: {
    /** A regular expression for the newest text of the user. */
    readonly lastUser?: string;
    /** How many replies the model has given since. */
    readonly step?: number;
  };
  /** How often it may be used; without limit unless given. */
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
  /** Which turn of the script answered a request, or `side`: titles, summaries and the like. */
  | { readonly kind: 'answer'; readonly seq: number; readonly answeredBy: string; readonly fault?: string }
  | {
      readonly kind: 'response';
      readonly seq: number;
      readonly status: number | null;
      readonly completed: boolean;
      /** The usage that the reply reports. */
      readonly usage?: ModelUsage;
    }
  | { readonly kind: 'upgrade-refused'; readonly path: string };

export function createFakeModel(
  scenario: Script,
  options?: { readonly variables?: Record<string, string>; readonly log?: (entry: LogEntry) => void },
): Server;
