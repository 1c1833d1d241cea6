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

/** The runner whose output was recognised; `several` = more than one. */
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

/** The outcome of a test run. */
export type TestResults = CountedTestResults | UncountedTestResults;

/** A summary was found. */
export interface CountedTestResults {
  readonly source: 'summary';
  readonly framework: TestFramework;
  readonly passed: number;
  readonly failed: number;
  /** Skipped, ignored, to do, or expected to fail. */
  readonly skipped: number;
  readonly total: number;
  /** `packages`: plain `go test` does not report how many tests there were. */
  readonly unit: 'tests' | 'packages';
  /** No test ran at all: never a pass. */
  readonly isEmpty: boolean;
  readonly isPass: boolean;
  readonly durationMs?: number | undefined;
}

/** No summary was found: the number of tests is unknown, which is not 0 of 0. */
export interface UncountedTestResults {
  /** `exit-code`: nothing else is known. `text`: guessed from words. `nothing`: no mention of tests either. */
  readonly source: 'exit-code' | 'text' | 'nothing';
  readonly isPass: boolean | undefined;
}

/**
 * Finds test summaries in the output of a command. Several are added up. An exit code other than 0 (and `null`, for a
 * command ended by a signal) is never a pass; `undefined` means that the exit code is not known.
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

/** TAP counts only if no other runner is found: some of the others print it beside a summary of their own. */
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
