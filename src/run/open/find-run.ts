import { join, relative, resolve } from 'node:path';
import { type AgentDefinition, type PermissionMode, refuseUnknownCost } from '../../agents/index.js';
import { InvalidInputError } from '../../foundation/index.js';
import { guessVerifyCommands } from '../../plans/index.js';
import {
  type Budget,
  type ChosenPreset,
  choosePreset,
  type Detection,
  isOfOtherPlan,
  type LoopSessions,
  type LoopState,
  type PlanPreset,
} from '../../sessions/loop/index.js';
import { realPath } from '../../storage/index.js';
import { takeSnapshot } from '../../workspace/index.js';
import { NoChecksError, RunBusyError } from '../errors.js';
import { openChangePlan } from '../plan/change-plan.js';
import type { RunPlan } from '../plan/plan.js';
import { openPrpPlan } from '../plan/prp-plan.js';
import { isAskedHow, isToldToGoOn } from '../questions/ask-person.js';
import { type RunStart, recallStart } from '../records/run-memory.js';
import type { ContextMode } from '../run-parts.js';
import { type Check, guessedCheck, typedCheck } from '../turn/checks.js';
import { WorktreeTakenError } from '../worktree/errors.js';
import { changePlanIn, plansPlace, runOfWorktree, type WorktreeRecord } from '../worktree/record.js';
import type { RunServices } from './run-services.js';

/** What a person wants of a run. Whatever they leave open stays as in the session's last run, or takes its default. */
export interface RunWishes {
  readonly plan: { readonly prp: string } | { readonly change: string };
  readonly agent?: string | undefined;
  /** One of the user's own accounts; absent for the agent's own login. */
  readonly account?: string | undefined;
  readonly model?: string | undefined;
  /** `edits` by default. */
  readonly permissions?: PermissionMode | undefined;
  /** Checks as the person typed them; if there are none, they are guessed from the project. */
  readonly verify: readonly string[];
  readonly budget: Budget;
  readonly callsPerHour?: number | undefined;
  /** `redline` by default. */
  readonly context?: ContextMode | undefined;
  /** How long the agent may show no sign of life; 0 = for ever, absent = as configured. */
  readonly idleMs?: number | undefined;
  readonly isUnattended: boolean;
  /** The phases to go through; absent = as the plan or the configuration says. Not for a change. */
  readonly phases?: PlanPreset | undefined;
  /** Whether the person said that nobody answers. It is remembered, so it also holds when the run is started again. */
  readonly isUnattendedSaid?: boolean | undefined;
  /** A command of the person's own that is run when the run is over. */
  readonly onEnd?: string | undefined;
  /** The id of a new session, if whoever starts it has already chosen one. */
  readonly sessionId?: string | undefined;
}

/** Wishes in which everything the run depends on is decided. */
interface DecidedWishes extends RunWishes {
  readonly permissions: PermissionMode;
  readonly context: ContextMode;
}

/** The plan of a run, and its existing session. */
export interface FoundRun {
  readonly wishes: RunWishes;
  readonly loops: LoopSessions;
  readonly plan: RunPlan;
  readonly projectDirectory: string;
  readonly detection: Detection;
}

/** A run that can be started: everything is found, nothing is changed. */
export interface PreparedRun extends FoundRun {
  readonly wishes: DecidedWishes;
  readonly agent: AgentDefinition;
  readonly checks: readonly Check[];
  readonly areChecksGuessed: boolean;
  /** How the session was run before, if it is resumed and that is known. */
  readonly before: RunStart | undefined;
}

/** Finds the plan and its existing session. Throws PLAN_NOT_FOUND, CHANGE_NOT_FOUND, and what choosing the agent throws. */
export function findRun(services: RunServices, wishes: RunWishes): FoundRun {
  const projectDirectory = services.projectDirectory;
  const loops = services.openLoops({ callsPerHour: wishes.callsPerHour, sessionId: wishes.sessionId });
  const plan = openPlan(services, wishes, projectDirectory);
  // Refused before anybody decides anything.
  if (wishes.agent !== undefined || wishes.account !== undefined)
    services.chooseAgent(wishes.agent, wishes.account);
  return { wishes, loops, plan, projectDirectory, detection: loops.detect(plan.path) };
}

/** Finds everything else a run needs. Throws NO_CHECKS, INVALID_INPUT, and what choosing the agent throws. */
export function prepareRun(services: RunServices, found: FoundRun, isNew: boolean): PreparedRun {
  const { projectDirectory, detection } = found;
  const { worktree } = services;
  // Only a run that was given another run's worktree (`continueWorktree`) may replace that run's session.
  if (isNew && worktree !== undefined && detection.session?.sessionId === runOfWorktree(worktree))
    throw new WorktreeTakenError(worktree);
  const before = isNew ? undefined : recallStart(services, detection.session?.sessionId);
  const wishes = asBefore(found.wishes, before);
  const agent = services.chooseAgent(wishes.agent, wishes.account);
  const checks = checksOf(services, wishes, projectDirectory);
  if (checks.length === 0) throw new NoChecksError();
  return { ...found, wishes, agent, checks, areChecksGuessed: wishes.verify.length === 0, before };
}

/** Fills in what was left open from the run before. `bypass` is never carried over: it must be typed each time. */
function asBefore(wishes: RunWishes, before: RunStart | undefined): DecidedWishes {
  const permissions = wishes.permissions ?? (before?.permissions === 'ask' ? 'ask' : 'edits');
  if (permissions === 'ask' && wishes.isUnattended)
    throw new InvalidInputError('The permissions `ask` need somebody to answer', {
      hint: 'Use --attended if somebody watches the inbox, or choose other --permissions.',
    });
  const account = wishes.account ?? (isSameAgent(wishes, before) ? before?.account : undefined);
  // Another account has its own agent.
  const agent = wishes.agent ?? (account === before?.account ? before?.agent : undefined);
  const isUnsaid = wishes.verify.length === 0;
  if (isUnsaid && before?.areChecksSecret)
    throw new NoChecksError('The checks of this session held a secret, and were not kept');
  return {
    ...wishes,
    agent,
    account,
    // A model of one agent means nothing to another.
    model: wishes.model ?? (agent === before?.agent ? before?.model : undefined),
    permissions,
    verify: isUnsaid ? (before?.verify ?? []) : wishes.verify,
    context: wishes.context ?? before?.context ?? 'redline',
    idleMs: wishes.idleMs ?? before?.idleMs,
    onEnd: wishes.onEnd ?? before?.onEnd,
  };
}

function isSameAgent({ agent }: RunWishes, before: RunStart | undefined): boolean {
  return agent === undefined || agent === before?.agent;
}

function openPlan(services: RunServices, { plan }: RunWishes, projectDirectory: string): RunPlan {
  const { worktree } = services;
  if (worktree !== undefined) return openKeptPlan(services, worktree, plan);
  if ('change' in plan) return openChangePlan(services, plan.change);
  const path = resolve(services.workingDirectory, plan.prp);
  const inside = relative(projectDirectory, path);
  return openPrpPlan(services.tools.fileSystem, path, inside.startsWith('..') ? path : inside);
}

/** A worktree of a run has only one plan: the kept one, by whichever of its names. Throws WORKTREE_REFUSED. */
function openKeptPlan(services: RunServices, worktree: WorktreeRecord, plan: RunWishes['plan']): RunPlan {
  if ('change' in plan && worktree.plan === changePlanIn(plan.change))
    return openChangePlan(services, plan.change);
  const kept = join(plansPlace(services, worktree), worktree.plan);
  const typed = 'prp' in plan ? resolve(services.workingDirectory, plan.prp) : undefined;
  const names = [kept, worktree.planSource, join(worktree.path, worktree.plan)];
  if (typed === undefined || !names.includes(typed)) throw new WorktreeTakenError(worktree);
  return openPrpPlan(services.tools.fileSystem, kept, worktree.plan, { isApart: true });
}

function checksOf({ tools }: RunServices, { verify }: RunWishes, projectDirectory: string): Check[] {
  if (verify.length > 0) return verify.map(typedCheck);
  const { checks, tests } = guessVerifyCommands(tools.fileSystem, projectDirectory);
  return [...checks, tests].filter((words) => words !== '').map(guessedCheck);
}

/** The phases a new session of a plan would have; undefined for a plan with stories. Throws INVALID_INPUT. */
export function choosePhases(
  { settings }: RunServices,
  { wishes, plan }: FoundRun,
): ChosenPreset | undefined {
  if (plan.story !== undefined) return undefined;
  return choosePreset({
    typed: wishes.phases,
    plan: plan.preset,
    ...settings.preset,
  });
}

/** The budget of a new session. */
export function budgetOf(services: RunServices, { budget }: RunWishes): Budget {
  return { ...services.settings.budget, ...budget };
}

/** The files of the project that differ from what is committed, without the plan itself; none without git. */
export async function listUncommitted(
  services: RunServices,
  { projectDirectory, plan }: Pick<FoundRun, 'projectDirectory' | 'plan'>,
): Promise<string[]> {
  const workbench = services.workbench();
  const { root, repositories, files } = await takeSnapshot(workbench, projectDirectory, workbench);
  if (repositories.length === 0) return [];
  const planPath = realPath(services.tools.fileSystem, plan.path) ?? plan.path;
  return [...files]
    .filter(([path, { isUnjudged }]) => isUnjudged !== true && join(root, path) !== planPath)
    .map(([path]) => path);
}

/** The state a run would start with: that of its session, or of a new one. Nothing is written. */
export function previewState(services: RunServices, prepared: PreparedRun, isNew: boolean): LoopState {
  const { loops, plan, detection, wishes } = prepared;
  if (!isNew && detection.session !== null) return detection.session;
  const { criteriaCount, story } = plan;
  const preset = choosePhases(services, prepared)?.preset;
  return loops.preview(plan.path, { criteriaCount, story, preset, budget: budgetOf(services, wishes) });
}

/**
 * Refuses a limit in dollars that cannot be enforced, whether of this start or of the session being resumed. Throws
 * COST_UNKNOWN.
 */
export async function checkCostLimit(
  services: RunServices,
  prepared: PreparedRun,
  isNew: boolean,
): Promise<void> {
  const { wishes, detection, agent } = prepared;
  const budget = isNew ? budgetOf(services, wishes) : { ...detection.session?.budget, ...wishes.budget };
  const costUsd = budget.costUsd ?? services.settings.dayCostUsd;
  if (costUsd === undefined) return;
  await refuseUnknownCost(agent, wishes.model, () => services.openPrices());
}

/** Throws LOCKED, with the owner, if another process is running the loop of this project, whatever its plan. */
export function refuseSecondRun({ clock }: Pick<RunServices, 'clock'>, { loops, plan }: FoundRun): void {
  const owner = loops.owner();
  if (owner.hold !== 'held') return;
  // What was found before may predate the run that got there first.
  const detection = loops.detect(plan.path);
  const { sessionId, prpFile, status } = detection.session ?? {};
  throw new RunBusyError(owner, clock.now(), {
    sessionId,
    plan: isOfOtherPlan(detection) ? prpFile : undefined,
    status: status === 'halted' || status === 'paused' ? status : undefined,
  });
}

/**
 * Whether a halted session can continue without --reset: its own question is answered, or is still open and somebody is
 * there to answer it.
 */
export async function isAskedOn(
  { questions }: Pick<RunServices, 'questions'>,
  { wishes, detection: { session, expiry } }: FoundRun,
): Promise<boolean> {
  if (session?.status !== 'halted' || !expiry.isExpired || expiry.action !== 'reset_or_abort') return false;
  return wishes.isUnattended
    ? isToldToGoOn(questions, session.sessionId)
    : isAskedHow(questions, session.sessionId);
}

/** Does what a crash right after the end of a completed session left undone. */
export async function settleCompleted({ detection, plan }: FoundRun): Promise<void> {
  const { session } = detection;
  const isOfPlan = detection.expiry.isExpired && detection.expiry.action === 'no_resume';
  if (session?.status === 'completed' && isOfPlan) await plan.finish(session.sessionId);
}
