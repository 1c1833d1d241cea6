import type { FindSummaries } from './counts.js';

const NAMES = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const;

/** The whole block, in order, because a test may well print a line that looks like part of it. */
const BLOCK = new RegExp(
  `${NAMES.map((name) => `^(?:ℹ|#) ${name} (?<${name}>\\d+)\\n`).join('')}^(?:ℹ|#) duration_ms (?<duration>[\\d.]+)`,
  'gm',
);

/** node:test, reporters `spec` and `tap`. */
export const findNodeTest: FindSummaries = (output) =>
  [...output.matchAll(BLOCK)].map(({ groups = {} }) => {
    const count = (name: (typeof NAMES)[number]) => Number(groups[name]);
    return {
      passed: count('pass'),
      failed: count('fail') + count('cancelled'),
      skipped: count('skipped') + count('todo'),
      durationMs: Number(groups.duration),
    };
  });
