import type { AppWorld } from './app-world.js';
import { question } from './question-world.js';

/** One question, as a command line gives it. */
export const SET = JSON.stringify({ questions: [question()] });
/** Two questions, the second with several answers. */
export const TWO = JSON.stringify({
  questions: [
    question(),
    question({
      title: 'Parts',
      prompt: 'Which parts?',
      multiSelect: true,
      options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }],
    }),
  ],
});

/** Asks a set and returns its id. */
export async function asked(world: AppWorld, set = SET, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await world.run(['ask', '--no-wait', set, ...more]);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** The keys of a report, as scripts depend on them. */
export const REPORT_KEYS = [
  'sessionId',
  'status',
  'questions',
  'answers',
  'rejectionReason',
  'abandonedReason',
  'late',
  'createdAt',
  'lastActivityAt',
  'expiresAt',
  'collectedAt',
  'workingDirectory',
  'asker',
  'isAskerGone',
  'faults',
];
