import { countsByWord, type FindSummaries, toMilliseconds } from './counts.js';

const SUMMARY =
  /^Test Suites: .*\d+ total\nTests: +(?<tests>.*\d+ total)\nSnapshots: .*\nTime: +(?<duration>[\d.]+) (?<unit>ms|s|m)\b/gm;
const NOTHING_FOUND = /^No tests found, exiting with code \d+$/gm;

/** jest, its default reporter. */
export const findJest: FindSummaries = (output) => [
  ...[...output.matchAll(SUMMARY)].map(({ groups = {} }) => {
    const count = countsByWord(groups.tests ?? '');
    return {
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped', 'todo'),
      durationMs: toMilliseconds(groups.duration, groups.unit),
    };
  }),
  ...[...output.matchAll(NOTHING_FOUND)].map(() => ({ passed: 0, failed: 0, skipped: 0 })),
];
