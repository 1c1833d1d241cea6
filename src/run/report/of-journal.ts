import type { ConversationView } from '../../sessions/conversation/index.js';
import type { LoopPart } from './of-loop.js';
import { numbersOf } from './of-loop.js';
import type { IterationTests, PhaseReport } from './report-document.js';
import type { Attempt, RunHistory } from './run-history.js';
import { usedBetween, usedInAll } from './used.js';

/** The same part of a report when the documents of the loop are gone: what the journal says. */
export function partOfJournal(history: RunHistory, conversation: ConversationView | undefined): LoopPart {
  const { start, processes, standing, attempts, skips } = history;
  const startedAt = processes[0]?.startedAt ?? '';
  const lastActivityAt = processes.at(-1)?.lastSeenAt ?? startedAt;
  const end = processes.at(-1)?.end ?? null;
  const tests = testsOf(attempts);
  return {
    plan: start?.plan ?? '',
    status: statusOf(history),
    reason: end?.reason ?? standing?.reason ?? null,
    startedAt,
    lastActivityAt,
    elapsedMs: Math.max(0, Date.parse(lastActivityAt) - Date.parse(startedAt)) || 0,
    usage: {
      iterations: attempts.filter(({ end: how }) => how === 'complete').length,
      activeMs: standing?.usage.activeMs ?? 0,
      ...usedInAll(standing?.usage, conversation),
    },
    budget: { ...(standing?.budget ?? start?.budget) },
    preset: start?.preset ?? null,
    startedFrom: null,
    phases: phasesOf(history, conversation),
    skipped: skips.map(({ phase, actor, reason }) => ({ phase, at: lastActivityAt, actor, reason })),
    tests,
    testsBefore: numbersOf(history.baseline),
    testsAfter: numbersOf(tests.at(-1)),
    denials: attempts.flatMap(({ result, endedAt }) =>
      (result?.denials ?? []).map((what) => ({ at: endedAt ?? '', what })),
    ),
    errors: attempts.flatMap(({ result, endedAt, phase }) =>
      result == null || result.error === null || result.denied !== null
        ? []
        : [{ at: endedAt ?? '', phase, error: result.error }],
    ),
    breaker: { state: standing?.breaker.state ?? 'CLOSED', openReason: standing?.breaker.reason ?? null },
  };
}

function statusOf({ processes, standing }: RunHistory): string {
  const end = processes.at(-1)?.end ?? null;
  if (end?.outcome === 'completed') return 'completed';
  if (standing === null) return 'unknown';
  return standing.status === 'running' ? 'suspended' : standing.status;
}

function phasesOf({ attempts }: RunHistory, conversation: ConversationView | undefined): PhaseReport[] {
  const names = [...new Set(attempts.map(unitOf))];
  return names.map((name) => {
    const own = attempts.filter((attempt) => unitOf(attempt) === name);
    const last = own.at(-1);
    const next = last?.result?.decision.next;
    const isDone = next === 'enter-phase' || next === 'complete';
    const startedAt = own[0]?.startedAt ?? '';
    const completedAt = isDone ? (last?.endedAt ?? null) : null;
    return {
      name,
      iterations: own.filter(({ end }) => end === 'complete').length,
      startedAt,
      completedAt,
      exitReason: null,
      ...usedBetween(conversation, startedAt, completedAt ?? last?.endedAt ?? null),
      filesChanged: own.reduce((sum, { result }) => sum + filesOf(result), 0),
    };
  });
}

function filesOf(result: Attempt['result']): number {
  if (result === null) return 0;
  const { created, modified, deleted } = result.files;
  return created + modified + deleted;
}

function testsOf(attempts: readonly Attempt[]): IterationTests[] {
  return attempts.flatMap(({ result, endedAt, iteration, ...attempt }) => {
    if (result == null || result.tests === null) return [];
    const { total, passing, failing } = result.tests;
    return [{ phase: unitOf(attempt), iteration, at: endedAt ?? '', total, passing, failing }];
  });
}

/** What an iteration counts towards: its story if there are stories, otherwise its phase. */
function unitOf({ phase, story }: Pick<Attempt, 'phase' | 'story'>): string {
  return story ?? phase;
}
