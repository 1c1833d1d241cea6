import * as z from 'zod';

/** A field we can do without: whatever is wrong with it, the line still counts. */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** The total of the thread, not of the turn. What was cached, or written to the cache, is part of the input. */
const Totals = z.looseObject({
  input_tokens: z.number(),
  cached_input_tokens: optional(z.number()),
  cache_write_input_tokens: optional(z.number()),
  output_tokens: z.number(),
});
export type Totals = z.infer<typeof Totals>;

const Failure = z.looseObject({ message: optional(z.string()) });

/** Each type of item has some of the fields. */
export const Item = z.looseObject({
  id: optional(z.string()),
  type: z.string(),
  status: optional(z.string()),
  text: optional(z.string()),
  message: optional(z.string()),
  command: optional(z.string()),
  aggregated_output: optional(z.string()),
  exit_code: optional(z.number()),
  changes: optional(z.array(z.looseObject({ path: z.string(), kind: optional(z.string()) }))),
  server: optional(z.string()),
  tool: optional(z.string()),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  error: optional(Failure),
  query: optional(z.string()),
});
export type Item = z.infer<typeof Item>;

/** The lines we act on. */
export const CodexLine = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.looseObject({ type: z.literal('item.started'), item: Item }),
  z.looseObject({ type: z.literal('item.completed'), item: Item }),
  z.looseObject({ type: z.literal('error'), message: optional(z.string()) }),
  // Nothing else in the last lines is required: a turn must end whatever is wrong with them.
  z.looseObject({ type: z.literal('turn.completed'), usage: optional(Totals) }),
  z.looseObject({ type: z.literal('turn.failed'), error: optional(Failure) }),
]);
export type CodexLine = z.infer<typeof CodexLine>;

/** What tells a line that is none of ours from one that is broken. */
export const AnyLine = z.looseObject({ type: z.string() });

const KNOWN_TYPES: ReadonlySet<string> = new Set<CodexLine['type']>([
  'thread.started',
  'item.started',
  'item.completed',
  'error',
  'turn.completed',
  'turn.failed',
]);

/** Whether a line of this type is one that we act on; others are passed over. */
export function isKnownType(type: string): boolean {
  return KNOWN_TYPES.has(type);
}
