import { redact } from '../../../foundation/index.js';
import type { Metrics, PhaseMetrics } from '../schema.js';
import { isGreen, type Measurement, type SelfReport } from './measurement.js';
import { plus } from './plus.js';
import type { GateName, Phase } from './presets.js';

const MAX_HISTORY = 50;
/** What the history keeps of each iteration: enough to draw a curve, little enough to write every time. */
const HISTORY_KEYS = ['iteration', 'tests_total', 'tests_passing', 'tests_failing', 'consecutive_green_runs'];

/** The share of each kind of phase in the whole. */
const WEIGHTS: Readonly<Record<GateName, number>> = {
  'new-tests-fail': 10,
  'tests-pass': 45,
  'still-green': 15,
  documents: 15,
  'story-done': 45,
  'a-test-fails': 10,
  'all-pass': 45,
  'checks-green': 15,
  'document-changed': 15,
  'work-done': 45,
};

/** The numbers of an iteration under their published names: both measured and claimed. */
export function numbersOf(
  measured: Measurement | null,
  claim: SelfReport,
  facts: {
    iteration: number;
    greenRuns: number;
    filesChanged: number;
    documentsChanged: number;
    criteriaCount: number;
  },
): Record<string, unknown> {
  const tests = measured?.tests ?? null;
  return {
    ...redacted(claim.metrics),
    ...(tests === null
      ? {}
      : {
          tests_total: tests.total,
          tests_passing: tests.passing,
          tests_failing: tests.failing,
          tests_skipped: tests.skipped,
        }),
    ...(measured === null ? {} : { verify_exit_code: measured.exitCode }),
    ...(measured === null ? {} : fileNumbers(measured)),
    ...(measured?.tasks === undefined
      ? {}
      : { tasks_done: measured.tasks.done, tasks_total: measured.tasks.total }),
    criteria_count: facts.criteriaCount,
    consecutive_green_runs: facts.greenRuns,
    files_changed: facts.filesChanged,
    documents_changed: facts.documentsChanged,
    iteration: facts.iteration,
  };
}

/** Text from an agent's claim is redacted before it is written, like everything else it says. */
function redacted(metrics: SelfReport['metrics']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metrics).map(([key, value]) => [key, typeof value === 'string' ? redact(value) : value]),
  );
}

/** Green runs in a row, this one included. */
export function greenRunsAfter(phase: PhaseMetrics | null | undefined, measured: Measurement | null): number {
  if (measured === null || !isGreen(measured)) return 0;
  return plus(numberIn(phase?.currentMetrics, 'consecutive_green_runs'), measured.runs ?? 1);
}

/** Files changed in the phase so far, including this iteration. */
export function filesChangedAfter(
  phase: PhaseMetrics | null | undefined,
  measured: Measurement | null,
): number {
  const before = numberIn(phase?.currentMetrics, 'files_changed');
  if (measured === null) return before;
  const { created, modified, deleted } = measured.files;
  return plus(before, created + modified + deleted);
}

/** The documents among them. */
export function documentsChangedAfter(
  phase: PhaseMetrics | null | undefined,
  measured: Measurement | null,
): number {
  return plus(numberIn(phase?.currentMetrics, 'documents_changed'), measured?.documents.changed ?? 0);
}

/**
 * Adds the files changed by a turn that does not count as an iteration. `begun`, here and below: when the phase began;
 * the first phase has no numbers before its first iteration ends.
 */
export function withFiles(
  metrics: Metrics,
  unit: string,
  { files, documents }: { readonly files: number; readonly documents: number },
  begun: string,
): Metrics {
  if (files === 0) return metrics;
  const phase = metrics.phases[unit] ?? begunAt(begun);
  const currentMetrics = {
    ...phase.currentMetrics,
    files_changed: plus(numberIn(phase.currentMetrics, 'files_changed'), files),
    documents_changed: plus(numberIn(phase.currentMetrics, 'documents_changed'), documents),
  };
  return { ...metrics, phases: { ...metrics.phases, [unit]: { ...phase, currentMetrics } } };
}

/** Adds an iteration of a phase (or story). */
export function recordNumbers(
  metrics: Metrics,
  unit: string,
  numbers: Record<string, unknown>,
  { at, begun }: { readonly at: string; readonly begun: string },
): Metrics {
  const before = metrics.phases[unit] ?? begunAt(begun);
  const told = Object.fromEntries(Object.entries(numbers).filter(([key]) => HISTORY_KEYS.includes(key)));
  const history = [...(before.history ?? []), { timestamp: at, ...told }].slice(-MAX_HISTORY);
  const phase = { ...before, iterations: before.iterations + 1, currentMetrics: numbers, history };
  return { ...metrics, phases: { ...metrics.phases, [unit]: phase } };
}

/** Closes a phase: its last numbers become its final ones. */
export function closePhase(
  metrics: Metrics,
  unit: string,
  { at, begun }: { readonly at: string; readonly begun: string },
): Metrics {
  const { currentMetrics, ...phase } = metrics.phases[unit] ?? begunAt(begun);
  const closed = { ...phase, completedAt: at, finalMetrics: currentMetrics ?? {} };
  return { ...metrics, phases: { ...metrics.phases, [unit]: closed } };
}

function begunAt(at: string): PhaseMetrics {
  return { startedAt: at, completedAt: null, iterations: 0 };
}

/** How far a phase has come, in percent, by its last numbers. */
export function phasePercent(phase: Phase, numbers: Readonly<Record<string, unknown>> | undefined): number {
  const value = (key: string) => numberIn(numbers, key);
  const share = (part: number, whole: number) => (whole > 0 ? part / whole : 0);
  switch (phase.gate) {
    case 'a-test-fails':
      // One failing test is enough for the gate, but the percentage goes by the criteria.
      return clamp(100 * share(value('tests_failing'), Math.max(1, value('criteria_count'))));
    case 'new-tests-fail':
      return clamp(100 * share(value('criteria_covered'), value('criteria_count')));
    case 'all-pass':
    case 'tests-pass':
      return clamp(
        90 * share(value('tests_passing'), value('tests_total')) +
          Math.min(5 * value('consecutive_green_runs'), 10),
      );
    case 'checks-green':
    case 'still-green':
      return clamp(20 * value('iteration'));
    case 'document-changed':
      return clamp(50 * Math.min(1, value('documents_changed')));
    case 'documents':
      return clamp(100 * share(value('documents'), 6));
    case 'work-done':
      return clamp(
        45 * Math.min(1, value('files_changed')) + 45 * share(value('tests_passing'), value('tests_total')),
      );
    case 'story-done':
      return clamp(100 * share(value('tasks_done'), value('tasks_total')));
  }
}

/** How far the whole loop has come, in percent: finished phases by weight, the current one by its iterations. */
export function overallPercent(
  phases: readonly Phase[],
  state: {
    readonly status: string;
    readonly currentPhase: string;
    readonly currentIteration: number;
    readonly phasesCompleted: readonly string[];
    readonly phasesSkipped?: readonly { readonly phase: string }[] | undefined;
    readonly storiesTotal?: number | undefined;
  },
): number {
  if (state.status === 'completed') return 100;
  if (state.storiesTotal !== undefined && state.storiesTotal > 0)
    return clamp((100 * state.phasesCompleted.length) / state.storiesTotal);
  const total = phases.reduce((sum, phase) => sum + WEIGHTS[phase.gate], 0);
  let done = 0;
  for (const phase of phases) {
    const isSkipped = state.phasesSkipped?.some((skipped) => skipped.phase === phase.name) === true;
    if (isSkipped || state.phasesCompleted.includes(phase.name)) done += WEIGHTS[phase.gate];
    else if (phase.name === state.currentPhase)
      done += WEIGHTS[phase.gate] * Math.min(state.currentIteration / 10, 1);
  }
  return clamp((100 * done) / Math.max(1, total));
}

/** Reads a number from values of any type. */
function numberIn(numbers: Readonly<Record<string, unknown>> | undefined, key: string): number {
  const value = numbers?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function fileNumbers({ files, documents }: Measurement): Record<string, number> {
  return {
    files_created: files.created,
    files_modified: files.modified,
    files_deleted: files.deleted,
    documents: documents.total,
    decision_records: documents.decisionRecords,
  };
}

function clamp(percent: number): number {
  return Math.max(0, Math.min(100, Math.round(percent)));
}
