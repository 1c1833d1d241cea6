/** What was there before and some more; so much that nobody could read it any more it never becomes. */
export function plus(before: number, more: number): number {
  return Math.min(before + more, Number.MAX_SAFE_INTEGER);
}
