import { relative, resolve } from 'node:path';
import type { AgentDefinition, PermissionMode } from '../agents/index.js';
import { InvalidInputError, isHoldfastError } from '../foundation/index.js';
import { guessVerifyCommands } from '../plans/index.js';
import { runProgram } from '../programs/index.js';
import {
  type Check,
  type ContextMode,
  guessedCheck,
  NoChecksError,
  openPrpPlan,
  type RunEnd,
  type RunEvent,
  type RunPlan,
  runLoop,
  testHistory,
  typedCheck,
} from '../runner/index.js';
import type { Conversation } from '../sessions/conversation/index.js';
import {
  type Budget,
  type Detection,
  type LoopSessions,
  type LoopState,
  type OwnedLoop,
  PRESETS,
} from '../sessions/loop/index.js';
import { ContentMemory, countChangedSince, takeSnapshot } from '../workspace/index.js';
import { chooseInstalledAgent, driverTools } from './agents.js';
import { conversationPath, openConversations, turnTaker } from './conversations.js';
import { configuredBudget, openLoops, projectDirectoryOf } from './loops.js';
import { openPrices, refuseUnknownCost } from './prices.js';
import { workbenchOf } from './processes.js';
import { openChangePlan, releaseChangeOf } from './run-change.js';
import { forgetRun, type RunStart, recallStart, rememberStart } from './run-memory.js';
import type { Services } from './services.js';
import { isToldByRun } from './told-commands.js';

/** What a person wants of a run. What they leave open is as when the session was last run, or as usual. */
export interface RunWishes {
  readonly plan: { readonly prp: string } | { readonly change: string };
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** `edits` as usual. */
  readonly permissions?: PermissionMode | undefined;
  /** Checks as the person typed them; guessed from the project where there are none. */
  readonly verify: readonly string[];
  readonly budget: Budget;
  readonly callsPerHour?: number | undefined;
  /** `redline` as usual. */
  readonly context?: ContextMode | undefined;
  /** How long the agent may show no sign of life; 0 = for ever, as configured if absent. */
  readonly idleMs?: number | undefined;
  readonly isUnattended: boolean;
  /** A command of the person's own, for when it is over. */
  readonly onEnd?: string | undefined;
}

/** Wishes of which none is open that the run depends on. */
interface DecidedWishes extends RunWishes {
  readonly permissions: PermissionMode;
  readonly context: ContextMode;
}

/** The plan of a run, and the session of it that is there. */
export interface FoundRun {
  readonly wishes: RunWishes;
  readonly loops: LoopSessions;
  readonly plan: RunPlan;
  readonly projectDirectory: string;
  readonly detection: Detection;
}

/** A run that could be started: everything is found, nothing is changed. */
export interface PreparedRun extends FoundRun {
  readonly wishes: DecidedWishes;
  readonly agent: AgentDefinition;
  readonly checks: readonly Check[];
  readonly areChecksGuessed: boolean;
  /** How the session was run before, where it is gone on with and that is known. */
  readonly before: RunStart | undefined;
}

/** How long a check may take; a tool that the agent runs may be silent as long. */
const CHECK_TIMEOUT_MS = 60 * 60_000;
const ON_END_TIMEOUT_MS = 60_000;

/** Finds the plan and the session that is there. Throws PLAN_NOT_FOUND, CHANGE_NOT_FOUND, and what the choice of the agent throws. */
export function findRun(services: Services, wishes: RunWishes): FoundRun {
  const projectDirectory = projectDirectoryOf(services);
  const loops = openLoops(services, { callsPerHour: wishes.callsPerHour });
  const plan = openPlan(services, wishes, projectDirectory);
  // Said before anybody decides anything.
  if (wishes.agent !== undefined) chooseInstalledAgent(services, wishes.agent);
  return { wishes, loops, plan, projectDirectory, detection: loops.detect(plan.path) };
}

/** Finds everything else that a run needs. Throws NO_CHECKS, INVALID_INPUT, and what the choice of the agent throws. */
export function prepareRun(services: Services, found: FoundRun, isNew: boolean): PreparedRun {
  const { projectDirectory, detection } = found;
  const before = isNew ? undefined : recallStart(services, detection.session?.sessionId);
  const wishes = asBefore(found.wishes, before);
  const agent = chooseInstalledAgent(services, wishes.agent);
  const checks = checksOf(services, wishes, projectDirectory);
  if (checks.length === 0) throw new NoChecksError();
  return { ...found, wishes, agent, checks, areChecksGuessed: wishes.verify.length === 0, before };
}

/** What was left open, as it was before. To ask for nothing has to be said each time. */
function asBefore(wishes: RunWishes, before: RunStart | undefined): DecidedWishes {
  const permissions = wishes.permissions ?? (before?.permissions === 'ask' ? 'ask' : 'edits');
  if (permissions === 'ask' && wishes.isUnattended)
    throw new InvalidInputError('The permissions `ask` need somebody who answers', {
      hint: 'Say --attended if somebody looks at the inbox, or choose other --permissions.',
    });
  const agent = wishes.agent ?? before?.agent;
  const isUnsaid = wishes.verify.length === 0;
  if (isUnsaid && before?.areChecksSecret)
    throw new NoChecksError('The checks of this session held a secret, and were not kept');
  return {
    ...wishes,
    agent,
    // A model of one agent means nothing to another.
    model: wishes.model ?? (agent === before?.agent ? before?.model : undefined),
    permissions,
    verify: isUnsaid ? (before?.verify ?? []) : wishes.verify,
    context: wishes.context ?? before?.context ?? 'redline',
    idleMs: wishes.idleMs ?? before?.idleMs,
    onEnd: wishes.onEnd ?? before?.onEnd,
  };
}

function openPlan(services: Services, { plan }: RunWishes, projectDirectory: string): RunPlan {
  if ('change' in plan) return openChangePlan(services, plan.change);
  const path = resolve(services.workingDirectory, plan.prp);
  const inside = relative(projectDirectory, path);
  return openPrpPlan(services.tools.fileSystem, path, inside.startsWith('..') ? path : inside);
}

function checksOf({ tools }: Services, { verify }: RunWishes, projectDirectory: string): Check[] {
  if (verify.length > 0) return verify.map(typedCheck);
  const { checks, tests } = guessVerifyCommands(tools.fileSystem, projectDirectory);
  return [...checks, tests].filter((words) => words !== '').map(guessedCheck);
}

/** The budget of a new session. */
export function budgetOf(services: Services, { budget }: RunWishes): Budget {
  return { ...configuredBudget(services), ...budget };
}

/** How many files of the project are not as they were committed; 0 where there is no git. */
export async function countUncommitted(services: Services, { projectDirectory }: FoundRun): Promise<number> {
  const workbench = workbenchOf(services);
  const { repositories, files } = await takeSnapshot(workbench, projectDirectory, workbench);
  return repositories.length === 0 ? 0 : files.size;
}

/** The state that a run would start with: of the session that is there, or of a new one. Nothing is written. */
export function previewState(services: Services, prepared: PreparedRun, isNew: boolean): LoopState {
  const { loops, plan, detection, wishes } = prepared;
  if (!isNew && detection.session !== null) return detection.session;
  const { criteriaCount, story } = plan;
  return loops.preview(plan.path, { criteriaCount, story, budget: budgetOf(services, wishes) });
}

export interface StartRunOptions {
  readonly isNew: boolean;
  readonly isReset: boolean;
  readonly emit: (event: RunEvent) => void;
  readonly signal: AbortSignal;
  /** When the person asked for it. */
  readonly startedAt: Date;
}

/**
 * Owns the session and works through the plan. However it ends, the agent's tree is gone and the session can be gone on
 * with. Throws LOCKED with the owner, LOOP_NOT_RESUMABLE, CHANGE_LOCKED.
 */
export async function startRun(
  services: Services,
  prepared: PreparedRun,
  options: StartRunOptions,
): Promise<RunEnd> {
  using loop = await ownLoop(services, prepared, options);
  const { sessionId } = loop.state;
  rememberStart(services, sessionId, startOf(prepared));
  services.programs.endOrphans();
  const end = await runOwned(services, prepared, loop, options);
  if (end.outcome === 'completed') forgetRun(services, sessionId);
  options.emit({ type: 'run-end', sessionId, ...end });
  await runOnEnd(services, prepared, loop.state, end);
  return end;
}

/** Refuses a limit in dollars that nobody could keep, of this start or of the session that goes on. Throws COST_UNKNOWN. */
export async function checkCostLimit(
  services: Services,
  prepared: PreparedRun,
  isNew: boolean,
): Promise<void> {
  const { wishes, detection, agent } = prepared;
  const budget = isNew ? budgetOf(services, wishes) : { ...detection.session?.budget, ...wishes.budget };
  await refuseUnknownCost(services, agent, { budget, model: wishes.model });
}

function startOf({ agent, wishes }: PreparedRun): RunStart {
  const { model, permissions, verify, context, idleMs, onEnd } = wishes;
  return { agent: agent.name, model, permissions, verify, context, idleMs, onEnd };
}

async function ownLoop(
  services: Services,
  { loops, plan, wishes, detection }: PreparedRun,
  { isNew, isReset }: StartRunOptions,
): Promise<OwnedLoop> {
  if (isNew) {
    const { criteriaCount, story } = plan;
    const loop = await loops.create(plan.path, { criteriaCount, story, budget: budgetOf(services, wishes) });
    if (detection.session !== null) await leaveBehind(services, detection.session);
    return loop;
  }
  const loop = await loops.resume(plan.path, { reset: isReset });
  const { budget, callsPerHour } = wishes;
  if (Object.keys(budget).length > 0 || callsPerHour !== undefined) loop.setLimits({ budget, callsPerHour });
  return loop;
}

async function runOwned(
  services: Services,
  prepared: PreparedRun,
  loop: OwnedLoop,
  options: StartRunOptions,
): Promise<RunEnd> {
  const { wishes, loops, plan, checks, projectDirectory } = prepared;
  const { emit, signal, isNew, startedAt } = options;
  const { tools, clock, log, questions, environment } = services;
  const { sessionId, prpFile, currentPhase, currentStory, budget } = loop.state;
  using conversation = await openRunConversation(services, prepared, sessionId);
  const agent = {
    ...prepared.agent,
    environment: { ...prepared.agent.environment, ...plan.environment(sessionId) },
  };
  const permissions = { onAsking: (_isWaiting: boolean) => {} };
  const taker = turnTaker(services, agent, conversation, {
    permissions: wishes.permissions,
    model: wishes.model,
    workingDirectory: projectDirectory,
    askerSession: sessionId,
    onAsking: (isWaiting) => permissions.onAsking(isWaiting),
    isTold: (request) => isToldByRun(request, prepared),
    onAsked: ({ id, questions: [first] }) =>
      emit({ type: 'question', sessionId: id, title: first?.title ?? '', from: 'agent' }),
    // An agent that does not even start must not keep a run from stopping.
    signal,
    // The person has just said how it is to be started.
    acceptsChanges: true,
    priceOf: await openPrices(services),
    // An agent that writes the same again makes no progress.
    memory: new ContentMemory(),
    onContinuation: (continuation) => emit({ type: 'continuation', continuation }),
  });
  emit({
    type: 'run-start',
    sessionId,
    plan: prpFile,
    agent: agent.name,
    isResumed: !isNew,
    conversation: conversationPath(services, conversation.id),
    phase: currentPhase,
    story: currentStory ?? null,
    verify: checks.map(({ label }) => label),
    budget: budget ?? {},
    phases: (loop.state.preset ?? PRESETS.tdd).phases.map(({ name }) => name),
    stories: loop.state.storiesTotal ?? null,
    tests: testHistory(loop.documents),
  });
  try {
    const end = await runLoop(
      {
        clock,
        log,
        fileSystem: tools.fileSystem,
        loops,
        loop,
        plan,
        conversation,
        filesChangedSince: (since) => {
          const workbench = workbenchOf(services);
          return countChangedSince(workbench, projectDirectory, since, workbench);
        },
        taker,
        questions,
        checks,
        checkTools: {
          programs: driverTools(services),
          workingDirectory: projectDirectory,
          environment,
          timeoutMs: CHECK_TIMEOUT_MS,
        },
        projectDirectory,
        context: wishes.context,
        idle: { idleMs: idleMsOf(services, wishes), toolMs: CHECK_TIMEOUT_MS },
        isUnattended: wishes.isUnattended,
        emit,
        permissions,
        startedAt,
      },
      signal,
    );
    conversation.setStatus(
      end.outcome === 'completed' ? 'completed' : 'interrupted',
      end.reason ?? undefined,
    );
    return end;
  } finally {
    await taker.end({ isUrgent: signal.aborted });
  }
}

function idleMsOf({ config }: Services, { idleMs }: RunWishes): number {
  const wished = idleMs ?? config.get('loop.idleMinutes') * 60_000;
  return wished > 0 ? wished : Number.POSITIVE_INFINITY;
}

/** The conversation of a session, under the session's own name; one of which nothing is intact is mended first. */
async function openRunConversation(
  services: Services,
  { agent, projectDirectory }: PreparedRun,
  sessionId: string,
): Promise<Conversation> {
  const conversations = openConversations(services);
  const id = `run-${sessionId}`;
  try {
    return await conversations.open(id);
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'DOCUMENT_DAMAGED') {
      await conversations.recover(id);
      return conversations.open(id);
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

/** The person's own command. What it does is told to nobody but the log. */
async function runOnEnd(
  services: Services,
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
  const { exit } = await runProgram(driverTools(services), spec, ON_END_TIMEOUT_MS);
  if (exit.code !== 0) services.log.warn('run.on-end-failed', { exitCode: exit.code, signal: exit.signal });
}

/** Does what a crash right after the end of a completed session left undone. */
export async function settleCompleted({ detection, plan }: FoundRun): Promise<void> {
  const { session } = detection;
  const isOfPlan = detection.expiry.isExpired && detection.expiry.action === 'no_resume';
  if (session?.status === 'completed' && isOfPlan) await plan.finish(session.sessionId);
}

/** Ends a session for good without going on with it; its files are kept. Throws LOCKED, LOOP_NOT_FOUND. */
export async function abortRun(services: Services, { loops }: FoundRun): Promise<string> {
  using loop = await loops.open();
  services.programs.endOrphans();
  loop.abort();
  await leaveBehind(services, loop.state);
  return loop.directory;
}

/** For a session that nobody goes on with: nobody hears the answers to what it asked, and it must not hold a change. */
async function leaveBehind(services: Services, state: LoopState): Promise<void> {
  const { sessionId, openQuestions, storiesTotal } = state;
  const reason = 'the run that asked was given up';
  for (const id of openQuestions) await ifPossible(() => services.questions.cancel(id, reason));
  if (storiesTotal !== undefined) await ifPossible(() => releaseChangeOf(services, sessionId));
  forgetRun(services, sessionId);
}

/** What was settled or went away meanwhile needs no care. */
async function ifPossible(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}
