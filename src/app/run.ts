import { relative, resolve } from 'node:path';
import { type AgentDefinition, type PermissionMode, serviceNameOf } from '../agents/index.js';
import { InvalidInputError, isHoldfastError, messageOf } from '../foundation/index.js';
import { guessVerifyCommands } from '../plans/index.js';
import { runProgram } from '../programs/index.js';
import {
  type Check,
  type ContextMode,
  guessedCheck,
  isAskedHow,
  isToldToGoOn,
  NoChecksError,
  openPrpPlan,
  questionEvent,
  RunBusyError,
  type RunEnd,
  type RunEvent,
  type RunPlan,
  runLoop,
  type SkipWish,
  testHistory,
  typedCheck,
} from '../run/index.js';
import type { Conversation } from '../sessions/conversation/index.js';
import {
  type Budget,
  type ChangedFile,
  type ChosenPreset,
  choosePreset,
  type Detection,
  type HeldLoop,
  isOfOtherPlan,
  type LoopSessions,
  type LoopState,
  type PlanPreset,
  PRESETS,
  presetOf,
} from '../sessions/loop/index.js';
import {
  ContentMemory,
  countChangedLines,
  countChangedSince,
  findStartingPoint,
  takeSnapshot,
} from '../workspace/index.js';
import { chooseInstalledAgent, driverTools } from './agents.js';
import { withdrawPermissions } from './ask-permission.js';
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
  /** The phases to go through; as the plan or the configuration says if absent. Not for a change. */
  readonly phases?: PlanPreset | undefined;
  /** Whether the person said that nobody answers, so that it holds when the run is started again, too. */
  readonly isUnattendedSaid?: boolean | undefined;
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

/** The phases that a new session of a plan would have; undefined for one with stories. Throws INVALID_INPUT. */
export function choosePhases({ config }: Services, { wishes, plan }: FoundRun): ChosenPreset | undefined {
  if (plan.story !== undefined) return undefined;
  return choosePreset({
    typed: wishes.phases,
    plan: plan.preset,
    configured: config.get('loop.preset'),
    phases: config.get('loop.phases'),
  });
}

/** The budget of a new session. */
export function budgetOf(services: Services, { budget }: RunWishes): Budget {
  return { ...configuredBudget(services), ...budget };
}

/** How many files of the project are not as they were committed; 0 where there is no git. */
export async function countUncommitted(services: Services, { projectDirectory }: FoundRun): Promise<number> {
  const workbench = workbenchOf(services);
  const { repositories, files } = await takeSnapshot(workbench, projectDirectory, workbench);
  if (repositories.length === 0) return 0;
  return [...files.values()].filter(({ isUnjudged }) => isUnjudged !== true).length;
}

/** The state that a run would start with: of the session that is there, or of a new one. Nothing is written. */
export function previewState(services: Services, prepared: PreparedRun, isNew: boolean): LoopState {
  const { loops, plan, detection, wishes } = prepared;
  if (!isNew && detection.session !== null) return detection.session;
  const { criteriaCount, story } = plan;
  const preset = choosePhases(services, prepared)?.preset;
  return loops.preview(plan.path, { criteriaCount, story, preset, budget: budgetOf(services, wishes) });
}

export interface StartRunOptions {
  readonly isNew: boolean;
  readonly isReset: boolean;
  /** Skips the phase in which the session halted. */
  readonly skip?: SkipWish | undefined;
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
  using loop = await ownLoop(services, prepared, options).catch((error: unknown) => {
    if (isHoldfastError(error, 'LOCKED')) refuseSecondRun(services, prepared);
    throw error;
  });
  const { sessionId } = loop.state;
  rememberStart(services, sessionId, startOf(prepared));
  services.programs.endOrphans();
  await withdrawPermissions(services, sessionId);
  await noteStart(services, prepared, loop);
  const touched = new Set<string>();
  const end = await runOwned(services, prepared, loop, { ...options, touched });
  await noteFiles(services, prepared, loop, touched);
  if (end.outcome === 'completed') forgetRun(services, sessionId);
  options.emit({ type: 'run-end', sessionId, ...end, skipped: loop.state.phasesSkipped });
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
  const { model, permissions, verify, context, idleMs, onEnd, isUnattendedSaid } = wishes;
  const isUnattended = isUnattendedSaid === true ? true : undefined;
  return { agent: agent.name, model, permissions, verify, context, idleMs, onEnd, isUnattended };
}

/** Throws LOCKED, with the owner, where somebody runs the loop of this project, whatever its plan. */
export function refuseSecondRun({ clock }: Pick<Services, 'clock'>, { loops, detection }: FoundRun): void {
  const owner = loops.owner();
  if (owner.hold !== 'held') return;
  throw new RunBusyError(
    owner,
    clock.now(),
    isOfOtherPlan(detection) ? detection.session?.prpFile : undefined,
  );
}

/**
 * Whether a halted session goes on without --reset: its own question is answered, or is still open and somebody is there
 * to answer it.
 */
export async function isAskedOn(
  { questions }: Pick<Services, 'questions'>,
  { wishes, detection: { session, expiry } }: FoundRun,
): Promise<boolean> {
  if (session?.status !== 'halted' || !expiry.isExpired || expiry.action !== 'reset_or_abort') return false;
  return wishes.isUnattended
    ? isToldToGoOn(questions, session.sessionId)
    : isAskedHow(questions, session.sessionId);
}

async function ownLoop(
  services: Services,
  prepared: PreparedRun,
  { isNew, isReset, skip }: StartRunOptions,
): Promise<HeldLoop> {
  const { loops, plan, wishes, detection } = prepared;
  if (isNew) {
    const { criteriaCount, story } = plan;
    const preset = choosePhases(services, prepared)?.preset;
    const budget = budgetOf(services, wishes);
    const loop = await loops.create(plan.path, { criteriaCount, story, preset, budget });
    if (detection.session !== null) await leaveBehind(services, detection.session, { isReplaced: true });
    return loop;
  }
  const isSkipping = skip !== undefined;
  const isHalted = !isReset && !isSkipping && (await isAskedOn(services, prepared));
  const loop = isHalted
    ? await loops.hold()
    : await loops.resume(plan.path, { reset: isReset, skip: isSkipping });
  if (wishes.phases !== undefined) loop.changePhases(PRESETS[wishes.phases]);
  const { budget, callsPerHour } = wishes;
  if (Object.keys(budget).length > 0 || callsPerHour !== undefined) loop.setLimits({ budget, callsPerHour });
  return loop;
}

async function runOwned(
  services: Services,
  prepared: PreparedRun,
  loop: HeldLoop,
  options: StartRunOptions & { readonly touched: Set<string> },
): Promise<RunEnd> {
  const { wishes, loops, plan, checks, projectDirectory } = prepared;
  const { emit, signal, isNew, startedAt, touched } = options;
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
    isAttended: !wishes.isUnattended,
    onAsking: (isWaiting) => permissions.onAsking(isWaiting),
    isTold: (request) => isToldByRun(request, prepared),
    onAsked: (view) => emit(questionEvent(view, 'agent')),
    // An agent that does not even start must not keep a run from stopping.
    signal,
    // The person has just said how it is to be started.
    acceptsChanges: true,
    priceOf: await openPrices(services),
    isMeasured: true,
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
    preset: presetOf(loop.state).name,
    phases: presetOf(loop.state).phases.map(({ name }) => name),
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
        service: { service: serviceNameOf(agent), zone: agent.environment.TZ },
        idle: { idleMs: idleMsOf(services, wishes), toolMs: CHECK_TIMEOUT_MS },
        touched,
        isUnattended: wishes.isUnattended,
        emit,
        permissions,
        ownWords: services.config.get('loop.prompts'),
        skip: options.skip ?? null,
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

/** Where the work begins, once. What cannot be told keeps nobody from working. */
async function noteStart(services: Services, { projectDirectory }: FoundRun, loop: HeldLoop): Promise<void> {
  const { startedFrom, usage } = loop.state;
  if (startedFrom != null || (usage?.iterations ?? 0) > 0) return;
  const workbench = workbenchOf(services);
  const start = await findStartingPoint(workbench, projectDirectory, workbench).catch((error: unknown) => {
    services.log.warn('run.start-not-measured', { error: messageOf(error) });
  });
  if (start !== undefined) loop.recordStart({ ...start, uncommitted: [...start.uncommitted] });
}

/** What the run changed since it began: by git where that can tell, else the names that were measured. */
async function noteFiles(
  services: Services,
  { projectDirectory }: FoundRun,
  loop: HeldLoop,
  touched: ReadonlySet<string>,
): Promise<void> {
  const before = loop.state.filesChanged;
  const counted = await changedSince(services, projectDirectory, loop.state);
  const names = new Set([...(before ?? []).map(({ path }) => path), ...touched]);
  const files = counted ?? [...names].sort().map((path) => ({ path, added: null, deleted: null }));
  if (JSON.stringify(files) !== JSON.stringify(before)) loop.recordFiles(files);
}

/** The files that are not as they were when a loop began; undefined where git cannot tell. */
export async function changedSince(
  services: Services,
  projectDirectory: string,
  { startedFrom }: LoopState,
): Promise<ChangedFile[] | undefined> {
  if (startedFrom == null) return undefined;
  const files = await countChangedLines(workbenchOf(services), projectDirectory, startedFrom.commit);
  return files?.map((file) => ({ ...file }));
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
  using loop = await loops.hold();
  services.programs.endOrphans();
  loop.abort();
  await leaveBehind(services, loop.state);
  return loop.directory;
}

/** For a session that nobody goes on with: nobody hears the answers to what it asked, and it must not hold a change. */
async function leaveBehind(services: Services, state: LoopState, { isReplaced = false } = {}): Promise<void> {
  const { sessionId, openQuestions, storiesTotal } = state;
  const reason = 'the run that asked was given up';
  const asked = (await services.questions.list()).filter(
    ({ id, asker, outcome }) =>
      outcome.status === 'pending' && (asker?.session === sessionId || openQuestions.includes(id)),
  );
  for (const { id } of asked) await ifPossible(() => services.questions.cancel(id, reason));
  if (storiesTotal !== undefined) await ifPossible(() => releaseChangeOf(services, sessionId));
  forgetRun(services, sessionId, { isReplaced });
}

/** What was settled or went away meanwhile needs no care. */
async function ifPossible(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}
