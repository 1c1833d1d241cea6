import { stripVTControlCharacters } from 'node:util';
import { findCargoTest } from './cargo-test.js';
import { addCounts, type FindSummaries, type SummaryCounts } from './counts.js';
import { findGoTest, goCountsPackages } from './go-test.js';
import { findJest } from './jest.js';
import { findMocha } from './mocha.js';
import { findNodeTest } from './node-test.js';
import { findPytest } from './pytest.js';
import { findTap } from './tap.js';
import { judgeByText } from './text-rules.js';
import { findUnittest } from './unittest.js';
import { findVitest } from './vitest.js';

/** Who printed what was understood; `several` = more than one of them. */
export type TestFramework =
  | 'node:test'
  | 'vitest'
  | 'jest'
  | 'mocha'
  | 'pytest'
  | 'unittest'
  | 'go test'
  | 'cargo test'
  | 'tap'
  | 'several';

/** What a run of tests came to. */
export type TestResults = CountedTestResults | UncountedTestResults;

/** A summary was found. */
export interface CountedTestResults {
  readonly source: 'summary';
  readonly framework: TestFramework;
  readonly passed: number;
  readonly failed: number;
  /** Skipped, ignored, still to do, or expected to fail. */
  readonly skipped: number;
  readonly total: number;
  /** `packages`: plain `go test` does not tell how many tests there were. */
  readonly unit: 'tests' | 'packages';
  /** No test ran at all: never a pass. */
  readonly isEmpty: boolean;
  readonly isPass: boolean;
  readonly durationMs?: number | undefined;
}

/** No summary: how many tests there were is unknown, which is not 0 of 0. */
export interface UncountedTestResults {
  /** `exit-code`: nothing else is known. `text`: guessed from words. `nothing`: no word about tests either. */
  readonly source: 'exit-code' | 'text' | 'nothing';
  readonly isPass: boolean | undefined;
}

/**
 * Reads test summaries out of what a command printed. Several add up. An exit code other than 0 (and `null`, for a
 * command that a signal ended) is never a pass; `undefined` means that nobody knows the exit code.
 */
export function parseTestResults(output: string, exitCode?: number | null): TestResults {
  const text = stripVTControlCharacters(output).replaceAll('\r\n', '\n');
  const found = findAll(text);
  if (found.length > 0) return count(text, found, exitCode);
  if (exitCode !== undefined) return { source: 'exit-code', isPass: exitCode === 0 };
  const isPass = judgeByText(text);
  return { source: isPass === undefined ? 'nothing' : 'text', isPass };
}

const FINDERS: readonly (readonly [Exclude<TestFramework, 'several'>, FindSummaries])[] = [
  ['node:test', findNodeTest],
  ['vitest', findVitest],
  ['jest', findJest],
  ['mocha', findMocha],
  ['pytest', findPytest],
  ['unittest', findUnittest],
  ['go test', findGoTest],
  ['cargo test', findCargoTest],
];

interface Found {
  readonly framework: Exclude<TestFramework, 'several'>;
  readonly summaries: readonly SummaryCounts[];
}

/** TAP is what is left: some of the others print it beside a summary of their own. */
function findAll(text: string): Found[] {
  const search = (finders: typeof FINDERS) =>
    finders
      .map(([framework, find]) => ({ framework, summaries: find(text) }))
      .filter(({ summaries }) => summaries.length > 0);
  const found = search(FINDERS);
  return found.length > 0 ? found : search([['tap', findTap]]);
}

function count(
  text: string,
  found: readonly Found[],
  exitCode: number | null | undefined,
): CountedTestResults {
  const counts = addCounts(found.flatMap(({ summaries }) => summaries));
  const [first, ...others] = found;
  const framework = first === undefined || others.length > 0 ? 'several' : first.framework;
  const total = counts.passed + counts.failed + counts.skipped;
  const hasRun = counts.passed + counts.failed > 0;
  return {
    source: 'summary',
    framework,
    ...counts,
    total,
    unit: framework === 'go test' && goCountsPackages(text) ? 'packages' : 'tests',
    isEmpty: !hasRun,
    isPass: hasRun && counts.failed === 0 && (exitCode === undefined || exitCode === 0),
  };
}
