import { type Actor, SessionNotFoundError, visibleLine } from '../../foundation/index.js';
import type { LoopRequestInput, LoopSessions } from '../../sessions/loop/index.js';
import type { Steered } from '../operations.js';
import { isWorktreeThere } from '../worktree/record.js';
import type { RunServices } from './run-services.js';
import { findStoppedRun, needsReset, resumeStopped } from './stopped-run.js';

export interface SteerOptions {
  /** The run that is meant; if another one took its place, that one is left alone. */
  readonly sessionId: string;
  readonly actor: Actor;
  /** The id of a request from another machine: sent again, it changes nothing. */
  readonly appliedRequest?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Leaves a request for a run of the project, as `holdfast pause`, `stop`, `guide` and `resume` do. If no process runs it and
 * the request is to resume it, it is started again. Throws SESSION_NOT_FOUND, LOOP_ENDED, PROGRAM_NOT_STARTED.
 */
export async function steerRun(
  services: RunServices,
  request: LoopRequestInput,
  options: SteerOptions,
): Promise<Steered> {
  const loops = services.openLoops().as(options.actor);
  const loop = loops.get();
  if (loop?.sessionId !== options.sessionId)
    throw new SessionNotFoundError(options.sessionId, 'holdfast top');
  const isHeld = loop.owner.hold === 'held';
  if (isDoneBefore(loops, isHeld, options)) return { isDone: true, words: SENT[request.kind] };
  if (!isHeld && request.kind === 'resume') return restart(services, loops, options);
  if (!isHeld && request.kind === 'stop' && services.programs.endOrphans().ended.length > 0) {
    if (options.appliedRequest !== undefined) await loops.request(request, options);
    return { isDone: true, words: 'Its process was gone; what it had left running was ended.' };
  }
  if (!isHeld && request.kind !== 'guidance')
    return { isDone: false, words: 'No process runs it; it can be resumed.' };
  return send(loops, request, options);
}

/**
 * Whether a request from another machine was left here before. A request to resume a run without a process is done once the
 * started process took it; until then it can be tried again, because only one process gets the loop.
 */
function isDoneBefore(loops: LoopSessions, isHeld: boolean, { appliedRequest }: SteerOptions): boolean {
  const before = appliedRequest === undefined ? undefined : loops.applied(appliedRequest);
  return before !== undefined && (before.kind !== 'resume' || isHeld || before.isTaken);
}

async function send(
  loops: LoopSessions,
  request: LoopRequestInput,
  { appliedRequest }: SteerOptions,
): Promise<Steered> {
  await loops.request(request, { appliedRequest });
  return { isDone: true, words: SENT[request.kind] };
}

const SENT: Readonly<Record<LoopRequestInput['kind'], string>> = {
  pause: 'Asked it to pause.',
  resume: 'Asked it to continue.',
  stop: 'Asked it to stop.',
  reset: 'Asked it to try again.',
  guidance: 'The agent gets it with its next prompt.',
};

/** Never does what a person must type; they are told what to type. */
async function restart(
  services: RunServices,
  loops: LoopSessions,
  { actor, appliedRequest, signal }: SteerOptions,
): Promise<Steered> {
  const stopped = findStoppedRun(services);
  if (stopped === undefined) return refused('It is over.');
  const { start, projectDirectory } = stopped;
  const { worktree } = stopped.services;
  if (worktree !== undefined && !isWorktreeThere(services.tools.fileSystem, worktree))
    return refused(`Its worktree was removed: type \`holdfast resume ${worktree.sessionId.slice(0, 8)}\`.`);
  const there = `in ${visibleLine(projectDirectory)}`;
  if (start === undefined)
    return refused(`How it was started is not known; start it with \`holdfast run … --resume\` ${there}.`);
  if (start.permissions === 'bypass')
    return refused(`It had --permissions bypass: type \`holdfast resume --permissions bypass\` ${there}.`);
  if (await needsReset(stopped))
    return refused(`The breaker halted it; \`holdfast resume --reset\` ${there} tries again.`);
  // What the new process takes first: who requested it, and that it was done.
  if (appliedRequest !== undefined) await loops.request({ kind: 'resume' }, { appliedRequest });
  const { exit } = await resumeStopped(stopped, {
    isReset: false,
    isUnattended: start.isUnattended === true,
    actor,
    signal,
  });
  if (exit === null || exit.code === 0) return { isDone: true, words: 'Resumed in the background.' };
  return refused(`It did not start: ${visibleLine(exit.stderr.trim().split('\n').at(-1) ?? '')}`);
}

function refused(words: string): Steered {
  return { isDone: false, words };
}
