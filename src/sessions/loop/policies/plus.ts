/** Adds two counts, without growing beyond what a reader accepts. */
export function plus(before: number, more: number): number {
  return Math.min(before + more, Number.MAX_SAFE_INTEGER);
}
