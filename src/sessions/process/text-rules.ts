/** The published rules for programs of which nothing better is known: what the text of an answer tells. */

const CHANGED_FILES = ['Created file', 'Modified file', 'Deleted file'];
const OTHER_CHANGES = ['wrote to', 'updated', 'changed'];

/** Whether a text speaks of changes. */
export function textTellsChanges(text: string): boolean {
  return [...CHANGED_FILES, ...OTHER_CHANGES].some((words) => text.includes(words));
}

/** How many changed files a text speaks of. */
export function countTextChanges(text: string): number {
  return CHANGED_FILES.reduce((sum, words) => sum + text.split(words).length - 1, 0);
}
