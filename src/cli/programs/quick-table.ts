import { holdfastProgram } from './holdfast-program.js';
import type { LoadCommands } from './program.js';

const questions = () => import('../commands/questions/index.js');

/**
 * The first words of the commands that agents and scripts start often, with the files that they are in. They are one
 * CommonJS file of their own, which Node loads faster than the chunks of the others; see docs/decisions/0007.
 */
export const QUICK = {
  ask: questions,
  answer: questions,
  reject: questions,
  questions,
  waiting: () => import('../commands/questions/waiting.js'),
  change: () => import('../commands/change/index.js'),
  paths: () => import('../commands/settings/paths.js'),
} satisfies Readonly<Record<string, LoadCommands>>;

/** What there is of `holdfast` in the file of the quick commands. */
export const QUICK_HOLDFAST = holdfastProgram([{ title: '', words: QUICK }]);
