import type { FindSummaries, SummaryCounts } from './counts.js';

/** Counts as they are gathered. */
interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  durationMs: number;
}

const PACKAGE_PASSED = /^ok {2}\t\S+\t(?:(?<seconds>[\d.]+)s|\(cached\))(?<rest>.*)$/;
const PACKAGE_FAILED = /^FAIL\t(?<name>\S+)(?:\t(?<seconds>[\d.]+)s| \[(?:build|setup) failed\])$/;
const PACKAGE_EMPTY = /^\? {3}\t\S+\t\[no test files\]$/;
const TEST = /^ *--- (?<outcome>PASS|FAIL|SKIP): \S+ \([\d.]+s\)$/;

/**
 * go test. `-v` and `-json` report each test (a subtest is a test). Without them only packages are reported, and then
 * packages are counted (see `goCountsPackages`).
 */
export const findGoTest: FindSummaries = (output) => {
  const lines = output.split('\n');
  const events = lines.map(readEvent).filter((event) => event !== undefined);
  if (events.length > 0) return [countEvents(events, lines)];
  return goCountsPackages(output) ? countPackages(lines) : countVerbose(lines);
};

/** Whether only packages are reported. */
export function goCountsPackages(output: string): boolean {
  return !/^=== RUN /m.test(output) && !/^\{"Time":/m.test(output);
}

function countPackages(lines: readonly string[]): SummaryCounts[] {
  const tally = newTally();
  let isOurs = false;
  for (const line of lines) {
    const passed = PACKAGE_PASSED.exec(line);
    const failed = PACKAGE_FAILED.exec(line);
    isOurs ||= passed !== null || failed !== null || PACKAGE_EMPTY.test(line);
    if (passed !== null && !passed.groups?.rest?.includes('[no tests to run]')) tally.passed += 1;
    if (failed !== null) tally.failed += 1;
    tally.durationMs += milliseconds((passed ?? failed)?.groups?.seconds);
  }
  return isOurs ? [tally] : [];
}

function countVerbose(lines: readonly string[]): SummaryCounts[] {
  const tally = newTally();
  let hasPackage = false;
  let failedBefore = 0;
  for (const line of lines) {
    countOutcome(tally, TEST.exec(line)?.groups?.outcome);
    const failed = PACKAGE_FAILED.exec(line);
    const ended = PACKAGE_PASSED.exec(line) ?? failed;
    if (ended === null) continue;
    hasPackage = true;
    tally.durationMs += milliseconds(ended.groups?.seconds);
    // It did not build, or died outside a test.
    if (failed !== null && tally.failed === failedBefore) tally.failed += 1;
    failedBefore = tally.failed;
  }
  return hasPackage ? [tally] : [];
}

interface GoEvent {
  readonly Action: string;
  readonly Package: string;
  readonly Test?: string;
  readonly Elapsed?: number;
}

function readEvent(line: string): GoEvent | undefined {
  if (!line.startsWith('{"Time":')) return undefined;
  try {
    const event = JSON.parse(line) as Partial<GoEvent>;
    return typeof event.Action === 'string' && typeof event.Package === 'string'
      ? (event as GoEvent)
      : undefined;
  } catch {
    return undefined; // a truncated line: the other lines still count
  }
}

const OUTCOMES: Readonly<Record<string, string>> = { pass: 'PASS', fail: 'FAIL', skip: 'SKIP' };

function countEvents(events: readonly GoEvent[], lines: readonly string[]): SummaryCounts {
  const tally = newTally();
  const failing = new Set<string>();
  for (const event of events) {
    if (event.Test !== undefined) {
      countOutcome(tally, OUTCOMES[event.Action]);
      if (event.Action === 'fail') failing.add(event.Package);
    } else if (event.Action === 'pass' || event.Action === 'fail') {
      tally.durationMs += (event.Elapsed ?? 0) * 1_000;
      if (event.Action === 'fail' && !failing.has(event.Package)) {
        tally.failed += 1;
        failing.add(event.Package);
      }
    }
  }
  // Build failures are reported as plain text between the events.
  const unbuilt = lines
    .map((line) => PACKAGE_FAILED.exec(line)?.groups?.name)
    .filter((name) => name !== undefined);
  tally.failed += new Set(unbuilt.filter((name) => !failing.has(name))).size;
  return tally;
}

function newTally(): Tally {
  return { passed: 0, failed: 0, skipped: 0, durationMs: 0 };
}

function countOutcome(tally: Tally, outcome: string | undefined): void {
  if (outcome === 'PASS') tally.passed += 1;
  if (outcome === 'FAIL') tally.failed += 1;
  if (outcome === 'SKIP') tally.skipped += 1;
}

function milliseconds(seconds: string | undefined): number {
  return seconds === undefined ? 0 : Number(seconds) * 1_000;
}
