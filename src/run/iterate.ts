import { ServiceNotes } from '../agents/index.js';
import { isHoldfastError, messageOf } from '../foundation/index.js';
import {
  type Decision,
  gatesOf,
  type IterationOutcome,
  isGreen,
  type Phase,
  phaseOf,
  wantsSecondRun,
} from '../sessions/loop/index.js';
import { countDocuments } from '../workspace/index.js';
import { AgentQuestions } from './agent-questions.js';
import { analyzeTurn, type Exchange, endOf, isWorthChecking, saysDone, type TimeUp } from './analyze-turn.js';
import { type CheckResults, runChecks } from './checks.js';
import { questionEvent } from './events.js';
import { IdleClock } from './idle-clock.js';
import { readLateAnswers } from './late-answers.js';
import { buildPrompt, type MeasuredFacts } from './prompt.js';
import type { CutReason, RunMemory, RunParts } from './run-parts.js';
import { standingOf } from './standing.js';
import { uncountedUsage } from './usage.js';
import { WorkClock } from './work-clock.js';

/** What came of an iteration: a decision that is committed, or that it was cut short. */
export type IterationEnd = { readonly decision: Decision } | { readonly cut: CutReason };

/**
 * One iteration: the intent is written down, the agent is prompted once, what it did is measured, all of it is committed.
 * `cut` ends it early; then it is not counted, and what it cost is.
 */
export async function iterate(
  parts: RunParts,
  memory: RunMemory,
  cut: AbortController,
): Promise<IterationEnd> {
  const { loop, clock, plan, emit } = parts;
  await makeRoom(parts, memory);
  const { state } = loop;
  const interrupted = state.inFlight ?? state.interrupted ?? null;
  const phase = phaseOf(state);
  const answers = await readLateAnswers(parts);
  using work = new WorkClock(clock, timeLeftMs(parts));
  loop.beginIteration();
  const begun = loop.state.inFlight;
  const iteration = begun?.iteration ?? state.currentIteration + 1;
  const assignment = await plan.assignment(loop.state);
  const prompt = buildPrompt({
    assignment,
    phase,
    state: loop.state,
    iteration,
    startedAt: begun?.startedAt ?? clock.now().toISOString(),
    checks: parts.checks.map(({ label }) => label),
    measured: measuredFacts(parts, memory),
    interrupted,
    answers: answers.texts,
    isFresh: parts.conversation.context.length === 0,
    ownWords: parts.ownWords[phase.name],
  });
  const story = state.currentStory ?? null;
  emit({
    type: 'iteration-start',
    phase: phase.name,
    story,
    iteration,
    title: assignment.title,
    place: assignment.story ?? null,
  });
  emit({ type: 'standing', ...standingOf(parts) });
  const notes = new ServiceNotes();
  const agentStartMs = clock.monotonicMs();
  const exchange = await prompted(parts, prompt, { work, cut, notes });
  const trouble = notes.trouble({ ...parts.service, now: clock.now() }, endOf(exchange));
  let othersMs = clock.monotonicMs() - agentStartMs;
  const changes = exchange.kind === 'response' ? exchange.response.changes : null;
  const paths = [...(changes?.created ?? []), ...(changes?.modified ?? []), ...(changes?.deleted ?? [])];
  for (const path of paths) parts.touched.add(path);
  if (exchange.kind === 'response' && exchange.response.reason === 'completed') {
    await answers.confirm();
    loop.closeGuidance();
  }
  if (cut.signal.aborted) return leave(parts, work, cut.signal.reason as CutReason);
  const checksStartMs = clock.monotonicMs();
  const { checks, runs } = await measured(parts, phase, exchange, cut.signal);
  othersMs += clock.monotonicMs() - checksStartMs;
  if (cut.signal.aborted) return leave(parts, work, cut.signal.reason as CutReason);
  if (checks !== null) memory.checks = checks;
  memory.isContextFull = exchange.kind === 'response' && exchange.response.reason === 'context-overflow';
  const documents =
    phase.gate === 'documents' ? countDocuments(parts.fileSystem, parts.projectDirectory) : NO_DOCUMENTS;
  const progress = await plan.progress(loop.state);
  const activeMs = Math.round(work.workedMs);
  const outcome = analyzeTurn({
    phase,
    exchange,
    trouble,
    checks,
    runs,
    documents,
    progress,
    activeMs,
    used: uncountedUsage(parts),
  });
  const decision = loop.commitIteration({ ...outcome, paths });
  tell(parts, { phase: phase.name, story, iteration }, outcome, exchange, decision, {
    filesLeft: state.interrupted?.filesChanged ?? 0,
    activeMs,
    overheadMs: Math.max(0, Math.round(work.workedMs - othersMs)),
  });
  return { decision };
}

/** The checks after an exchange; once more where the phase wants that, all seems well, and the agent says that it is done. */
async function measured(
  parts: RunParts,
  phase: Phase,
  exchange: Exchange,
  signal: AbortSignal,
): Promise<{ checks: CheckResults | null; runs: number }> {
  if (!isWorthChecking(exchange)) return { checks: null, runs: 0 };
  const checks = await checked(parts, signal);
  if (signal.aborted || !wantsSecondRun(phase) || !isGreen(checks) || !saysDone(exchange))
    return { checks, runs: 1 };
  return { checks: await checked(parts, signal), runs: 2 };
}

const NO_DOCUMENTS = { total: 0, decisionRecords: 0 };

/** Starts the agent's conversation anew where the mode or a full context wants it. What it must know is in the prompt. */
async function makeRoom({ context, conversation, taker }: RunParts, memory: RunMemory): Promise<void> {
  const isFull = memory.isContextFull || taker.session?.contextLevel === 'redline';
  const isFresh = context === 'fresh' || (isFull && context === 'redline') || memory.isContextFull;
  if (!isFresh || conversation.view.turnCount === 0) return;
  memory.isContextFull = false;
  conversation.clearContext();
  await taker.forget();
}

function timeLeftMs({ loop }: RunParts): number {
  const { budget, usage } = loop.state;
  if (budget?.activeMs === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, budget.activeMs - (usage?.activeMs ?? 0));
}

interface Surroundings {
  readonly work: WorkClock;
  readonly cut: AbortController;
  readonly notes: ServiceNotes;
}

async function prompted(parts: RunParts, prompt: string, around: Surroundings): Promise<Exchange> {
  const { loop, taker, emit, clock, log, questions, isUnattended } = parts;
  const { work, cut, notes } = around;
  using asked = new AgentQuestions({
    questions,
    clock,
    log,
    sessionId: loop.state.sessionId,
    onWaiting: (isWaiting) => (isWaiting ? work.pause() : work.resume()),
    onAsked: (view) => {
      loop.openQuestion(view.id);
      emit(questionEvent(view, 'agent'));
      if (isUnattended) cut.abort('question' satisfies CutReason);
    },
    onAnswered: (id) => loop.closeQuestion(id),
  });
  using idle = new IdleClock(clock, work, parts.idle);
  parts.permissions.onAsking = (isWaiting) => (isWaiting ? work.pause() : work.resume());
  let isCompleted = false;
  try {
    const { response } = await taker.take(prompt, {
      signal: AbortSignal.any([cut.signal, work.signal, idle.signal]),
      onEvent: (event) => {
        notes.add(event);
        idle.add(event);
        emit({ type: 'agent', event });
      },
    });
    isCompleted = response.reason === 'completed';
    return {
      kind: 'response',
      response,
      timeUp: response.reason === 'cancelled' ? timeUpOf(work, idle) : null,
    };
  } catch (error) {
    if (!isAgentTrouble(error)) throw error;
    return { kind: 'failure', message: messageOf(error), timeUp: timeUpOf(work, idle) };
  } finally {
    // One that hangs is not asked again; the next exchange starts it anew.
    if (idle.signal.aborted) await taker.end({ isUrgent: true });
    parts.permissions.onAsking = () => {};
    await asked.settle({ isCompleted });
  }
}

/** Whose patience ended an exchange, in words; null when nobody's did. */
function timeUpOf(work: WorkClock, idle: IdleClock): TimeUp | null {
  if (work.signal.aborted) return 'the time of the run was up';
  if (idle.silenceMs === null) return null;
  return `the agent showed no sign of life for ${Math.round(idle.silenceMs / 1_000)} s`;
}

/** What an agent can do to us; everything else is our own disk or a lock that was lost, and ends the run. */
const AGENT_TROUBLE: readonly string[] = [
  'PROCESS_START_FAILED',
  'PROCESS_NOT_READY',
  'PROGRAM_NOT_STARTED',
  'PROGRAM_INPUT_CLOSED',
  'AGENT_NOT_STARTED',
  'AGENT_ENDED',
  'AGENT_BUSY',
  'PROMPT_TIMED_OUT',
];

function isAgentTrouble(error: unknown): boolean {
  return isHoldfastError(error) && AGENT_TROUBLE.includes(error.code);
}

/** Runs the checks and tells about each. */
export function checked({ checks, checkTools, emit }: RunParts, signal: AbortSignal): Promise<CheckResults> {
  const listener = {
    onStart: ({ label }: { label: string }) => emit({ type: 'verify-start', command: label }),
    onEnd: (
      { label }: { label: string },
      result: Pick<CheckResults, 'exitCode' | 'tests'> & { durationMs: number },
    ) => {
      const { exitCode, tests, durationMs } = result;
      emit({ type: 'verify-end', command: label, exitCode, tests, durationMs });
    },
  };
  return runChecks(checkTools, checks, listener, signal);
}

/** The iteration is not counted; what it used up is. The next prompt says that it was interrupted. */
function leave(parts: RunParts, work: WorkClock, reason: CutReason): IterationEnd {
  const { loop, emit } = parts;
  if (reason !== 'lost') loop.recordUsage({ ...uncountedUsage(parts), activeMs: Math.round(work.workedMs) });
  emit({ type: 'iteration-cut', reason });
  return { cut: reason };
}

function measuredFacts({ loop }: RunParts, memory: RunMemory): MeasuredFacts {
  const { dualGate, state } = loop.documents;
  const { values } = dualGate.first;
  const number = (key: string) => (typeof values[key] === 'number' ? values[key] : null);
  const total = number('tests_total');
  const stored =
    total === null
      ? null
      : { total, passing: number('tests_passing') ?? 0, failing: number('tests_failing') ?? 0, skipped: 0 };
  const { isMeasured, first, second, condition, missing } = gatesOf(state, dualGate);
  return {
    tests: memory.checks === null ? stored : memory.checks.tests,
    exitCode: memory.checks === null ? number('exit_code') : memory.checks.exitCode,
    output: memory.checks?.output ?? '',
    condition,
    isFirstGateOpen: isMeasured && first,
    missing,
    wasSignalled: second,
  };
}

function tell(
  { loop, emit }: RunParts,
  where: { readonly phase: string; readonly story: string | null; readonly iteration: number },
  outcome: IterationOutcome,
  exchange: Exchange,
  decision: Decision,
  rest: { readonly filesLeft: number; readonly activeMs: number; readonly overheadMs: number },
): void {
  const { breaker, dualGate } = loop.documents;
  const denials = exchange.kind === 'response' ? exchange.response.denials : [];
  emit({
    type: 'iteration-end',
    ...where,
    run: outcome.run,
    error: outcome.error ?? null,
    tests: outcome.measured?.tests ?? null,
    files: outcome.measured?.files ?? { created: 0, modified: 0, deleted: 0 },
    denials: denials.map(({ name, title }) => `${name}: ${title}`),
    exitSignal: outcome.claim.exitSignal === true,
    gates: {
      first: dualGate.first.satisfied,
      second: dualGate.second.satisfied,
      condition: dualGate.first.condition,
      missing: dualGate.first.missing ?? [],
    },
    breaker: breaker.state,
    decision,
    ...rest,
  });
}
