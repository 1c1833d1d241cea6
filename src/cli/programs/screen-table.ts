import type { QuickFile } from './quick-table.js';

/*
 * The screens that people open often. They are made like the commands of `quick-table.ts`, with what draws in them: packages that a
 * start does not need, and what only some of them need, are loaded late. They go on for long, and so write and end as any program does.
 */

/** What is waiting for a person. */
export const inbox = {
  isLongLived: true,
  holdfast: { inbox: () => import('../commands/questions/inbox.js') },
} as const satisfies QuickFile;
