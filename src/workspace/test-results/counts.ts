/** What one summary of a test runner says. */
export interface SummaryCounts {
  readonly passed: number;
  readonly failed: number;
  /** Skipped, ignored, to do, or expected to fail. */
  readonly skipped: number;
  readonly durationMs?: number | undefined;
}

/** Finds every summary of one test runner in output without colour codes and with plain line endings. */
export type FindSummaries = (output: string) => readonly SummaryCounts[];

/** The counts of several summaries together. A duration is given only if every summary has one. */
export function addCounts(summaries: readonly SummaryCounts[]): SummaryCounts {
  const sum = (pick: (counts: SummaryCounts) => number) =>
    summaries.reduce((all, counts) => all + pick(counts), 0);
  const isTimed = summaries.length > 0 && summaries.every(({ durationMs }) => durationMs !== undefined);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    ...(isTimed ? { durationMs: Math.round(sum(({ durationMs }) => durationMs ?? 0)) } : {}),
  };
}

/** Turns a list such as `1 failed | 4 passed, 2 errors` into numbers by word. */
export function countsByWord(text: string): (...words: readonly string[]) => number {
  const byWord = new Map<string, number>();
  for (const [, count = '', word = ''] of text.matchAll(/(\d+) ([a-z]+)/g)) byWord.set(word, Number(count));
  return (...words) => words.reduce((sum, word) => sum + (byWord.get(word) ?? 0), 0);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Turns a duration such as `1.5` and `s` into milliseconds. */
export function toMilliseconds(value: string | undefined, unit: string | undefined): number {
  return Number(value) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
}
