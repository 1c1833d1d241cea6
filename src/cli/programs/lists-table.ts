import { holdfastProgram } from './holdfast-program.js';
import type { LoadCommands } from './program.js';

/**
 * The first words of the commands that look at sessions of every kind, with the files that they are in. They are a CommonJS
 * file of their own beside the quick ones, as they need much more; see docs/decisions/0007.
 */
export const LISTS = {
  top: () => import('../commands/overview/top.js'),
  status: () => import('../commands/run/status.js'),
  sessions: () => import('../commands/sessions/index.js'),
} satisfies Readonly<Record<string, LoadCommands>>;

/** What there is of `holdfast` in the file of these commands. */
export const LISTS_HOLDFAST = holdfastProgram([{ title: '', words: LISTS }]);
