import * as z from 'zod';

/**
 * The part of the agents' messages that we read. The SDK types are the specification; these schemas are what we can live
 * with: fields of the wrong kind count as missing and unknown ones are let through, so that one odd agent (or the next
 * version of a good one) does not cost a turn.
 */

function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** A list without the elements that cannot be read. */
function readableOf<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(schema.nullable().catch(null))
    .transform((entries) => entries.filter((entry) => entry !== null));
}

const Text = lenient(z.string());
/** Any value: `NumberCheck` counts what is a number and reports the rest. */
const Count = z.unknown().optional();
const Meta = lenient(z.record(z.string(), z.unknown()));
const Present = lenient(z.record(z.string(), z.unknown()));

export const ContentBlock = z.object({ type: z.string(), text: Text });

export const ToolContent = z.object({
  type: z.string(),
  content: lenient(ContentBlock),
  path: Text,
  oldText: Text,
  newText: Text,
});
export type ToolContent = z.infer<typeof ToolContent>;

/** A tool call, or its outcome; `tool_call`, `tool_call_update` and permission requests have the same fields. */
export const ToolCallFields = z.object({
  toolCallId: Text,
  title: Text,
  name: Text,
  kind: Text,
  status: Text,
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  /** A location that cannot be read becomes one without a name: it must not be dropped. */
  locations: lenient(z.array(z.object({ path: z.string() }).catch({ path: '' }))),
  _meta: Meta,
});
export type ToolCallFields = z.infer<typeof ToolCallFields>;

/** A choice that the agent offers when it asks for permission; `kind` says what choosing it means. */
export const PermissionOption = z.object({ optionId: z.string(), kind: Text });
export type PermissionOption = z.infer<typeof PermissionOption>;

export const PermissionParams = z.object({
  sessionId: Text,
  toolCall: ToolCallFields.extend({ content: z.unknown().optional() }),
  options: readableOf(PermissionOption).catch([]),
});
export type PermissionParams = z.infer<typeof PermissionParams>;

/** One update of a session, of any kind. */
export const SessionUpdate = ToolCallFields.extend({
  sessionUpdate: z.string(),
  /** One block in message chunks, a list of blocks in tool calls. */
  content: z.unknown().optional(),
  messageId: Text,
  used: Count,
  size: Count,
  cost: lenient(z.object({ amount: z.unknown(), currency: z.string() })),
  severity: Text,
  description: Text,
});
export type SessionUpdate = z.infer<typeof SessionUpdate>;

export const SessionNotification = z.object({ sessionId: z.string(), update: SessionUpdate });
export type SessionNotification = z.infer<typeof SessionNotification>;

export const Initialized = z.object({
  protocolVersion: lenient(z.number()),
  agentInfo: lenient(z.object({ version: Text })),
  authMethods: z
    .array(z.object({ id: z.string(), name: Text, description: Text, type: Text }))
    .nullish()
    .catch(undefined),
  agentCapabilities: lenient(
    z.object({
      loadSession: lenient(z.boolean()),
      sessionCapabilities: lenient(z.object({ resume: Present, close: Present, systemPrompt: Present })),
    }),
  ),
});
export type Initialized = z.infer<typeof Initialized>;

const Choice = z.object({ value: z.string(), name: Text });

export const ConfigOption = z.object({
  id: z.string(),
  category: Text,
  currentValue: Text,
  /** A list of choices, or of groups of choices. */
  options: z
    .array(
      z.union([
        Choice.transform((choice) => [choice]),
        z.object({ options: z.array(Choice) }).transform((group) => group.options),
      ]),
    )
    .transform((groups) => groups.flat())
    .catch([]),
});
export type ConfigOption = z.infer<typeof ConfigOption>;

/** The answer to `session/new`, `session/load` and `session/resume`. */
export const OpenedSession = z.object({
  sessionId: Text,
  modes: lenient(
    z.object({ currentModeId: Text, availableModes: z.array(z.object({ id: z.string() })).catch([]) }),
  ),
  /** Not in the stable protocol, but Gemini and others send it. */
  models: lenient(
    z.object({
      currentModelId: Text,
      availableModels: z.array(z.object({ modelId: z.string(), name: Text })).catch([]),
    }),
  ),
  configOptions: readableOf(ConfigOption).nullish().catch(undefined),
});
export type OpenedSession = z.infer<typeof OpenedSession>;

const TokenCount = z.object({
  inputTokens: Count,
  outputTokens: Count,
  cachedReadTokens: Count,
  cachedInputTokens: Count,
  cachedWriteTokens: Count,
  input_tokens: Count,
  output_tokens: Count,
});
export type TokenCount = z.infer<typeof TokenCount>;

export const PromptResult = z.object({
  stopReason: Text,
  usage: lenient(TokenCount),
  _meta: lenient(z.object({ quota: lenient(z.object({ token_count: lenient(TokenCount) })) })),
});
export type PromptResult = z.infer<typeof PromptResult>;
