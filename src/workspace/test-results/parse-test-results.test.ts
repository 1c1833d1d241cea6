import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.js';
import { parseTestResults, type TestFramework } from './parse-test-results.js';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/test-results/', import.meta.url));
const RECORDED = JSON.parse(readFileSync(`${FIXTURES}recorded.json`, 'utf8')) as Record<
  string,
  { exitCode: number }
>;

/** The result of each recorded run: passed, failed, skipped. `none`: it printed no summary. */
const EXPECTED: Readonly<Record<string, readonly [number, number, number] | 'none'>> = {
  'node-test/green-spec': [2, 0, 2],
  'node-test/red-spec': [4, 1, 2],
  'node-test/colour-spec': [2, 1, 0],
  'node-test/empty-spec': [0, 0, 0],
  'node-test/crashed-spec': [0, 1, 0],
  'node-test/green-tap': [2, 0, 2],
  'node-test/red-tap': [4, 1, 2],
  'node-test/empty-tap': [0, 0, 0],
  'node-test/crashed-tap': [0, 1, 0],
  'node-test/two-runs': [4, 1, 2],
  'vitest/green': [2, 0, 2],
  'vitest/red': [4, 1, 2],
  'vitest/colour': [2, 1, 0],
  'vitest/empty': [0, 0, 0],
  'vitest/empty-allowed': [0, 0, 0],
  'vitest/crashed': [0, 0, 0],
  'vitest/crashed-config': 'none',
  'vitest/two-runs': [4, 1, 2],
  'jest/green': [2, 0, 2],
  'jest/red': [4, 1, 2],
  'jest/colour': [2, 1, 0],
  'jest/empty': [0, 0, 0],
  'jest/empty-allowed': [0, 0, 0],
  'jest/crashed': [0, 0, 0],
  'jest/crashed-config': 'none',
  'jest/two-runs': [4, 1, 2],
  'mocha/green': [2, 0, 2],
  'mocha/green-dot': [2, 0, 2],
  'mocha/red': [4, 1, 2],
  'mocha/red-hook': [0, 1, 0],
  'mocha/colour': [2, 1, 0],
  'mocha/empty': [0, 0, 0],
  'mocha/crashed': 'none',
  'mocha/two-runs': [4, 1, 2],
  'unittest/green': [2, 0, 2],
  'unittest/red': [3, 2, 2],
  'unittest/red-subtests': [0, 2, 0],
  'unittest/red-verbose': [1, 2, 0],
  'unittest/empty': [0, 0, 0],
  'unittest/crashed': [0, 1, 0],
  'pytest/green': [2, 0, 2],
  'pytest/green-quiet': [2, 0, 2],
  'pytest/green-subtests': [2, 0, 0],
  'pytest/red': [3, 2, 2],
  'pytest/colour': [1, 2, 0],
  'pytest/empty': [0, 0, 0],
  'pytest/crashed': [0, 1, 0],
  'pytest/crashed-usage': 'none',
  'pytest/two-runs': [3, 2, 2],
  'go-test/green': [1, 0, 0],
  'go-test/green-verbose': [4, 0, 1],
  'go-test/green-json': [4, 0, 1],
  'go-test/red': [1, 1, 0],
  'go-test/red-verbose': [5, 1, 1],
  'go-test/red-json': [5, 1, 1],
  'go-test/empty': [0, 0, 0],
  'go-test/empty-none-chosen': [0, 0, 0],
  'go-test/empty-json': [0, 0, 0],
  'go-test/crashed': [0, 1, 0],
  'go-test/crashed-panic': [0, 1, 0],
  'go-test/crashed-panic-json': [1, 1, 0],
  'cargo-test/green': [2, 0, 1],
  'cargo-test/red': [3, 1, 1],
  'cargo-test/colour': [1, 1, 0],
  'cargo-test/empty': [0, 0, 0],
  'cargo-test/crashed': 'none',
  'cargo-test/crashed-abort': 'none',
  'tap/green': [2, 0, 1],
  'tap/red': [1, 1, 1],
  'tap/empty': [0, 0, 0],
  'tap/crashed': [1, 2, 0],
  'tap/crashed-bail-out': [1, 2, 0],
};

const FRAMEWORKS: Readonly<Record<string, TestFramework>> = {
  'node-test': 'node:test',
  vitest: 'vitest',
  jest: 'jest',
  mocha: 'mocha',
  unittest: 'unittest',
  pytest: 'pytest',
  'go-test': 'go test',
  'cargo-test': 'cargo test',
  tap: 'tap',
};

describe('recorded runs of real test runners', () => {
  verifies('P06', 'test results of every known runner are read from its own summaries', () => {
    for (const [name, expected] of Object.entries(EXPECTED)) {
      const results = parseTestResults(fixture(name), exitCodeOf(name));
      const isGreen = name.includes('/green');
      if (expected === 'none') {
        expect(results, name).toEqual({ source: 'exit-code', isPass: false });
        continue;
      }
      const [passed, failed, skipped] = expected;
      expect(results, name).toMatchObject({
        source: 'summary',
        framework: FRAMEWORKS[name.split('/')[0] ?? ''],
        passed,
        failed,
        skipped,
        total: passed + failed + skipped,
        isPass: isGreen,
        isEmpty: passed + failed === 0,
      });
    }
  });

  it('are all present, each with its expected result', () => {
    const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.txt'),
    );
    expect(files.map((name) => name.slice(0, -'.txt'.length)).sort()).toEqual(Object.keys(EXPECTED).sort());
    expect(Object.keys(RECORDED).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(Object.keys(EXPECTED))('%s contains no path of the machine that recorded it', (name) => {
    expect(fixture(name)).not.toMatch(/\/(?:root|tmp|home|work)\//);
  });

  it('give the duration if the runner does', () => {
    expect(parseTestResults(fixture('vitest/green'), 0)).toMatchObject({ durationMs: expect.any(Number) });
    expect(parseTestResults(fixture('tap/green'), 0)).not.toHaveProperty('durationMs');
  });

  it('show that plain go test reports packages, not tests', () => {
    expect(parseTestResults(fixture('go-test/green'), 0)).toMatchObject({ unit: 'packages' });
    expect(parseTestResults(fixture('go-test/green-verbose'), 0)).toMatchObject({ unit: 'tests' });
    expect(parseTestResults(fixture('go-test/green-json'), 0)).toMatchObject({ unit: 'tests' });
  });
});

describe('judging', () => {
  verifies('P06', '"0 failed" is a pass, 0 of 0 is not, an exit code other than 0 never is', () => {
    const summary = (passed: number, failed: number) =>
      `test result: ok. ${passed} passed; ${failed} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;
    expect(parseTestResults(summary(3, 0), 0)).toMatchObject({ isPass: true, isEmpty: false });
    expect(parseTestResults(summary(0, 0), 0)).toMatchObject({ isPass: false, isEmpty: true, total: 0 });
    expect(parseTestResults(summary(3, 0), 1)).toMatchObject({ isPass: false, failed: 0 });
    expect(parseTestResults(summary(3, 0), null)).toMatchObject({ isPass: false });
    expect(parseTestResults(summary(3, 1), 0)).toMatchObject({ isPass: false });
  });

  verifies('P06', 'without a summary the exit code decides, and without that the words of the spec', () => {
    expect(parseTestResults('checked everything', 0)).toEqual({ source: 'exit-code', isPass: true });
    expect(parseTestResults('all tests passed', 2)).toEqual({ source: 'exit-code', isPass: false });
    expect(parseTestResults('Tests: all passed')).toEqual({ source: 'text', isPass: true });
    expect(parseTestResults('test result: ok, 0 failed')).toEqual({ source: 'text', isPass: true });
    expect(parseTestResults('Tests: 10 failed, 2 passed')).toEqual({ source: 'text', isPass: false });
    expect(parseTestResults('the build failed')).toEqual({ source: 'nothing', isPass: undefined });
    expect(parseTestResults('Tests: see above')).toEqual({ source: 'nothing', isPass: undefined });
  });

  it('adds up what several runners report', () => {
    const output = `${fixture('vitest/green')}${fixture('pytest/red')}${fixture('cargo-test/green')}`;
    expect(parseTestResults(output, 1)).toMatchObject({
      framework: 'several',
      passed: 2 + 3 + 2,
      failed: 2,
      skipped: 2 + 2 + 1,
      isPass: false,
    });
  });

  it('reads output with the line endings of a terminal', () => {
    const output = fixture('jest/green').replaceAll('\n', '\r\n');
    expect(parseTestResults(output, 0)).toMatchObject({ framework: 'jest', passed: 2, isPass: true });
  });

  it('never calls a run with another exit code a pass, whatever it printed', () => {
    const parts = Object.keys(EXPECTED).map(fixture);
    const text = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 4 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 255 }), (pieces, exitCode) => {
        expect(parseTestResults(pieces.join('\n'), exitCode).isPass).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['node:test', 'ℹ pass 3\nℹ fail 0\n'],
    ['vitest', '      Tests  3 passed (3)\n'],
    ['jest', 'Tests:       3 passed, 3 total\n'],
    ['pytest', '3 passed\n'],
    ['go test', 'ok\n'],
    ['tap', 'ok 1 - adds\nok 2\n'],
  ])('does not mistake a single line that a program printed for the summary of %s', (_framework, output) => {
    expect(parseTestResults(output, 0)).toEqual({ source: 'exit-code', isPass: true });
  });
});

function fixture(name: string): string {
  return readFileSync(`${FIXTURES}${name}.txt`, 'utf8');
}

function exitCodeOf(name: string): number {
  return RECORDED[name]?.exitCode ?? Number.NaN;
}
