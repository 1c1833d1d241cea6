import { countsByWord, type FindSummaries, toMilliseconds } from './counts.js';

const SUMMARY =
  /^ *Test Files {2}.*\n *Tests {2}(?<tests>.*)\n(?:.*\n){0,4}? *Duration {2}(?<duration>[\d.]+)(?<unit>ms|s|m)\b/gm;
const NOTHING_FOUND = /^No test files found, exiting with code \d+$/gm;

/** vitest, its default reporter. */
export const findVitest: FindSummaries = (output) => [
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
