import type { FindSummaries } from './counts.js';

const SUMMARY =
  /^test result: (?:ok|FAILED)\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<ignored>\d+) ignored; (?<measured>\d+) measured; \d+ filtered out(?:; finished in (?<seconds>[\d.]+)s)?$/gm;

/** cargo test: one summary per target, and one for the examples in the documentation. */
export const findCargoTest: FindSummaries = (output) =>
  [...output.matchAll(SUMMARY)].map(({ groups = {} }) => ({
    passed: Number(groups.passed) + Number(groups.measured),
    failed: Number(groups.failed),
    skipped: Number(groups.ignored),
    durationMs: groups.seconds === undefined ? undefined : Number(groups.seconds) * 1_000,
  }));
