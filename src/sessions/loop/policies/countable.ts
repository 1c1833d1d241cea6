import type { IterationOutcome } from '../iteration.js';
import type { Baseline, TestCounts } from '../schema.js';
import type { Used } from './budget.js';
import type { Measurement, SelfReport } from './measurement.js';

/** Nothing that is counted here comes to as much; a number beyond it counts nothing that exists. */
const MAX_COUNT = 1_000_000_000_000;

/** A number that came from outside: whole and sane, or undefined. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? Math.round(value) : undefined;
}

/** An amount that came from outside, not below 0, or undefined. */
function amountIn(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

/** An outcome in which every number can be counted: an odd one costs the number, never the iteration. */
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

/** Where one number is none, nothing is known of the tests; the rest would not add up. */
function countableTests(tests: TestCounts | null): TestCounts | null {
  if (tests === null) return null;
  const [total, passing, failing] = [tests.total, tests.passing, tests.failing].map(countIn);
  if (total === undefined || passing === undefined || failing === undefined) return null;
  return { total, passing, failing, skipped: countIn(tests.skipped) ?? 0 };
}

function exitCodeIn(exitCode: unknown): number | null {
  return typeof exitCode === 'number' && Number.isSafeInteger(exitCode) ? exitCode : null;
}

/** What an agent says in numbers is kept if it is one. */
function countableMetrics(metrics: SelfReport['metrics']): SelfReport['metrics'] {
  const isSane = (value: unknown) => typeof value !== 'number' || countIn(value) !== undefined;
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => isSane(value)));
}
