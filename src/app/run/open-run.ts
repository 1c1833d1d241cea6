import type { PermissionMode } from '../../agents/index.js';
import {
  abortRun,
  type ContextMode,
  findRun,
  ownRun,
  prepareRun,
  type RunEnd,
  type RunEvent,
  settleCompleted,
} from '../../run/index.js';
import {
  type Budget,
  type Detection,
  isOfOtherPlan,
  isOver,
  type PlanPreset,
} from '../../sessions/loop/index.js';
import { type LibraryOptions, libraryServices } from '../library-services.js';
import type { SelfCommand, Services } from '../services.js';
import { runServices } from './run-services.js';

/** What a person may specify for a run. */
export interface RunOptions {
  /** The path of a PRP, or the name of an OpenSpec change. */
  readonly plan: { readonly prp: string } | { readonly change: string };
  /** Which agent; the configured one, or the first that is installed, if absent. */
  readonly agent?: string | undefined;
  /** One of the accounts in `config.json`; the agent's own login if absent. */
  readonly account?: string | undefined;
  readonly model?: string | undefined;
  /** Default `edits`. */
  readonly permissions?: PermissionMode | undefined;
  /** Checks for `sh -c`; guessed from the project if absent. */
  readonly verify?: readonly string[] | undefined;
  /** What the run may use up across all restarts; anything left out is as configured. */
  readonly budget?: Budget | undefined;
  readonly callsPerHour?: number | undefined;
  /** `work`, `tdd` or `tdd-strict`; as the plan or the configuration says if absent. Not for a change. */
  readonly phases?: PlanPreset | undefined;
  /** Default `redline`. */
  readonly context?: ContextMode | undefined;
  /** How long the agent may show no sign of life; 0 = forever; as configured if absent. */
  readonly idleMs?: number | undefined;
  /** Whether somebody watches the inbox and answers; otherwise anything that needs a person ends the run. */
  readonly isAttended?: boolean | undefined;
}

export interface OpenRunOptions extends LibraryOptions, RunOptions {
  /** The project; the working directory if absent. */
  readonly directory?: string | undefined;
  /** How agents start `holdfast mcp`; `holdfast` from PATH if absent. */
  readonly holdfast?: SelfCommand | undefined;
}

export interface RunStartOptions {
  /**
   * `new` archives an existing session; `reset` resumes one that the breaker halted; `skip` does that too, and leaves its
   * phase without meeting the gate. If absent, whichever fits.
   */
  readonly from?: 'new' | 'resume' | 'reset' | 'skip' | undefined;
  /** Why a phase is skipped. */
  readonly skipReason?: string | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Stops the run so that it can be resumed. */
  readonly signal?: AbortSignal | undefined;
}

/** A run that can be started. */
export interface Run {
  readonly agent: string;
  /** The checks as a person would type them. */
  readonly checks: readonly string[];
  /** The existing session, if any, and what can be done with it. */
  readonly detection: Detection;
  /**
   * Works through the plan until it is done or cannot continue; an unfinished run can be resumed.
   * Throws LOCKED with the owner, LOOP_NOT_RESUMABLE, PHASE_NOT_SKIPPABLE, CHECK_NOT_RUNNABLE, CHANGE_LOCKED.
   */
  start(options?: RunStartOptions): Promise<RunEnd>;
  /** Gives up the existing session; its files are kept. Throws LOCKED, LOOP_NOT_FOUND. */
  abort(): Promise<void>;
}

/**
 * Finds everything that `holdfast run` needs; nothing is changed before `start`.
 * Throws PLAN_NOT_FOUND, CHANGE_NOT_FOUND, NO_CHECKS, AGENT_UNKNOWN, ACCOUNT_UNKNOWN, NO_AGENT, CONFIG_INVALID, INVALID_INPUT.
 */
export function openRun(options: OpenRunOptions): Run {
  return openRunIn(libraryServices(options, options.directory, options.holdfast), options);
}

/** The same in a project that is already open. Throws as `openRun`, but not CONFIG_INVALID. */
export function openRunIn(project: Services, options: RunOptions): Run {
  const { isAttended = false } = options;
  const services = runServices(project);
  const found = findRun(services, {
    plan: options.plan,
    agent: options.agent,
    account: options.account,
    model: options.model,
    permissions: options.permissions,
    verify: options.verify ?? [],
    budget: options.budget ?? {},
    callsPerHour: options.callsPerHour,
    context: options.context,
    phases: options.phases,
    idleMs: options.idleMs,
    isUnattended: !isAttended,
  });
  const prepared = prepareRun(services, found, usualStart(found.detection) === 'new');
  return {
    agent: prepared.agent.name,
    checks: prepared.checks.map(({ label }) => label),
    detection: prepared.detection,
    async start({ from, skipReason, onEvent, signal } = {}) {
      const startedAt = services.clock.now();
      await settleCompleted(found);
      const how = from ?? usualStart(found.loops.detect(found.plan.path));
      const isNew = how === 'new';
      using run = await ownRun(services, prepareRun(services, found, isNew), {
        isNew,
        isReset: how === 'reset',
        skip: how === 'skip' ? { actor: 'library', reason: skipReason } : undefined,
        signal: signal ?? new AbortController().signal,
        startedAt,
      });
      run.journal.follow(run.journal.start, ({ event }) => onEvent?.(event));
      return await run.work();
    },
    async abort() {
      await abortRun(services, found);
    },
  };
}

/** A session that is over makes room. One that could continue, or cannot be resumed, is left to the caller to decide. */
function usualStart(detection: Detection): 'new' | 'resume' {
  const makesRoom = isOfOtherPlan(detection) && isOver(detection);
  return detection.action === 'create_new' || makesRoom ? 'new' : 'resume';
}
