import { AbortedError, sleepOrHint } from '../../foundation/index.js';
import { type DetachedProgram, type ProgramExit, startDetached } from '../../programs/index.js';
import { isOfOtherPlan, isOver, type LoopState } from '../../sessions/loop/index.js';
import { closeQuietly } from '../../storage/index.js';
import { keepWords, openWords, takeWords } from '../records/run-words.js';
import type { FoundRun } from './find-run.js';
import type { RunServices } from './run-services.js';

/** A run in the background. */
export interface DetachedRun {
  readonly pid: number;
  /** The session of the plan that it owns or owned; null if it did not get that far. */
  readonly session: LoopState | null;
  /** Set if it is already over: a refusal, or a quick run. */
  readonly exit: { readonly code: number | null; readonly stderr: string } | null;
}

export interface DetachOptions {
  /** The arguments after the name of this program. */
  readonly args: readonly string[];
  /** Whether they make a new session instead of using the existing one. */
  readonly isNew: boolean;
  readonly signal: AbortSignal;
}

/** How often we check whether the new process owns the session. */
const LOOK_MS = 50;

/**
 * Starts this program again as a process of its own, and waits until that process owns a session of the plan on disk, or is
 * over. Throws PROGRAM_NOT_STARTED, ABORTED (then the process has ended).
 */
export async function startDetachedRun(
  services: RunServices,
  found: FoundRun,
  { args, isNew, signal }: DetachOptions,
): Promise<DetachedRun> {
  const { clock } = services;
  const words = openWords(services);
  const program = await startSelf(services, args, words.descriptor).catch((error: unknown) => {
    takeWords(services, words.path);
    throw error;
  });
  const { pid } = program;
  let exited: ProgramExit | undefined;
  const ended = program.exited.then((exit) => {
    exited = exit;
  });
  for (;;) {
    if (exited !== undefined) {
      const exit = { code: exited.code, stderr: takeWords(services, words.path) };
      return { pid, session: sessionOf(found, isNew), exit };
    }
    if (signal.aborted) {
      program.stop();
      await ended;
      takeWords(services, words.path);
      throw new AbortedError('The run');
    }
    const session = isOwnedBy(found, pid) ? sessionOf(found, isNew) : null;
    // The new owner looks at a session that is over, and then refuses it.
    if (session !== null && !isOver({ session })) {
      keepWords(services, words.path, session.sessionId);
      program.release();
      return { pid, session, exit: null };
    }
    await sleepOrHint(clock, LOOK_MS, ended, signal);
  }
}

async function startSelf(
  { self, workingDirectory, environment, tools, guard }: RunServices,
  args: readonly string[],
  stderr: number,
): Promise<DetachedProgram> {
  try {
    const program = await startDetached({
      command: self.command,
      args: [...self.args, ...args],
      workingDirectory,
      environment: { ...environment, ...guard?.environment },
      stderr,
      around: guard === undefined ? undefined : (start) => guard.around(start),
    });
    guard?.follow(program.pid);
    return program;
  } finally {
    closeQuietly(tools.fileSystem, stderr);
  }
}

function isOwnedBy({ loops }: FoundRun, pid: number): boolean {
  const { hold, owner } = loops.owner();
  return hold === 'held' && owner?.pid === pid;
}

/** The session that was meant. The owner of a new one takes the lock before it exists, possibly next to an old one. */
function sessionOf({ loops, plan, detection }: FoundRun, isNew: boolean): LoopState | null {
  const now = loops.detect(plan.path);
  const isOld = isNew && now.session?.sessionId === detection.session?.sessionId;
  return isOfOtherPlan(now) || isOld ? null : now.session;
}
