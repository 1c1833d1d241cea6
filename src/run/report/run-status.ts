import { type LoopReport, type LoopSessions, showLoop } from '../../sessions/loop/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import type { RunShelf } from '../open/run-services.js';
import type { RunWait, ShownRun } from '../operations.js';
import { isAskedByRun, isEnd } from '../questions/ask-person.js';
import { logPath } from '../records/run-log.js';
import { recallStart } from '../records/run-memory.js';

/** Reads how the loop of this project stands. */
export async function readRunStatus(services: RunShelf, loops: LoopSessions): Promise<ShownRun> {
  const { report, offer, faults } = await showLoop.run({ loops, clock: services.clock }, {});
  if (report === null) return { report, offer, faults };
  const asked = await askedBy(services, loops, report.sessionId);
  const waitsFor = waitOf(report, asked.pending);
  const start = recallStart(services, report.sessionId);
  const next = nextCommands(report, waitsFor, {
    isDecided: asked.hasDecision,
    permissions: start?.permissions,
  });
  const status = {
    ...report,
    waitsFor,
    answered: asked.answered.map(({ id }) => id),
    answeredBy: Object.fromEntries(asked.answered.map(({ id, actor }) => [id, actor])),
    next,
    log: logPath(services, report.sessionId),
  };
  return { report: status, offer, faults };
}

interface Asked {
  readonly pending: readonly QuestionView[];
  readonly answered: readonly QuestionView[];
  /** Whether a person decided one of the run's own questions and the run has not heard it yet. */
  readonly hasDecision: boolean;
}

async function askedBy({ questions }: RunShelf, loops: LoopSessions, sessionId: string): Promise<Asked> {
  const open = loops.get()?.state.openQuestions ?? [];
  const views = (await questions.list()).filter(
    ({ id, asker }) => asker?.session === sessionId || open.includes(id),
  );
  const isDecided = ({ outcome: { status } }: QuestionView) =>
    status === 'completed' || status === 'rejected';
  return {
    pending: views.filter(({ outcome }) => outcome.status === 'pending'),
    answered: views.filter((view) => open.includes(view.id) && isDecided(view)),
    hasDecision: views.some(
      (view) => isAskedByRun(view, sessionId) && isDecided(view) && !isEnd(view) && view.collectedAt === null,
    ),
  };
}

const OVER: readonly string[] = ['completed', 'aborted'];

function waitOf(report: LoopReport, [view]: readonly QuestionView[]): RunWait | null {
  const { status, statusReason, calls, owner } = report;
  if (OVER.includes(status)) return null;
  if (view !== undefined) {
    const { id, createdAt, questions } = view;
    const [first] = questions;
    const from = isAskedByRun(view, report.sessionId) ? 'run' : 'agent';
    const question = { id, title: first?.title ?? '', prompt: first?.prompt ?? '', from } as const;
    return { kind: 'answer', reason: 'your answer', since: createdAt, until: null, question };
  }
  if (status === 'paused')
    return {
      kind: 'pause',
      reason: statusReason ?? 'paused',
      since: report.pausedAt,
      until: null,
      question: null,
    };
  if (report.cutOff !== undefined && owner?.isAlive === true && status === 'running') {
    const { words, since, until } = report.cutOff;
    return { kind: 'fleet', reason: words, since, until, question: null };
  }
  if (calls.wait === null || owner?.isAlive !== true || status !== 'running') return null;
  const { reason, until, since } = calls.wait;
  return { kind: 'limit', reason, since, until, question: null };
}

/** What a person types next. Empty if there is nothing to do but wait. */
function nextCommands(
  report: LoopReport,
  wait: RunWait | null,
  { isDecided, permissions }: { readonly isDecided: boolean; readonly permissions: string | undefined },
): string[] {
  const { status, owner } = report;
  // By its id, because what is typed may be typed elsewhere, or beside a worktree whose run this is.
  const id = report.sessionId.slice(0, 8);
  const bypass = permissions === 'bypass' ? ' --permissions bypass' : '';
  if (status === 'completed') return [`holdfast report ${id}`];
  if (status === 'aborted') return [];
  const answer = wait?.question == null ? [] : [`holdfast answer ${wait.question.id.slice(0, 8)}`];
  if (owner?.isAlive === true) return wait === null || answer.length > 0 ? answer : [`holdfast resume ${id}`];
  const isStuck = status === 'halted' && answer.length === 0 && !isDecided;
  return [...answer, `holdfast resume ${id}${isStuck ? ' --reset' : ''}${bypass}`];
}
