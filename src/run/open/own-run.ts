import { neededVariables, serviceNameOf } from '../../agents/index.js';
import { type Actor, isHoldfastError, messageOf } from '../../foundation/index.js';
import { runProgram } from '../../programs/index.js';
import type { Conversation } from '../../sessions/conversation/index.js';
import { type HeldLoop, type LoopState, PRESETS, presetOf } from '../../sessions/loop/index.js';
import { ContentMemory, countChangedSince } from '../../workspace/index.js';
import type { RunEnd, RunEvent } from '../journal/events.js';
import { RunJournal } from '../journal/journal.js';
import { withdrawPermissions } from '../questions/ask-permission.js';
import { isToldByRun } from '../questions/told-commands.js';
import { noteFiles, noteStart } from '../records/changed-files.js';
import { forgetRun, type RunStart, rememberStart } from '../records/run-memory.js';
import { runLoop } from '../run-loop.js';
import type { RunParts, SkipWish } from '../run-parts.js';
import { testHistory } from '../run-standing.js';
import type { TurnTaker } from '../turn/take-turn.js';
import {
  budgetOf,
  choosePhases,
  isAskedOn,
  type PreparedRun,
  type RunWishes,
  refuseSecondRun,
} from './find-run.js';
import { leaveBehind } from './leave-run.js';
import type { RunServices } from './run-services.js';

export interface StartRunOptions {
  readonly isNew: boolean;
  readonly isReset: boolean;
  /** Skips the phase in which the session halted. */
  readonly skip?: SkipWish | undefined;
  /** Who starts it, for the journal. */
  readonly actor?: Actor | undefined;
  readonly signal: AbortSignal;
  /** When the person asked for it. */
  readonly startedAt: Date;
}

/** A run that owns its session and has not started working. */
export interface OwnedRun extends Disposable {
  readonly sessionId: string;
  /** Everything that happens is written here; follow it to see the run. */
  readonly journal: RunJournal;
  /**
   * Works through the plan. However it ends, the agent's process tree is gone and the session can be resumed. Throws
   * CHANGE_LOCKED, CHECK_NOT_RUNNABLE, LOCK_LOST, and disk errors if the journal cannot be written.
   */
  work(): Promise<RunEnd>;
}

/** Owns the session of a plan. Throws LOCKED with the owner, LOOP_NOT_RESUMABLE. */
export async function ownRun(
  services: RunServices,
  prepared: PreparedRun,
  options: StartRunOptions,
): Promise<OwnedRun> {
  const loop = await ownLoop(services, prepared, options).catch((error: unknown) => {
    if (isHoldfastError(error, 'LOCKED')) refuseSecondRun(services, prepared);
    throw error;
  });
  try {
    const { sessionId } = loop.state;
    const { tools, runs } = services;
    const journal = RunJournal.open(tools, { runs, sessionId, lock: loop });
    return {
      sessionId,
      journal,
      work: () => workOwned(services, prepared, { ...options, loop, journal }),
      [Symbol.dispose]() {
        journal[Symbol.dispose]();
        loop[Symbol.dispose]();
      },
    };
  } catch (error) {
    loop[Symbol.dispose]();
    throw error;
  }
}

async function ownLoop(
  services: RunServices,
  prepared: PreparedRun,
  options: StartRunOptions,
): Promise<HeldLoop> {
  const loop = await holdLoop(services, prepared, options);
  try {
    await (options.isNew ? replaceEarlier(services, prepared) : applyWishes(loop, prepared.wishes));
    return loop;
  } catch (error) {
    loop[Symbol.dispose]();
    throw error;
  }
}

async function holdLoop(
  services: RunServices,
  prepared: PreparedRun,
  { isNew, isReset, skip }: StartRunOptions,
): Promise<HeldLoop> {
  const { loops, plan } = prepared;
  if (isNew) return createLoop(services, prepared);
  const isSkipping = skip !== undefined;
  if (!isReset && !isSkipping && (await isAskedOn(services, prepared))) return loops.hold();
  return loops.resume(plan.path, { reset: isReset, skip: isSkipping });
}

/** How it is started is stored first: where that fails, an earlier session must not have made room for nothing. */
async function createLoop(services: RunServices, prepared: PreparedRun): Promise<HeldLoop> {
  const { loops, plan, wishes } = prepared;
  const { criteriaCount, story } = plan;
  const preset = choosePhases(services, prepared)?.preset;
  const options = { criteriaCount, story, preset, budget: budgetOf(services, wishes) };
  // A run with this id may exist already, and what is known of it must not be touched.
  if (wishes.sessionId !== undefined) return loops.create(plan.path, options);
  const sessionId = services.tools.ids.uuid();
  rememberStart(services, sessionId, startOf(services, prepared));
  try {
    return await loops.create(plan.path, { ...options, sessionId });
  } catch (error) {
    forgetRun(services, sessionId);
    throw error;
  }
}

async function replaceEarlier(services: RunServices, { detection }: PreparedRun): Promise<void> {
  if (detection.session !== null) await leaveBehind(services, detection.session, { isReplaced: true });
}

function applyWishes(loop: HeldLoop, { phases, budget, callsPerHour }: RunWishes): void {
  if (phases !== undefined) loop.changePhases(PRESETS[phases]);
  if (Object.keys(budget).length > 0 || callsPerHour !== undefined) loop.setLimits({ budget, callsPerHour });
}

interface WorkOptions extends StartRunOptions {
  readonly loop: HeldLoop;
  readonly journal: RunJournal;
}

/** With the files that agents say they changed. */
type CountedWork = WorkOptions & { readonly touched: Set<string> };

async function workOwned(
  services: RunServices,
  prepared: PreparedRun,
  options: WorkOptions,
): Promise<RunEnd> {
  const { loop } = options;
  const { sessionId } = loop.state;
  rememberStart(services, sessionId, startOf(services, prepared));
  services.programs.endOrphans();
  await withdrawPermissions(services, sessionId);
  await noteStart(services, prepared, loop);
  const work = { ...options, touched: new Set<string>() };
  const end = await workThrough(services, prepared, work);
  if (end.outcome === 'completed') forgetRun(services, sessionId);
  await recordEnd(services, prepared, work, end);
  await runOnEnd(services, prepared, loop.state, end);
  return end;
}

/** Notes what the run changed and records how it ended. */
async function recordEnd(
  services: RunServices,
  prepared: PreparedRun,
  { loop, journal, touched }: CountedWork,
  end: RunEnd,
): Promise<void> {
  const { state } = loop;
  await noteFiles(services, prepared, loop, touched).catch((error: unknown) => {
    if (isHoldfastError(error, 'LOCK_LOST')) throw error;
    services.log.warn('run.files-not-noted', { error: messageOf(error) });
  });
  journal.record({ type: 'run-end', sessionId: state.sessionId, ...end, skipped: state.phasesSkipped });
}

/**
 * A run that fails is over, too, unless somebody else has it by now. The error that ended it is not to be hidden, and the
 * person's command runs even if nothing can be recorded any more. What failed behind a completed run does not undo it.
 */
async function closeFailed(
  services: RunServices,
  prepared: PreparedRun,
  work: CountedWork,
  error: unknown,
): Promise<void> {
  const { state } = work.loop;
  const isCompleted = state.status === 'completed';
  const end: RunEnd = isCompleted
    ? { outcome: 'completed', reason: null }
    : { outcome: 'failed', reason: messageOf(error) };
  if (isHoldfastError(error, 'LOCK_LOST')) return;
  try {
    await recordEnd(services, prepared, work, end);
  } catch (another) {
    if (isHoldfastError(another, 'LOCK_LOST')) return;
    services.log.warn('run.end-not-recorded', { error: messageOf(another) });
  }
  await runOnEnd(services, prepared, state, end);
}

function startOf({ environment }: RunServices, { agent, wishes }: PreparedRun): RunStart {
  const { account, model, permissions, verify, context, idleMs, onEnd, isUnattendedSaid } = wishes;
  const isUnattended = isUnattendedSaid === true ? true : undefined;
  const variables = neededVariables(agent, environment);
  const options = { model, permissions, verify, context, idleMs, onEnd, isUnattended };
  return { agent: agent.name, account, ...options, variables };
}

async function workThrough(
  services: RunServices,
  prepared: PreparedRun,
  options: CountedWork,
): Promise<RunEnd> {
  const { plan } = prepared;
  const { loop, journal, signal } = options;
  const { sessionId } = loop.state;
  using conversation = await openRunConversation(services, prepared, sessionId);
  await using checkpoint = await services.openCheckpoint?.(sessionId, {
    projectDirectory: prepared.projectDirectory,
    conversation: conversation.id,
  });
  const agent = {
    ...prepared.agent,
    environment: { ...prepared.agent.environment, ...plan.environment(sessionId) },
  };
  const taker = await takerOf(services, { ...prepared, agent }, { conversation, ...options });
  journal.record(startEvent(services, prepared, options, conversation));
  const parts = partsOf(services, { ...prepared, agent }, { ...options, conversation, taker, checkpoint });
  try {
    return await loopThenEndAgent(parts, signal);
  } catch (error) {
    await closeFailed(services, prepared, options, error);
    throw error;
  }
}

async function loopThenEndAgent(parts: RunParts, signal: AbortSignal): Promise<RunEnd> {
  const { conversation, taker, checkpoint } = parts;
  try {
    const end = await runLoop(parts, signal);
    const status = end.outcome === 'completed' ? 'completed' : 'interrupted';
    conversation.setStatus(status, end.reason ?? undefined);
    return end;
  } finally {
    await taker.end({ isUrgent: signal.aborted || checkpoint?.lost.aborted === true });
  }
}

/** The agent of a run; every exchange with it is recorded and measured. */
async function takerOf(
  services: RunServices,
  prepared: PreparedRun,
  { conversation, loop, journal, signal }: WorkOptions & { readonly conversation: Conversation },
): Promise<TurnTaker> {
  const { wishes, agent, projectDirectory } = prepared;
  return services.turnTaker(agent, conversation, {
    permissions: wishes.permissions,
    model: wishes.model,
    workingDirectory: projectDirectory,
    askerSession: loop.state.sessionId,
    isAttended: !wishes.isUnattended,
    isTold: (request) => isToldByRun(request, prepared),
    // An agent that does not even start must not prevent the run from stopping.
    signal,
    // The person has just said how it should be started.
    acceptsChanges: true,
    priceOf: await services.openPrices(),
    isMeasured: true,
    // An agent that writes the same content again makes no progress.
    memory: new ContentMemory(),
    onContinuation: (continuation) => journal.note({ type: 'continuation', continuation }),
  });
}

function startEvent(
  services: RunServices,
  { agent, checks }: PreparedRun,
  { loop, isNew, actor }: WorkOptions,
  conversation: Conversation,
): RunEvent {
  const { sessionId, prpFile, currentPhase, currentStory, budget, storiesTotal } = loop.state;
  const { name, phases } = presetOf(loop.state);
  return {
    type: 'run-start',
    sessionId,
    plan: prpFile,
    agent: agent.name,
    isResumed: !isNew,
    ...(actor === undefined ? {} : { actor }),
    conversation: services.conversationPath(conversation.id),
    phase: currentPhase,
    story: currentStory ?? null,
    verify: checks.map(({ label }) => label),
    budget: budget ?? {},
    preset: name,
    phases: phases.map((phase) => phase.name),
    stories: storiesTotal ?? null,
    tests: testHistory(loop.documents),
  };
}

function partsOf(
  services: RunServices,
  { agent, wishes, loops, plan, checks, projectDirectory }: PreparedRun,
  options: WorkOptions & Pick<RunParts, 'conversation' | 'taker' | 'touched' | 'checkpoint'>,
): RunParts {
  const { clock, log, questions, environment, tools, settings } = services;
  const { loop, journal, conversation, taker, touched, skip, startedAt } = options;
  return {
    clock,
    log,
    fileSystem: tools.fileSystem,
    loops,
    loop,
    plan,
    conversation,
    filesChangedSince: (since) => {
      const workbench = services.workbench();
      return countChangedSince(workbench, projectDirectory, since, workbench);
    },
    taker,
    questions,
    checks,
    checkTools: {
      programs: services.driverTools,
      workingDirectory: projectDirectory,
      environment,
      timeoutMs: CHECK_TIMEOUT_MS,
    },
    projectDirectory,
    context: wishes.context,
    service: { service: serviceNameOf(agent), zone: agent.environment.TZ },
    shared: services.openSharedLimits(agent, loop.state.sessionId),
    idle: { idleMs: idleMsOf(services, wishes), toolMs: CHECK_TIMEOUT_MS },
    touched,
    isUnattended: wishes.isUnattended,
    journal,
    ownWords: settings.prompts,
    skip: skip ?? null,
    startedAt,
    checkpoint: options.checkpoint,
  };
}

/** How long a check may take; a tool that the agent runs may be silent for as long. */
const CHECK_TIMEOUT_MS = 60 * 60_000;
const ON_END_TIMEOUT_MS = 60_000;

function idleMsOf({ settings }: RunServices, { idleMs }: RunWishes): number {
  const wished = idleMs ?? settings.idleMinutes * 60_000;
  return wished > 0 ? wished : Number.POSITIVE_INFINITY;
}

/** The conversation of a session, under the session's own name; one with nothing intact is mended first. */
async function openRunConversation(
  services: RunServices,
  { agent, projectDirectory }: PreparedRun,
  sessionId: string,
): Promise<Conversation> {
  const conversations = services.openConversations();
  const id = `run-${sessionId}`;
  try {
    return await conversations.hold(id);
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'DOCUMENT_DAMAGED') {
      await conversations.recover(id);
      return conversations.hold(id);
    }
    if (!isHoldfastError(error) || error.code !== 'SESSION_NOT_FOUND') throw error;
    return conversations.create({
      id,
      agent: agent.name,
      workingDirectory: projectDirectory,
      isHidden: true,
    });
  }
}

/** The person's own command. Its outcome goes only to the log. */
async function runOnEnd(
  services: RunServices,
  { wishes, projectDirectory }: PreparedRun,
  { sessionId }: LoopState,
  end: RunEnd,
): Promise<void> {
  if (wishes.onEnd === undefined) return;
  const environment = {
    ...services.environment,
    HOLDFAST_RUN_OUTCOME: end.outcome,
    HOLDFAST_RUN_REASON: end.reason ?? '',
    HOLDFAST_RUN_SESSION: sessionId,
  };
  const spec = { command: 'sh', args: ['-c', wishes.onEnd], workingDirectory: projectDirectory, environment };
  try {
    const { exit } = await runProgram(services.driverTools, spec, ON_END_TIMEOUT_MS);
    if (exit.code !== 0) services.log.warn('run.on-end-failed', { exitCode: exit.code, signal: exit.signal });
  } catch (error) {
    services.log.warn('run.on-end-not-started', { error: messageOf(error) });
  }
}
