import type { Baseline, TestCounts } from '../schema.js';

/** What we found out ourselves after an iteration. What an agent says about itself is a `SelfReport`. */
export interface Measurement {
  /** The exit code of the checks; null when there are none or they did not run. */
  readonly exitCode: number | null;
  /** The numbers of the test run; null = unknown, which differs from 0 of 0. */
  readonly tests: TestCounts | null;
  /** Whether this iteration changed the tree. A tree that was dirty before and stayed the same has not changed. */
  readonly hasTreeChanged: boolean;
  readonly files: { readonly created: number; readonly modified: number; readonly deleted: number };
  /** Documents in the tree, including architecture decision records, and how many changed in this iteration. */
  readonly documents: {
    readonly total: number;
    readonly decisionRecords: number;
    readonly changed?: number | undefined;
  };
  /** How often the checks ran in this iteration, if more than once: all runs before the last one were green. */
  readonly runs?: number | undefined;
  /** The tasks of the current story, if the plan has stories. */
  readonly tasks?: { readonly total: number; readonly done: number } | undefined;
}

/** What the agent says in its status block. */
export interface SelfReport {
  /** Only an explicit signal counts; undefined if there was none. */
  readonly exitSignal?: boolean | undefined;
  readonly status?: string | undefined;
  /** Numbers and flags by their published names, such as `criteria_covered`; fallbacks, never enough for gate 1 alone. */
  readonly metrics: Readonly<Record<string, string | number | boolean>>;
  readonly recommendation?: string | undefined;
}

export const NO_SELF_REPORT: SelfReport = { metrics: {} };

/** Whether the checks ran and nothing failed. If tests are counted, 0 of 0 is not green. */
export function isGreen(measured: Pick<Measurement, 'exitCode' | 'tests'>): boolean {
  const { exitCode, tests } = measured;
  if (tests !== null) return tests.total > 0 && tests.failing === 0 && (exitCode ?? 0) === 0;
  return exitCode === 0;
}

/** Why no document has to change, in the agent's own words; null if it gave no reason. */
export function reasonForNoDocuments({ metrics }: SelfReport): string | null {
  const reason = metrics.no_documents_needed;
  // A template that was not filled in is not a reason.
  return typeof reason === 'string' && /^[^<[].{2,}/.test(reason.trim()) ? reason.trim() : null;
}

/** Tests that fail now but did not before. */
export function newFailing(tests: TestCounts, baseline: Baseline | null): number {
  return tests.failing - (baseline?.tests?.failing ?? 0);
}
