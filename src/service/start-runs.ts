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

/** The projects of this user; one that cannot be opened says why when it is. */
export interface ServiceProject {
  readonly path: string;
  open(): RunServices;
}

/** A project whose run could not even be looked at. */
export interface UnreadableProject {
  readonly project: string;
  readonly reason: string;
}

/** What one start of the service came to. */
export interface StartReport {
  /** Whether another process was at it already; then nothing was done. */
  readonly isTaken: boolean;
  readonly runs: readonly RestartOutcome[];
  readonly unreadable: readonly UnreadableProject[];
}

export interface StartRunsOptions {
  readonly tools: LockTools;
  /** Where the lock of the service is. */
  readonly directory: string;
  readonly projects: readonly ServiceProject[];
  readonly signal: AbortSignal;
  onRun(outcome: RestartOutcome): void;
}

/**
 * Starts every run again that was working, one after the other, and asks about those that only a person can start. One that
 * cannot be started keeps no other. Killed in the middle, the next start goes on with what is left: what runs is held.
 */
export async function startRuns(options: StartRunsOptions): Promise<StartReport> {
  const { tools, directory, projects, signal, onRun } = options;
  ensureDirectory(tools.fileSystem, directory);
  // Two that judge at once would ask twice.
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

/** What that would come to now. */
export async function planStart(projects: readonly ServiceProject[]): Promise<RestartPlan[]> {
  const plans: RestartPlan[] = [];
  for (const project of projects) {
    const plan = await attemptAt(project, planRestart, []);
    if (plan !== undefined) plans.push(plan);
  }
  return plans;
}

/** A directory with a config that is not valid, or a loop that cannot be read, is nothing that others wait for. */
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
