import { join } from 'node:path';
import * as z from 'zod';
import type { KeptReply, ReadReplies } from '../driver.js';
import { filesIn, isPlainId, momentOf, namesIn, objectsIn, readingQuietly } from '../transcript-files.js';
import { Tokens } from './schema.js';
import { tokenCounts } from './usage.js';

const Line = z.object({
  type: z.literal('assistant'),
  timestamp: z.unknown(),
  message: z.object({ id: z.string(), model: z.string().nullish().catch(null), usage: Tokens }),
});

/** Reads Claude Code's own transcript: `projects/<directory>/<id>.jsonl`, with sub-agents in a directory beside it. */
export const readClaudeReplies: ReadReplies = (tools, { conversationId: id, environment }, since) =>
  readingQuietly(tools, () => {
    if (!isPlainId(id)) return [];
    const { fileSystem } = tools;
    const home = environment.CLAUDE_CONFIG_DIR ?? join(environment.HOME ?? '', '.claude');
    const projects = join(home, 'projects');
    const directories = namesIn(fileSystem, projects).map((name) => join(projects, name));
    const files = [
      ...filesIn(fileSystem, directories, (name) => name === `${id}.jsonl`),
      ...filesIn(
        fileSystem,
        directories.map((directory) => join(directory, id, 'subagents')),
        (name) => name.endsWith('.jsonl'),
      ),
    ];
    // Each block of a reply has its own line with the name and usage of the whole reply; the last one counts.
    const replies = new Map<string, KeptReply>();
    for (const value of files.flatMap((path) => objectsIn(fileSystem, path, ['"assistant"']))) {
      const line = Line.safeParse(value).data;
      if (line?.message.usage === undefined || line.message.usage === null) continue;
      const { id: reply, model = null, usage } = line.message;
      const at = momentOf(line.timestamp);
      if (at >= since) replies.set(reply, { reply, at, model, tokens: tokenCounts(usage), costUsd: null });
    }
    return [...replies.values()];
  });
