import { join } from 'node:path';
import * as z from 'zod';
import type { KeptReply, ReadReplies } from './driver.js';
import { filesIn, isPlainId, momentOf, namesIn, objectsIn, readingQuietly } from './transcript-files.js';
import { countOf } from './usage.js';

const Counts = z.object({
  input_tokens: z.unknown(),
  cached_input_tokens: z.unknown().optional(),
  cache_write_input_tokens: z.unknown().optional(),
  output_tokens: z.unknown(),
});
const Line = z.object({
  timestamp: z.unknown(),
  payload: z.object({
    type: z.string().optional(),
    model: z.string().optional(),
    info: z.object({ total_token_usage: z.unknown(), last_token_usage: Counts }).nullish().catch(null),
  }),
});

/** Reads Codex's own transcript: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. It does not name replies. */
export const readCodexReplies: ReadReplies = (tools, { conversationId: id, environment }, since) =>
  readingQuietly(tools, () => {
    if (!isPlainId(id)) return [];
    const { fileSystem } = tools;
    const home = environment.CODEX_HOME ?? join(environment.HOME ?? '', '.codex');
    let directories = [join(home, 'sessions')];
    for (const _level of ['year', 'month', 'day'])
      directories = directories.flatMap((directory) =>
        namesIn(fileSystem, directory).map((name) => join(directory, name)),
      );
    const files = filesIn(fileSystem, directories, (name) => name.endsWith(`-${id}.jsonl`));
    return files.flatMap((path) => repliesIn(objectsIn(fileSystem, path, WORDS), since));
  });

const WORDS = ['"token_count"', '"turn_context"'];

function repliesIn(lines: readonly object[], since: Date): KeptReply[] {
  const replies: KeptReply[] = [];
  let model: string | null = null;
  let total = '';
  for (const value of lines) {
    const line = Line.safeParse(value).data;
    model = line?.payload.model ?? model;
    const info = line?.payload.info ?? undefined;
    if (line === undefined || info === undefined) continue;
    // The same numbers are written again when only the account's limits have changed.
    const sum = JSON.stringify(info.total_token_usage);
    const isNew = sum !== total;
    total = sum;
    const at = momentOf(line.timestamp);
    if (isNew && at >= since)
      replies.push({ reply: null, at, model, tokens: countsOf(info.last_token_usage), costUsd: null });
  }
  return replies;
}

function countsOf(counts: z.infer<typeof Counts>): KeptReply['tokens'] {
  const cacheReadTokens = countOf(counts.cached_input_tokens);
  const cacheWriteTokens = countOf(counts.cache_write_input_tokens);
  return {
    inputTokens: Math.max(0, countOf(counts.input_tokens) - cacheReadTokens - cacheWriteTokens),
    outputTokens: countOf(counts.output_tokens),
    cacheReadTokens,
    cacheWriteTokens,
  };
}
