import * as z from 'zod';

/** A field we can do without: whatever is wrong with it, the message still counts. */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** What one reply, or all of them, used. The input includes what was read from the cache or written to it. */
export const Tokens = z.looseObject({
  totalTokens: z.unknown().optional(),
  inputTokens: z.unknown().optional(),
  cachedInputTokens: z.unknown().optional(),
  cacheWriteInputTokens: z.unknown().optional(),
  outputTokens: z.unknown().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** Why something failed; `codexErrorInfo` is a word, or an object with one key. */
export const Trouble = z.looseObject({
  message: optional(z.string()),
  codexErrorInfo: z.unknown().optional(),
  additionalDetails: optional(z.string()),
});
export type Trouble = z.infer<typeof Trouble>;

const PatchChange = z.looseObject({
  path: z.string(),
  kind: optional(z.looseObject({ type: optional(z.string()), move_path: optional(z.string()) })),
  diff: optional(z.string()),
});
export type PatchChange = z.infer<typeof PatchChange>;

/** Each type of item has some of the fields. */
export const Item = z.looseObject({
  id: optional(z.string()),
  type: z.string(),
  status: optional(z.string()),
  text: optional(z.string()),
  summary: optional(z.array(z.string())),
  content: z.unknown().optional(),
  command: optional(z.string()),
  aggregatedOutput: optional(z.string()),
  exitCode: optional(z.number()),
  changes: optional(z.array(PatchChange)),
  server: optional(z.string()),
  tool: optional(z.string()),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  error: optional(Trouble),
  query: optional(z.string()),
});
export type Item = z.infer<typeof Item>;

/** A part of what was sent to the model or came from it, in the service's own format. */
const RawItem = z.looseObject({
  type: z.string(),
  call_id: optional(z.string()),
  name: optional(z.string()),
  arguments: optional(z.string()),
  input: optional(z.string()),
  output: z.unknown().optional(),
});
export type RawItem = z.infer<typeof RawItem>;

const ofThread = { threadId: optional(z.string()), turnId: optional(z.string()) };
const piece = z.looseObject({ ...ofThread, itemId: z.string(), delta: z.string() });
const turn = z.looseObject({
  ...ofThread,
  turn: z.looseObject({ id: z.string(), status: optional(z.string()), error: optional(Trouble) }),
});

/** How much of an allowance is used. */
const RateWindow = z.looseObject({
  usedPercent: optional(z.number()),
  windowDurationMins: optional(z.number()),
  /** Seconds since 1970. */
  resetsAt: optional(z.number()),
});
export type RateWindow = z.infer<typeof RateWindow>;

/** The notifications we act on, with their parameters. */
const NOTIFICATIONS = {
  'turn/started': turn,
  'turn/completed': turn,
  'item/started': z.looseObject({ ...ofThread, item: Item }),
  'item/completed': z.looseObject({ ...ofThread, item: Item }),
  'item/agentMessage/delta': piece,
  'item/reasoning/summaryTextDelta': piece,
  'item/reasoning/summaryPartAdded': z.looseObject({
    ...ofThread,
    itemId: z.string(),
    summaryIndex: z.number(),
  }),
  'thread/tokenUsage/updated': z.looseObject({
    ...ofThread,
    tokenUsage: z.looseObject({ total: Tokens, last: Tokens, modelContextWindow: z.unknown().optional() }),
  }),
  'rawResponse/completed': z.looseObject({ ...ofThread, usage: optional(Tokens) }),
  'rawResponseItem/completed': z.looseObject({ ...ofThread, item: RawItem }),
  'serverRequest/resolved': z.looseObject({ ...ofThread, requestId: z.union([z.string(), z.number()]) }),
  'account/rateLimits/updated': z.looseObject({
    ...ofThread,
    rateLimits: z.looseObject({ primary: optional(RateWindow), secondary: optional(RateWindow) }),
  }),
  error: z.looseObject({ ...ofThread, error: Trouble, willRetry: optional(z.boolean()) }),
  warning: z.looseObject({ ...ofThread, message: z.string() }),
} as const;

type Notifications = typeof NOTIFICATIONS;
export type Notification = {
  [Method in keyof Notifications]: {
    readonly method: Method;
    readonly params: z.infer<Notifications[Method]>;
  };
}[keyof Notifications];

/** A notification that we act on; null = we do not act on it, undefined = it cannot be read. */
export function readNotification(method: string, params: unknown): Notification | null | undefined {
  if (!Object.hasOwn(NOTIFICATIONS, method)) return null;
  const known = method as keyof Notifications;
  const read = NOTIFICATIONS[known].safeParse(params);
  return read.success ? ({ method: known, params: read.data } as Notification) : undefined;
}

export const Initialized = z.looseObject({ userAgent: optional(z.string()) });

export const OpenedThread = z.looseObject({
  thread: z.looseObject({ id: z.string(), model: optional(z.string()) }),
  model: optional(z.string()),
});

export const StartedTurn = z.looseObject({ turn: z.looseObject({ id: z.string() }) });

/** The user's own settings for a sandbox in which the working directory is writable. */
export const ReadConfig = z.looseObject({
  config: z.looseObject({
    sandbox_workspace_write: optional(
      z.looseObject({
        writable_roots: optional(z.array(z.string())),
        network_access: optional(z.boolean()),
        exclude_tmpdir_env_var: optional(z.boolean()),
        exclude_slash_tmp: optional(z.boolean()),
      }),
    ),
  }),
});
export type ReadConfig = z.infer<typeof ReadConfig>;

/** What the agent asks us for. */
export const CommandApproval = z.looseObject({
  itemId: z.string(),
  kind: optional(z.string()),
  approvalId: optional(z.string()),
  command: optional(z.string()),
  cwd: optional(z.string()),
  reason: optional(z.string()),
  networkApprovalContext: z.unknown().optional(),
  additionalPermissions: z.unknown().optional(),
});
export type CommandApproval = z.infer<typeof CommandApproval>;

export const FileApproval = z.looseObject({
  itemId: z.string(),
  reason: optional(z.string()),
  grantRoot: optional(z.string()),
});
export type FileApproval = z.infer<typeof FileApproval>;

export const WiderPermissions = z.looseObject({
  itemId: z.string(),
  cwd: optional(z.string()),
  reason: optional(z.string()),
  permissions: z.looseObject({ network: z.unknown().optional(), fileSystem: z.unknown().optional() }),
});
export type WiderPermissions = z.infer<typeof WiderPermissions>;

export const Elicitation = z.looseObject({
  serverName: z.string(),
  message: optional(z.string()),
  _meta: optional(
    z.looseObject({ codex_approval_kind: optional(z.string()), tool_params: z.unknown().optional() }),
  ),
});
export type Elicitation = z.infer<typeof Elicitation>;
