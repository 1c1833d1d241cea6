import * as z from 'zod';

// Keys that are not named here are dropped: nothing is written back, and copying them would double the time per line.

/** A field we can do without: whatever is wrong with it, the line still counts. */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

export const Tokens = optional(
  z.object({
    input_tokens: optional(z.number()),
    output_tokens: optional(z.number()),
    cache_read_input_tokens: optional(z.number()),
    cache_creation_input_tokens: optional(z.number()),
  }),
);
export type Tokens = NonNullable<z.infer<typeof Tokens>>;

/** Text, thinking, a tool call or a tool result; other blocks have none of the fields. */
const Block = z.object({
  type: z.string(),
  text: z.string().nullish(),
  thinking: z.string().nullish(),
  id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
  tool_use_id: z.string().nullish(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
export type Block = z.infer<typeof Block>;

/** `init` is sent again with every turn. */
const SystemLine = z.object({
  type: z.literal('system'),
  subtype: z.string(),
  session_id: optional(z.string()),
  model: optional(z.string()),
  claude_code_version: optional(z.string()),
  attempt: optional(z.number()),
  retry_delay_ms: optional(z.number()),
  error_status: optional(z.number()),
  error: optional(z.string()),
});
export type SystemLine = z.infer<typeof SystemLine>;

/** One content block of a reply; all lines of a reply share `message.id`. */
const AssistantLine = z.object({
  type: z.literal('assistant'),
  message: z.object({
    id: optional(z.string()),
    model: optional(z.string()),
    content: z.array(Block),
    usage: Tokens,
  }),
  /** Set if a sub-agent is speaking. */
  parent_tool_use_id: optional(z.string()),
  /** Set if the text is an error of the model API. */
  error: optional(z.string()),
});
export type AssistantLine = z.infer<typeof AssistantLine>;

const UserLine = z.object({
  type: z.literal('user'),
  message: z.object({ content: z.union([z.string(), z.array(Block)]) }),
});
export type UserLine = z.infer<typeof UserLine>;

/** An event of the model API, passed on unchanged: most lines are of this kind. */
const StreamLine = z.object({
  type: z.literal('stream_event'),
  event: z.object({
    type: z.string(),
    index: z.number().optional(),
    delta: z.object({ text: z.string().optional(), thinking: z.string().optional() }).optional(),
    /** Only in `message_start`; see `ReplyStart`. */
    message: z.unknown().optional(),
    /** Only in `message_delta`. */
    usage: z.unknown().optional(),
  }),
  parent_tool_use_id: z.string().nullish(),
});
export type StreamLine = z.infer<typeof StreamLine>;

/**
 * Checks by hand what the schema says. With the schema such a line takes two thirds longer than its `JSON.parse`, and
 * there are hundreds of them for every other line. A line that fails here goes to the schema, which says why.
 */
export function isStreamLine(value: object): value is StreamLine {
  const { event, parent_tool_use_id: parent } = value as Unchecked<StreamLine>;
  if (!isRecord(event) || !isStringOrNone(parent ?? undefined)) return false;
  const { type, index, delta } = event as Unchecked<StreamLine['event']>;
  if (typeof type !== 'string' || (index !== undefined && typeof index !== 'number')) return false;
  if (delta === undefined) return true;
  if (!isRecord(delta)) return false;
  const { text, thinking } = delta as Unchecked<NonNullable<StreamLine['event']['delta']>>;
  return isStringOrNone(text) && isStringOrNone(thinking);
}

/** The keys of an object whose values have not been checked yet. */
type Unchecked<Shape> = { readonly [Key in keyof Shape]?: unknown };

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStringOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

export const ReplyStart = z.object({ id: optional(z.string()), model: optional(z.string()), usage: Tokens });

const ModelUsage = optional(
  z.record(
    z.string(),
    z.object({
      inputTokens: optional(z.number()),
      outputTokens: optional(z.number()),
      cacheReadInputTokens: optional(z.number()),
      cacheCreationInputTokens: optional(z.number()),
      costUSD: optional(z.number()),
      contextWindow: optional(z.number()),
    }),
  ),
);
export type ModelUsage = NonNullable<z.infer<typeof ModelUsage>>;

/** The end of a turn. Nothing in it is required: a turn must end whatever else is wrong with its last line. */
const ResultLine = z.object({
  type: z.literal('result'),
  subtype: optional(z.string()),
  is_error: optional(z.boolean()),
  result: optional(z.string()),
  errors: optional(z.array(z.string())),
  stop_reason: optional(z.string()),
  terminal_reason: optional(z.string()),
  api_error_status: optional(z.number()),
  usage: Tokens,
  modelUsage: ModelUsage,
  model_usage_since_last_result: ModelUsage,
  total_cost_usd: optional(z.number()),
});
export type ResultLine = z.infer<typeof ResultLine>;

const RateLimitLine = z.object({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z.object({
    status: z.string(),
    /** Seconds since 1970. */
    resetsAt: optional(z.number()),
    rateLimitType: optional(z.string()),
    isUsingOverage: optional(z.boolean()),
    /** The share that is used, from 0 to 1. */
    utilization: optional(z.number()),
  }),
});
export type RateLimitLine = z.infer<typeof RateLimitLine>;

/** A question to us, answered with a `control_response` of the same id. */
const ControlRequestLine = z.object({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.object({
    subtype: z.string(),
    tool_name: optional(z.string()),
    input: z.unknown().optional(),
    tool_use_id: optional(z.string()),
  }),
});
export type ControlRequestLine = z.infer<typeof ControlRequestLine>;

const ControlCancelLine = z.object({
  type: z.literal('control_cancel_request'),
  request_id: z.string(),
});

/** The lines we act on; all others are skipped. */
const LINES = {
  system: SystemLine,
  assistant: AssistantLine,
  user: UserLine,
  stream_event: StreamLine,
  result: ResultLine,
  rate_limit_event: RateLimitLine,
  control_request: ControlRequestLine,
  control_cancel_request: ControlCancelLine,
} as const;
export type ClaudeLine = z.infer<(typeof LINES)[keyof typeof LINES]>;

const SCHEMAS: ReadonlyMap<string, z.ZodType<ClaudeLine>> = new Map(Object.entries(LINES));

/** The schema for lines of a type, if we act on it. */
export function schemaOf(type: string): z.ZodType<ClaudeLine> | undefined {
  return SCHEMAS.get(type);
}

export function isKnownType(type: string): boolean {
  return SCHEMAS.has(type);
}
