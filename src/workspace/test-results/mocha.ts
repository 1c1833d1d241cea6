import { type FindSummaries, toMilliseconds } from './counts.js';

/** The block at the end, between empty lines, because a test may well print one line of it. */
const SUMMARY =
  /^\n {2}(?<passing>\d+) passing \((?<duration>\d+)(?<unit>ms|s|m)\)\n(?: {2}(?<pending>\d+) pending\n)?(?: {2}(?<failing>\d+) failing\n)?(?=\n|$)/gm;

/** mocha, its reporters `spec`, `dot`, `nyan`, `list` and all others that end with the same block. A hook that fails counts as a test. */
export const findMocha: FindSummaries = (output) =>
  [...output.matchAll(SUMMARY)].map(({ groups = {} }) => ({
    passed: Number(groups.passing),
    failed: Number(groups.failing ?? 0),
    skipped: Number(groups.pending ?? 0),
    durationMs: toMilliseconds(groups.duration, groups.unit),
  }));
