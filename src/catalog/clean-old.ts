import * as z from 'zod';
import {
  type Clock,
  DAY_MS,
  defineOperation,
  type Logger,
  silentLogger,
  systemClock,
} from '../foundation/index.js';
import type { ConversationSessions } from '../sessions/conversation/index.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import { type RetainReport, retain } from './retain.js';

// Separate from the other operations: the commands of questions start often and need none of those.

/** What cleaning needs besides the sessions: the time and a log. */
export interface CleaningTools {
  /** The system clock if absent. */
  readonly clock?: Clock | undefined;
  /** Nothing is logged if absent. */
  readonly log?: Logger | undefined;
}

export const cleanOldQuestions = defineOperation({
  name: 'question.clean',
  summary: 'Move old question sets to the trash',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  input: z.strictObject({
    olderThanDays: z.number().nonnegative().optional(),
    isDryRun: z.boolean().default(false),
    takesUncollected: z.boolean().default(false),
  }),
  output: z.object({
    retired: z.array(z.string()),
    purged: z.array(z.string()),
    uncollected: z.array(z.string()),
    skipped: z.array(z.object({ id: z.string(), reason: z.string() })),
  }),
  async run(
    services: CleaningTools & { readonly questions: QuestionSessions },
    { olderThanDays, isDryRun, takesUncollected },
  ) {
    const { questions, clock = systemClock, log = silentLogger } = services;
    const olderThanMs = olderThanDays === undefined ? questions.retentionMs : olderThanDays * DAY_MS;
    const options = { olderThanMs, isDryRun, takesUncollected };
    const report = await retain(questions, { clock, log }, options);
    const { retired, purged, uncollected, skipped } = report;
    return {
      retired: [...retired],
      purged: [...purged],
      uncollected: [...uncollected],
      skipped: [...skipped],
    };
  },
});

export const cleanOldConversations = defineOperation({
  name: 'conversation.clean',
  summary: 'Move old conversations to the trash',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ olderThanDays: z.number().nonnegative() });
  },
  get output() {
    return z.custom<Omit<RetainReport, 'uncollected'>>();
  },
  async run(services: CleaningTools & { readonly conversations: ConversationSessions }, { olderThanDays }) {
    const { conversations, clock = systemClock, log = silentLogger } = services;
    const options = { olderThanMs: olderThanDays * DAY_MS };
    const { uncollected: _, ...report } = await retain(conversations, { clock, log }, options);
    return report;
  },
});
