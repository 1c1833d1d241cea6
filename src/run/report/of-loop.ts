import { named, number, optional, record, text } from '../../foundation/index.js';
import type { ConversationView } from '../../sessions/conversation/index.js';
import type { LoopView } from '../../sessions/loop/index.js';
import type { IterationTests, PhaseReport, RunReport, TestNumbers } from './report-document.js';
import { readable, usedBetween, usedInAll } from './used.js';

const someNumber = optional(number());
/** What an iteration measured; its file keeps the published key names. */
const Numbers = record(
  {
    timestamp: optional(text),
    iteration: someNumber,
    total: named('tests_total', someNumber),
    passing: named('tests_passing', someNumber),
    failing: named('tests_failing', someNumber),
  },
  'drop',
);
/** The part of a report that comes from the documents of the loop. */
export type LoopPart = Pick<
  RunReport,
  | 'plan'
  | 'status'
  | 'reason'
  | 'startedAt'
  | 'lastActivityAt'
  | 'elapsedMs'
  | 'usage'
  | 'budget'
  | 'preset'
  | 'startedFrom'
  | 'phases'
  | 'skipped'
  | 'tests'
  | 'testsBefore'
  | 'testsAfter'
  | 'denials'
  | 'errors'
  | 'breaker'
>;

export function partOfLoop(loop: LoopView, conversation: ConversationView | undefined): LoopPart {
  const { state, documents } = loop;
  const { iterations = 0, activeMs = 0 } = state.usage ?? {};
  const endedAt = state.completedAt ?? state.lastActivity ?? state.startedAt;
  const tests = testsOf(loop);
  return {
    plan: state.prpFile,
    status: loop.status,
    reason: loop.statusReason,
    startedAt: state.startedAt,
    lastActivityAt: state.lastActivity ?? state.startedAt,
    elapsedMs: Math.max(0, Date.parse(endedAt) - Date.parse(state.startedAt)),
    usage: { iterations, activeMs, ...usedInAll(state.usage, conversation) },
    budget: { ...state.budget },
    preset: state.preset?.name ?? null,
    startedFrom: state.startedFrom?.commit ?? null,
    phases: phasesOf(loop, conversation),
    skipped: state.phasesSkipped.map(({ phase, at, actor, reason }) => ({ phase, at, actor, reason })),
    tests,
    testsBefore: numbersOf(state.baseline?.tests),
    testsAfter: numbersOf(tests.at(-1)),
    denials: state.errorHistory.flatMap(({ timestamp, denied }) =>
      denied === undefined ? [] : [{ at: timestamp, what: denied }],
    ),
    errors: state.errorHistory
      .filter(({ denied }) => denied === undefined)
      .map(({ timestamp, phase, error }) => ({ at: timestamp, phase, error })),
    breaker: {
      state: documents.breaker?.state ?? 'CLOSED',
      openReason: documents.breaker?.openReason ?? null,
    },
  };
}

export function numbersOf(tests: TestNumbers | null | undefined): TestNumbers | null {
  if (tests === null || tests === undefined) return null;
  const { passing, failing, total } = tests;
  return { passing, failing, total };
}

function phasesOf({ state, documents }: LoopView, conversation: ConversationView | undefined): PhaseReport[] {
  return Object.entries(state.phaseHistory).map(([name, run]) => {
    const metrics = documents.metrics?.phases[name];
    const numbers = metrics?.finalMetrics ?? metrics?.currentMetrics ?? {};
    const filesChanged = numbers.files_changed;
    return {
      name,
      iterations: run.iterations,
      startedAt: run.startedAt,
      completedAt: run.completedAt,
      exitReason: run.exitReason ?? null,
      ...usedBetween(conversation, run.startedAt, run.completedAt),
      filesChanged: typeof filesChanged === 'number' ? filesChanged : 0,
    };
  });
}

function testsOf({ documents }: LoopView): IterationTests[] {
  const points: IterationTests[] = [];
  for (const [phase, metrics] of Object.entries(documents.metrics?.phases ?? {})) {
    for (const entry of metrics?.history ?? []) {
      const numbers = readable(Numbers, entry);
      if (numbers?.total === undefined) continue;
      points.push({
        phase,
        iteration: numbers.iteration ?? 0,
        at: numbers.timestamp ?? '',
        total: numbers.total,
        passing: numbers.passing ?? 0,
        failing: numbers.failing ?? 0,
      });
    }
  }
  return points.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
