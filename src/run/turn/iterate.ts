import { ServiceNotes } from '../../agents/index.js';
import { isHoldfastError } from '../../foundation/index.js';
import {
  type Decision,
  gatesOf,
  type IterationOutcome,
  isGreen,
  type Phase,
  phaseOf,
  wantsSecondRun,
} from '../../sessions/loop/index.js';
import { countDocuments } from '../../workspace/index.js';
import type { ChangedPaths } from '../journal/events.js';
import { tellShared } from '../limits/shared-limits.js';
import { type LateAnswers, readLateAnswers } from '../questions/late-answers.js';
import type { CutReason, RunMemory, RunParts } from '../run-parts.js';
import { standingOf } from '../run-standing.js';
import {
  analyzeTurn,
  deniedIn,
  type ExchangeResult,
  endOf,
  type IterationFacts,
  isWorthChecking,
  saysDone,
} from './analyze-turn.js';
import { askAgent } from './ask-agent.js';
import { type CheckResults, runChecks } from './checks.js';
import { buildPrompt, type MeasuredFacts } from './prompt.js';
import { uncountedUsage } from './usage.js';
import { WorkClock } from './work-clock.js';

/** How an iteration ended: with a committed decision, or cut short. */
export type IterationEnd = { readonly decision: Decision } | { readonly cut: CutReason };

/**
 * One iteration: the intent is written, the agent is prompted once, its work is measured, and everything is committed. `cut`
 * ends it early; then the iteration is not counted, but its cost is.
 */
export async function iterate(
  parts: RunParts,
  memory: RunMemory,
  cut: AbortController,
): Promise<IterationEnd> {
  const { loop, clock } = parts;
  await makeRoom(parts, memory);
  const before = loop.state;
  const answers = await readLateAnswers(parts);
  using work = new WorkClock(clock, timeLeftMs(parts));
  // Git looks at the tree while we write.
  void parts.taker.session?.lookAhead();
  const { phase, where, prompt } = await begin(parts, memory, answers);
  if (!(await storeCheckpoint(parts, prompt, cut.signal)))
    return leave(parts, work, (cut.signal.aborted ? cut.signal.reason : 'fenced') as CutReason);
  const notes = new ServiceNotes();
  const promptedMs = clock.monotonicMs();
  const result = await askAgent(parts, prompt, { work, cut, notes });
  const trouble = notes.trouble({ ...parts.service, now: clock.now() }, endOf(result));
  await tellShared(parts, { trouble, result, use: notes.use });
  let othersMs = clock.monotonicMs() - promptedMs;
  const paths = pathsOf(result);
  for (const path of paths) parts.touched.add(path);
  if (result.kind === 'response' && result.response.reason === 'completed') {
    await answers.confirm();
    loop.closeGuidance();
  }
  const checksStartMs = clock.monotonicMs();
  const { checks, runs } = await checkTurn(parts, phase, result, cut.signal);
  othersMs += clock.monotonicMs() - checksStartMs;
  if (cut.signal.aborted) return leave(parts, work, cut.signal.reason as CutReason);
  remember(memory, checks, result);
  const activeMs = Math.round(work.workedMs);
  const facts = { phase, result, trouble, checks, runs, activeMs };
  const outcome = { ...analyzeTurn({ ...facts, ...(await measuredInPlan(parts, phase)) }), paths };
  const decision = loop.commitIteration(outcome);
  tell(parts, where, outcome, result, decision, {
    filesLeft: before.interrupted?.filesChanged ?? 0,
    activeMs,
    overheadMs: Math.max(0, Math.round(work.workedMs - othersMs)),
  });
  return { decision };
}

/**
 * Stores a checkpoint before the agent gets the prompt, so another machine could continue from here. False if the agent must
 * not get it.
 */
export async function storeCheckpoint(
  parts: RunParts,
  prompt: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  const { checkpoint, loop } = parts;
  if (checkpoint === undefined) return true;
  const { openQuestions } = loop.state;
  try {
    return await checkpoint.store({ loop: loop.export(), prompt, openQuestions }, signal);
  } catch (error) {
    // What waiting cannot fix, such as a git server that refuses, is for a person to see.
    if (isHoldfastError(error, 'GIT_REMOTE') && isUnderWay(loop))
      loop.suspend([error.message, error.hint].filter(Boolean).join('. '));
    throw error;
  }
}

function isUnderWay({ state: { status } }: RunParts['loop']): boolean {
  return status === 'running' || status === 'paused';
}

/** The place of an iteration in the plan. */
interface Where {
  readonly phase: string;
  readonly story: string | null;
  readonly iteration: number;
}

/** Writes the intent and puts the prompt together. */
async function begin(
  parts: RunParts,
  memory: RunMemory,
  answers: LateAnswers,
): Promise<{ phase: Phase; where: Where; prompt: string }> {
  const { loop, clock, plan, journal } = parts;
  const before = loop.state;
  const phase = phaseOf(before);
  loop.beginIteration();
  const begun = loop.state.inFlight;
  const iteration = begun?.iteration ?? before.currentIteration + 1;
  const assignment = await plan.assignment(loop.state);
  const prompt = buildPrompt({
    assignment,
    phase,
    state: loop.state,
    iteration,
    startedAt: begun?.startedAt ?? clock.now().toISOString(),
    checks: parts.checks.map(({ label }) => label),
    measured: measuredFacts(parts, memory),
    interrupted: before.inFlight ?? before.interrupted ?? null,
    answers: answers.texts,
    isFresh: parts.conversation.context.length === 0,
    ownWords: parts.ownWords[phase.name],
  });
  const where = { phase: phase.name, story: before.currentStory ?? null, iteration };
  journal.record({
    type: 'iteration-start',
    ...where,
    title: assignment.title,
    place: assignment.story ?? null,
  });
  journal.record({ type: 'standing', ...standingOf(parts) });
  return { phase, where, prompt };
}

function pathsOf(result: ExchangeResult): string[] {
  const changes = result.kind === 'response' ? result.response.changes : null;
  return [...(changes?.created ?? []), ...(changes?.modified ?? []), ...(changes?.deleted ?? [])];
}

/** Enough to see what it was about; the total is given as a number. */
const MAX_PATHS = 50;

function firstPaths(result: ExchangeResult): ChangedPaths {
  const changes = result.kind === 'response' ? result.response.changes : null;
  const first = (paths: readonly string[] | undefined) => paths?.slice(0, MAX_PATHS) ?? [];
  return {
    created: first(changes?.created),
    modified: first(changes?.modified),
    deleted: first(changes?.deleted),
  };
}

function remember(memory: RunMemory, checks: CheckResults | null, result: ExchangeResult): void {
  if (checks !== null) memory.checks = checks;
  memory.isContextFull = result.kind === 'response' && result.response.reason === 'context-overflow';
}

/** What the plan, the tree and the ledger say after a turn. */
async function measuredInPlan(
  parts: RunParts,
  phase: Phase,
): Promise<Pick<IterationFacts, 'documents' | 'progress' | 'used'>> {
  const { plan, loop, fileSystem, projectDirectory } = parts;
  const isAboutDocuments = phase.gate === 'documents';
  return {
    documents: isAboutDocuments ? countDocuments(fileSystem, projectDirectory) : NO_DOCUMENTS,
    progress: await plan.progress(loop.state),
    used: uncountedUsage(parts),
  };
}

/**
 * Runs the checks after an exchange. They run a second time if the phase wants that, they passed, and the agent says it is
 * done.
 */
async function checkTurn(
  parts: RunParts,
  phase: Phase,
  result: ExchangeResult,
  signal: AbortSignal,
): Promise<{ checks: CheckResults | null; runs: number }> {
  if (!isWorthChecking(result)) return { checks: null, runs: 0 };
  const checks = await runAndTellChecks(parts, signal);
  if (signal.aborted || !wantsSecondRun(phase) || !isGreen(checks) || !saysDone(result))
    return { checks, runs: 1 };
  return { checks: await runAndTellChecks(parts, signal), runs: 2 };
}

const NO_DOCUMENTS = { total: 0, decisionRecords: 0 };

/**
 * Starts a new conversation with the agent if the mode or a full context calls for it. The prompt says what the agent must
 * know.
 */
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

/** Runs the checks and reports each one. */
export function runAndTellChecks(
  { checks, checkTools, journal }: RunParts,
  signal: AbortSignal,
): Promise<CheckResults> {
  const listener = {
    onStart: ({ label }: { label: string }) => journal.record({ type: 'verify-start', command: label }),
    onEnd: (
      { label }: { label: string },
      result: Pick<CheckResults, 'exitCode' | 'tests'> & { durationMs: number },
    ) => {
      const { exitCode, tests, durationMs } = result;
      journal.record({ type: 'verify-end', command: label, exitCode, tests, durationMs });
    },
  };
  return runChecks(checkTools, checks, listener, signal);
}

/** The iteration is not counted; what it used is. The next prompt says that it was interrupted. */
function leave(parts: RunParts, work: WorkClock, reason: CutReason): IterationEnd {
  const { loop, journal } = parts;
  if (reason !== 'lost') loop.recordUsage({ ...uncountedUsage(parts), activeMs: Math.round(work.workedMs) });
  journal.record({ type: 'iteration-cut', reason });
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
  { loop, journal }: RunParts,
  where: Where,
  outcome: IterationOutcome,
  result: ExchangeResult,
  decision: Decision,
  rest: { readonly filesLeft: number; readonly activeMs: number; readonly overheadMs: number },
): void {
  const { breaker, dualGate } = loop.documents;
  journal.record({
    type: 'iteration-end',
    ...where,
    run: outcome.run,
    error: outcome.error ?? null,
    denied: outcome.denied ?? null,
    tests: outcome.measured?.tests ?? null,
    files: outcome.measured?.files ?? { created: 0, modified: 0, deleted: 0 },
    changed: firstPaths(result),
    denials: result.kind === 'response' ? deniedIn(result.response) : [],
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
