import { join } from 'node:path';
import { isHoldfastError, messageOf } from '../foundation/index.js';
import {
  planRestart,
  type RestartOutcome,
  type RestartPlan,
  type RunServices,
  restartRun,
} from '../run/index.js';
import { ensureDirectory, Lock, type LockTools, tryAcquireLock } from '../storage/index.js';

/** A project of this user; if it cannot be opened, opening it says why. */
export interface ServiceProject {
  readonly path: string;
  open(): RunServices;
}

/** A project whose run could not even be inspected. */
export interface UnreadableProject {
  readonly project: string;
  readonly reason: string;
}

/** The result of one start of the service. */
export interface StartReport {
  /** Whether another process was already at it, so nothing was done. */
  readonly isTaken: boolean;
  readonly runs: readonly RestartOutcome[];
  readonly unreadable: readonly UnreadableProject[];
}

export interface StartRunsOptions {
  readonly tools: LockTools;
  /** The directory of the service's lock. */
  readonly directory: string;
  readonly projects: readonly ServiceProject[];
  readonly signal: AbortSignal;
  onRun(outcome: RestartOutcome): void;
}

/**
 * Starts every run again that was working, one after the other, and asks about those that only a person can start. If one
 * cannot be started, the others are not held up. If this is killed midway, the next start continues with the rest: runs
 * already started hold their locks.
 */
export async function startRuns(options: StartRunsOptions): Promise<StartReport> {
  const { tools, directory, projects, signal, onRun } = options;
  ensureDirectory(tools.fileSystem, directory);
  // Two processes judging at once would ask twice.
  const lock = tryAcquireLock(tools, join(directory, 'start'));
  if (!(lock instanceof Lock)) return { isTaken: true, runs: [], unreadable: [] };
  using _held = lock;
  const runs: RestartOutcome[] = [];
  const unreadable: UnreadableProject[] = [];
  for (const project of projects) {
    if (signal.aborted) break;
    const outcome = await attemptAt(project, restartRun, unreadable);
    if (outcome === undefined) continue;
    runs.push(outcome);
    onRun(outcome);
  }
  return { isTaken: false, runs, unreadable };
}

/** What a start would do now. */
export async function planStart(projects: readonly ServiceProject[]): Promise<RestartPlan[]> {
  const plans: RestartPlan[] = [];
  for (const project of projects) {
    const plan = await attemptAt(project, planRestart, []);
    if (plan !== undefined) plans.push(plan);
  }
  return plans;
}

/** A directory with an invalid config or an unreadable loop does not hold up the others. */
async function attemptAt<Result>(
  { path, open }: ServiceProject,
  action: (services: RunServices) => Promise<Result>,
  unreadable: UnreadableProject[],
): Promise<Result | undefined> {
  try {
    return await action(open());
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    unreadable.push({ project: path, reason: messageOf(error) });
    return undefined;
  }
}
