import type { FindSummaries } from './counts.js';

const SUMMARY =
  /^Ran (?<ran>\d+) tests? in (?<seconds>\d+\.\d+)s\n\n(?:OK|FAILED|NO TESTS RAN)(?: \((?<details>[^)\n]*)\))?$/gm;

/**
 * Python's unittest. What it ran includes what was skipped. Each failing subtest counts as a failure, so there may be more
 * failures than tests.
 */
export const findUnittest: FindSummaries = (output) =>
  [...output.matchAll(SUMMARY)].map(({ groups = {} }) => {
    const { ran, seconds, details = '' } = groups;
    const counts = new Map(
      [...details.matchAll(/([a-z ]+)=(\d+)/g)].map(([, name = '', count]) => [name.trim(), Number(count)]),
    );
    const sum = (...names: readonly string[]) =>
      names.reduce((all, name) => all + (counts.get(name) ?? 0), 0);
    const failed = sum('failures', 'errors', 'unexpected successes');
    const skipped = sum('skipped', 'expected failures');
    return {
      passed: Math.max(0, Number(ran) - failed - skipped),
      failed,
      skipped,
      durationMs: Number(seconds) * 1_000,
    };
  });
