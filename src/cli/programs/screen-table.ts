import type { QuickFile } from './quick-table.js';

/*
 * The screens that people open often. Their files are made like those of `quick-table.ts`, with what draws in them. A screen has the terminal
 * until the person leaves it: it writes and ends as any program does.
 */

/** What is waiting for a person. */
export const inbox = {
  isLongLived: true,
  holdfast: { inbox: () => import('../commands/questions/inbox.js') },
} as const satisfies QuickFile;
