import { isHoldfastError, messageOf } from '../foundation/index.js';
import type { BudgetReached } from '../sessions/loop/index.js';
import { Attention } from './attention.js';
import { CheckNotRunnableError } from './errors.js';
import { halted } from './halted.js';
import type { RunEnd } from './journal/events.js';
import { isAdmitted, leaveShared, recordDay, waitOut } from './limits/shared-limits.js';
import { askPerson, CHANGE, guidanceOf, leaveOwnQuestions, STOP } from './questions/ask-person.js';
import { adoptQuestions, waitingQuestions } from './questions/late-answers.js';
import type { CheckpointWait, RunMemory, RunParts } from './run-parts.js';
import { standingOf } from './run-standing.js';
import { type IterationEnd, iterate, runAndTellChecks, storeCheckpoint } from './turn/iterate.js';
import { countLeftUsage } from './turn/usage.js';

/**
 * Iterates until the plan is done, the breaker opens, a limit is reached, a person is needed, or somebody says stop. However
 * it ends, its result is committed. Throws LOCK_LOST when the session was taken away.
 */
export async function runLoop(parts: RunParts, signal: AbortSignal): Promise<RunEnd> {
  using attention = new Attention(parts, signal);
  using _told = parts.checkpoint?.follow((wait) => tellCutOff(parts, wait));
  const memory: RunMemory = {
    checks: null,
    isContextFull: false,
    hasWorked: false,
    skip: parts.skip,
    refusal: null,
    triesNow: false,
  };
  forgetOutdatedRequests(parts);
  await countLeftUsage(parts);
  recordDay(parts);
  await countLeftFiles(parts);
  closeInterruptedTurn(parts);
  await adoptQuestions(parts);
  await parts.plan.begin(parts.loop.state.sessionId, parts.loop.state);
  for (;;) {
    const end = await step(parts, memory, attention);
    if (end === undefined) continue;
    // The last standing that views and reports see includes the step that ended the run.
    parts.journal.record({ type: 'standing', ...standingOf(parts) });
    await storeResult(parts, end, attention);
    return end;
  }
}

/**
 * The result of a leased run goes where its snapshots went: it may be the only way for the person who queued the run to get
 * it.
 */
async function storeResult(parts: RunParts, { outcome }: RunEnd, attention: Attention): Promise<void> {
  const { checkpoint, log } = parts;
  if (checkpoint === undefined || outcome === 'interrupted' || attention.isWanted) return;
  using cut = attention.cut({ isIteration: true });
  try {
    await storeCheckpoint(parts, null, cut.signal);
  } catch (error) {
    log.warn('run.result-not-stored', { error: messageOf(error) });
  }
}

/** One step of the run; undefined when another one follows. */
async function step(parts: RunParts, memory: RunMemory, attention: Attention): Promise<RunEnd | undefined> {
  const { loop, journal } = parts;
  attention.assertHeld();
  if (attention.reason === 'fenced') return leaveFleet(parts);
  if (attention.reason === 'signal') return suspend(parts, attention);
  if (attention.isWanted) return handOver(parts, attention);
  for (const request of loop.takeRequests()) {
    journal.record({ type: 'request', request });
    if (request.kind === 'resume') memory.triesNow = true;
    if (request.kind === 'stop' && loop.state.status === 'halted')
      return { outcome: 'halted', reason: loop.state.haltReason };
  }
  journal.record({ type: 'standing', ...standingOf(parts) });
  if (loop.state.status === 'suspended')
    return { outcome: 'stopped', reason: loop.state.suspendReason ?? null };
  if (loop.state.status === 'halted') return halted(parts, memory, attention);
  if (loop.state.status === 'paused') return rest(parts, attention);
  if ((loop.state.baseline ?? null) === null) return measureBaseline(parts, memory, attention);
  const permission = loop.permission();
  if ('budget' in permission) {
    loop.pause(permission.budget.reason);
    return rest(parts, attention);
  }
  if (!permission.isAllowed) {
    journal.record({ type: 'waiting', ...permission.wait });
    await waitOut(parts, permission.wait, attention);
    return undefined;
  }
  const waiting = await waitingQuestions(parts);
  if (waiting.length > 0) return waitForAnswer(parts, waiting, attention);
  if (!(await isAdmitted(parts, memory, attention))) return undefined;
  return work(parts, memory, attention);
}

async function work(parts: RunParts, memory: RunMemory, attention: Attention): Promise<RunEnd | undefined> {
  using cut = attention.cut({ isIteration: true });
  if (cut.signal.aborted) return leaveShared(parts);
  if (!memory.hasWorked) await leaveOwnQuestions(parts);
  memory.hasWorked = true;
  const end = await iterateAndLeave(parts, memory, cut);
  // The next step deals with a question, as with every other reason.
  if ('cut' in end) return undefined;
  if (end.decision.next === 'complete') {
    await parts.plan.finish(parts.loop.state.sessionId);
    return { outcome: 'completed', reason: null };
  }
  if (end.decision.next === 'enter-phase' && end.decision.story !== null) await parts.plan.enterStory();
  return undefined;
}

async function iterateAndLeave(
  parts: RunParts,
  memory: RunMemory,
  cut: AbortController,
): Promise<IterationEnd> {
  try {
    return await iterate(parts, memory, cut);
  } finally {
    await leaveShared(parts);
  }
}

/** `holdfast resume` alone would run the same check again. */
const ANOTHER_CHECK = 'make it run, or name another: holdfast run <plan> --resume --verify "<command>"';

async function measureBaseline(parts: RunParts, memory: RunMemory, attention: Attention): Promise<undefined> {
  using cut = attention.cut();
  const checks = await runAndTellChecks(parts, cut.signal);
  if (cut.signal.aborted) return;
  const { exitCode, tests, broken } = checks;
  if (broken !== null) {
    const error = new CheckNotRunnableError(broken);
    parts.loop.suspend(`${error.message}; ${ANOTHER_CHECK}`);
    throw error;
  }
  parts.loop.recordBaseline({ exitCode, tests });
  memory.checks = checks;
  parts.journal.record({ type: 'baseline', exitCode, tests });
}

function suspend({ loop }: RunParts, { systemSignal }: Attention): RunEnd {
  const { status } = loop.state;
  if (status === 'running' || status === 'paused') loop.suspend('stopped by a signal', systemSignal);
  return { outcome: 'interrupted', reason: 'stopped by a signal' };
}

/** Shows anyone watching what the run cannot reach, and until when it may continue without it. */
function tellCutOff(parts: RunParts, wait: CheckpointWait | null): void {
  const { loop, journal, log } = parts;
  try {
    loop.noteCutOff(wait);
    if (wait === null) journal.record({ type: 'standing', ...standingOf(parts) });
    else journal.record({ type: 'waiting', cause: 'cut-off', ...wait });
  } catch (error) {
    // A fault of the disk or the lock that ends the run shows up in its next step.
    log.warn('run.cut-off-not-told', { error: messageOf(error) });
  }
}

/** The run may belong to another machine by now, so it is left as it is; its next holder continues it. */
function leaveFleet({ checkpoint }: RunParts): RunEnd {
  return { outcome: 'interrupted', reason: String(checkpoint?.lost.reason) };
}

/** Between two iterations nothing is in flight, so another machine continues exactly here. */
async function handOver(parts: RunParts, attention: Attention): Promise<RunEnd | undefined> {
  using cut = attention.cut({ isIteration: true });
  const isStored = await storeCheckpoint(parts, null, cut.signal);
  return isStored ? { outcome: 'stopped', reason: 'another machine continues it' } : undefined;
}

/** Paused by a limit, which a person may raise, or by request, until somebody says otherwise. */
async function rest(parts: RunParts, attention: Attention): Promise<RunEnd | undefined> {
  const { loop, journal } = parts;
  const reason = loop.state.pauseReason ?? 'paused';
  const permission = loop.permission();
  if (!('budget' in permission)) {
    journal.record({ type: 'waiting', cause: 'paused', words: reason, until: null });
    using cut = attention.cut({ isIteration: true });
    // Wherever the run continues, it rests there, too.
    if (parts.checkpoint !== undefined) await storeCheckpoint(parts, null, cut.signal);
    await attention.wait(Number.POSITIVE_INFINITY);
    return undefined;
  }
  const { budget } = permission;
  using cut = attention.cut();
  const answer = await askPerson(
    parts,
    {
      title: 'Limit',
      prompt: `${loop.state.prpFile}: ${budget.reason}. How should the run continue?`,
      options: [
        { label: RAISE, description: 'Allow the same amount once more' },
        { label: CHANGE, description: 'The same; the agent is told so, in your own words if you add some' },
        { label: STOP, description: 'End here; it can be resumed later' },
      ],
    },
    cut.signal,
  );
  if (cut.signal.aborted) return undefined;
  if (answer === null || answer.choice === STOP) return { outcome: 'limit', reason: budget.reason };
  loop.setLimits({ budget: { [KEY_OF_BUDGET[budget.what]]: raised(budget) } });
  loop.resume(guidanceOf(answer));
  return undefined;
}

/** Adds the same amount again. A limit that cannot be enforced because the usage is unknown is removed. */
function raised({ used, limit }: BudgetReached): number | undefined {
  return used < limit ? undefined : limit + Math.max(used, limit);
}

const RAISE = 'Raise the limit';
const KEY_OF_BUDGET = {
  iterations: 'iterations',
  time: 'activeMs',
  tokens: 'tokens',
  cost: 'costUsd',
} as const;

/** The agent asked something and cannot continue without the answer. */
async function waitForAnswer(
  parts: RunParts,
  waiting: readonly string[],
  attention: Attention,
): Promise<RunEnd | undefined> {
  const { loop, journal, isUnattended, questions } = parts;
  const [id = ''] = waiting;
  const reason = `waiting for the answer to question ${id.slice(0, 8)}`;
  if (isUnattended) {
    loop.pause(reason);
    return { outcome: 'needs-person', reason };
  }
  journal.record({ type: 'waiting', cause: 'question', question: id, until: null });
  using cut = attention.cut();
  await questions.wait(id, { signal: cut.signal }).catch((error: unknown) => {
    if (!cut.signal.aborted) throw error;
  });
  return undefined;
}

/** Requests made before the person started the run again are outdated; guidance is not. */
function forgetOutdatedRequests({ loop, startedAt, journal }: RunParts): void {
  const requests = loop.takeRequests();
  for (const request of requests) journal.record({ type: 'request', request });
  const { status } = loop.state;
  if (status !== 'paused' && status !== 'suspended') return;
  const isNew = requests.some(({ at, kind }) => kind !== 'guidance' && Date.parse(at) >= startedAt.getTime());
  if (!isNew) loop.resume();
}

/** What an iteration changed before it was cut short still counts as work of its phase. */
async function countLeftFiles({ loop, filesChangedSince, log }: RunParts): Promise<void> {
  const { interrupted } = loop.state;
  if (interrupted == null || interrupted.filesChanged !== undefined) return;
  try {
    loop.recordLeftFiles(await filesChangedSince(new Date(interrupted.startedAt)));
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'LOCK_LOST') throw error;
    log.warn('run.left-files-not-counted', { error: messageOf(error) });
  }
}

/** A prompt without an answer, from a process that died, is not repeated to an agent. */
function closeInterruptedTurn({ conversation }: RunParts): void {
  const last = conversation.context.at(-1);
  if (last?.role === 'user')
    conversation.markFailed({ turn: last.number }, 'interrupted: the process that had sent it is gone');
}
