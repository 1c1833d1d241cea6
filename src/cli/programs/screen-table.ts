import type { QuickFile } from './quick-table.js';

/*
 * The screens that people open often. Their files are built like those of `quick-table.ts`, but include the code that draws. A
 * screen has the terminal until the person leaves it, so it writes and ends like any program.
 */

/** Shows what is waiting for a person. */
export const inbox = {
  isLongLived: true,
  holdfast: { inbox: () => import('../commands/questions/inbox.js') },
} as const satisfies QuickFile;
