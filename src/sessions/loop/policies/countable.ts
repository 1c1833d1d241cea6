import type { IterationOutcome } from '../iteration.js';
import type { Baseline, TestCounts } from '../schema.js';
import type { Used } from './budget.js';
import type { Measurement, SelfReport } from './measurement.js';

/** Nothing counted here ever gets this high; a larger number is bogus. */
const MAX_COUNT = 1_000_000_000_000;

/** A number from outside: whole and plausible, or undefined. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? Math.round(value) : undefined;
}

/** An amount from outside, at least 0, or undefined. */
function amountIn(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

/** Makes every number of an outcome countable: an odd one is dropped, but the iteration is kept. */
export function countableOutcome(outcome: IterationOutcome): IterationOutcome {
  const { measured, usage, permissionDenials, claim, limit } = outcome;
  return {
    ...outcome,
    measured: measured === null ? null : countableMeasurement(measured),
    claim: { ...claim, metrics: countableMetrics(claim.metrics) },
    permissionDenials: countIn(permissionDenials ?? 0) ?? 0,
    ...(usage === undefined ? {} : { usage: countableUsage(usage) }),
    ...(limit?.kind === 'overload' ? { limit: { ...limit, status: countIn(limit.status) ?? null } } : {}),
  };
}

export function countableBaseline({ exitCode, tests }: Baseline): Baseline {
  return { exitCode: exitCodeIn(exitCode), tests: countableTests(tests) };
}

const COUNTS = [
  'tokens',
  'cacheReadTokens',
  'unpricedTokens',
  'estimatedTokens',
  'countedRecords',
] as const satisfies readonly (keyof Used)[];
const AMOUNTS = ['activeMs', 'costUsd', 'pricedUsd'] as const satisfies readonly (keyof Used)[];

export function countableUsage(used: Used): Used {
  const counted: Partial<Record<keyof Used, number>> = {};
  for (const key of COUNTS) if (used[key] !== undefined) setIf(counted, key, countIn(used[key]));
  for (const key of AMOUNTS) if (used[key] !== undefined) setIf(counted, key, amountIn(used[key]));
  return counted;
}

function setIf(counted: Partial<Record<keyof Used, number>>, key: keyof Used, value: number | undefined) {
  if (value !== undefined) counted[key] = value;
}

function countableMeasurement(measured: Measurement): Measurement {
  const { exitCode, tests, files, documents, runs, tasks } = measured;
  return {
    ...measured,
    exitCode: exitCodeIn(exitCode),
    tests: countableTests(tests),
    files: {
      created: countIn(files.created) ?? 0,
      modified: countIn(files.modified) ?? 0,
      deleted: countIn(files.deleted) ?? 0,
    },
    documents: {
      total: countIn(documents.total) ?? 0,
      decisionRecords: countIn(documents.decisionRecords) ?? 0,
      changed: countIn(documents.changed) ?? 0,
    },
    ...(runs === undefined ? {} : { runs: Math.max(1, countIn(runs) ?? 1) }),
    ...(tasks === undefined
      ? {}
      : { tasks: { total: countIn(tasks.total) ?? 0, done: countIn(tasks.done) ?? 0 } }),
  };
}

/** If one number is invalid, the tests count as unknown; the rest would not add up. */
function countableTests(tests: TestCounts | null): TestCounts | null {
  if (tests === null) return null;
  const [total, passing, failing] = [tests.total, tests.passing, tests.failing].map(countIn);
  if (total === undefined || passing === undefined || failing === undefined) return null;
  return { total, passing, failing, skipped: countIn(tests.skipped) ?? 0 };
}

function exitCodeIn(exitCode: unknown): number | null {
  return typeof exitCode === 'number' && Number.isSafeInteger(exitCode) ? exitCode : null;
}

/** Drops numbers from an agent that are not valid counts. */
function countableMetrics(metrics: SelfReport['metrics']): SelfReport['metrics'] {
  const isSane = (value: unknown) => typeof value !== 'number' || countIn(value) !== undefined;
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => isSane(value)));
}
