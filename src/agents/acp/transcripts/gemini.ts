import { join } from 'node:path';
import * as z from 'zod';
import type { KeptReply, ReadReplies } from '../../driver.js';
import { filesIn, isPlainId, momentOf, namesIn, objectsIn, readingQuietly } from '../../transcript-files.js';
import { countOf } from '../../usage.js';

const Message = z.object({
  id: z.string(),
  timestamp: z.unknown(),
  type: z.literal('gemini'),
  model: z.string().nullish().catch(null),
  tokens: z.object({
    input: z.unknown(),
    output: z.unknown(),
    cached: z.unknown(),
    thoughts: z.unknown(),
    tool: z.unknown(),
  }),
});
const Line = z.union([
  Message.transform((message) => [message]),
  z.object({ $set: z.object({ messages: z.array(z.unknown()) }) }).transform(({ $set }) =>
    $set.messages.flatMap((value) => {
      const { data } = Message.safeParse(value);
      return data === undefined ? [] : [data];
    }),
  ),
]);

/** Reads Gemini CLI's own transcript: `tmp/<project>/chats/session-<time>-<first 8 characters of the id>.jsonl`. */
export const readGeminiReplies: ReadReplies = (tools, { conversationId: id, environment }, since) =>
  readingQuietly(tools, () => {
    if (!isPlainId(id)) return [];
    const { fileSystem } = tools;
    const projects = join(environment.GEMINI_CLI_HOME ?? environment.HOME ?? '', '.gemini', 'tmp');
    const chats = namesIn(fileSystem, projects).map((name) => join(projects, name, 'chats'));
    const files = filesIn(fileSystem, chats, (name) => name.endsWith(`-${id.slice(0, 8)}.jsonl`));
    // A later line with the same id replaces the earlier one.
    const replies = new Map<string, KeptReply>();
    for (const value of files.flatMap((path) => objectsIn(fileSystem, path, ['"tokens"']))) {
      for (const message of Line.safeParse(value).data ?? []) {
        const at = momentOf(message.timestamp);
        if (at >= since) replies.set(message.id, replyOf(message, at));
      }
    }
    return [...replies.values()];
  });

/** Its input includes what was read from the cache; its output does not include the model's thinking. */
function replyOf({ id, model = null, tokens }: z.infer<typeof Message>, at: Date): KeptReply {
  const cacheReadTokens = countOf(tokens.cached);
  return {
    reply: id,
    at,
    model,
    tokens: {
      inputTokens: Math.max(0, countOf(tokens.input) - cacheReadTokens) + countOf(tokens.tool),
      outputTokens: countOf(tokens.output) + countOf(tokens.thoughts),
      cacheReadTokens,
      cacheWriteTokens: 0,
    },
    costUsd: null,
  };
}
