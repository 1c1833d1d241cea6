import * as z from 'zod';
import { runProgram } from '../../../programs/index.js';
import type { KeptReply, ReadReplies } from '../../driver.js';
import { isPlainId, momentOf, readingQuietly } from '../../transcript-files.js';
import { countOf, dollarsOf } from '../../usage.js';

const EXPORT_TIMEOUT_MS = 20_000;

const Message = z.object({
  info: z.object({
    id: z.string(),
    role: z.literal('assistant'),
    providerID: z.string().optional(),
    modelID: z.string().optional(),
    time: z.object({ created: z.unknown() }),
    cost: z.unknown(),
    tokens: z.object({
      input: z.unknown(),
      output: z.unknown(),
      reasoning: z.unknown(),
      cache: z.object({ read: z.unknown(), write: z.unknown() }),
    }),
  }),
});
const Exported = z.object({ messages: z.array(z.unknown()) });

/** Reads opencode's database through its own command: over ACP it reports only the tokens of a turn's last reply. */
export const readOpencodeReplies: ReadReplies = (tools, place, since) =>
  readingQuietly(tools, async () => {
    const { conversationId, command, workingDirectory, environment } = place;
    if (!isPlainId(conversationId)) return [];
    const args = [...place.args, 'export', conversationId];
    const spec = { command, args, workingDirectory, environment };
    const { lines, exit } = await runProgram(tools, spec, EXPORT_TIMEOUT_MS);
    if (exit.code !== 0) return null;
    const { messages } = Exported.parse(JSON.parse(lines.join('\n')));
    return messages.flatMap((value) => {
      const { data } = Message.safeParse(value);
      const reply = data === undefined ? undefined : replyOf(data.info);
      return reply === undefined || reply.at < since ? [] : [reply];
    });
  });

/** Thinking tokens are counted separately from the output; a reply that was cut off has no counts at all. */
function replyOf(info: z.infer<typeof Message>['info']): KeptReply {
  const { tokens } = info;
  return {
    reply: info.id,
    at: momentOf(info.time.created),
    model: info.modelID ?? null,
    tokens: {
      inputTokens: countOf(tokens.input),
      outputTokens: countOf(tokens.output) + countOf(tokens.reasoning),
      cacheReadTokens: countOf(tokens.cache.read),
      cacheWriteTokens: countOf(tokens.cache.write),
    },
    costUsd: dollarsOf(info.cost),
  };
}
