import * as z from 'zod';
import { type Clock, defineOperation, type Logger, silentLogger, systemClock } from '../foundation/index.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import { retain } from './retain.js';

/** What cleaning needs: the question sessions, the time, and somebody to tell. */
export interface CleaningServices {
  readonly questions: QuestionSessions;
  /** The time of the system if absent. */
  readonly clock?: Clock | undefined;
  /** Nobody is told if absent. */
  readonly log?: Logger | undefined;
}

export const cleanOldQuestions = defineOperation({
  name: 'question.clean',
  summary: 'Move old question sets that are not pending to the trash',
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
  async run(services: CleaningServices, { olderThanDays, isDryRun, takesUncollected }) {
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

const DAY_MS = 24 * 60 * 60 * 1_000;
