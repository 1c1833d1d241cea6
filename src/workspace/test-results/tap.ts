import type { FindSummaries, SummaryCounts } from './counts.js';

const PLAN = /^1\.\.(\d+)(?:\s*#.*)?$/;
const TEST = /^(not )?ok\b(?:\s+\d+)?(?<rest>.*)$/;
const DIRECTIVE = /(?:^|\s)#\s*(?:skip|todo)/i;

/**
 * The Test Anything Protocol: counts the tests at the top level; indented ones are parts of those. A test that was
 * planned but never ran counts as failed. Without a plan it is not TAP.
 */
export const findTap: FindSummaries = (output) => {
  let planned: number | undefined;
  let counts = { passed: 0, failed: 0, skipped: 0 };
  for (const line of output.split('\n')) {
    const plan = PLAN.exec(line);
    if (plan !== null) planned = (planned ?? 0) + Number(plan[1]);
    const test = TEST.exec(line);
    if (test !== null) counts = countTest(counts, test);
  }
  if (planned === undefined) return [];
  const missing = Math.max(0, planned - counts.passed - counts.failed - counts.skipped);
  return [{ ...counts, failed: counts.failed + missing }];
};

function countTest(counts: SummaryCounts, test: RegExpExecArray): SummaryCounts {
  if (DIRECTIVE.test(test.groups?.rest ?? '')) return { ...counts, skipped: counts.skipped + 1 };
  return test[1] === undefined
    ? { ...counts, passed: counts.passed + 1 }
    : { ...counts, failed: counts.failed + 1 };
}
