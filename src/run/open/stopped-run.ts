import { basename } from 'node:path';
import type { PermissionMode } from '../../agents/index.js';
import { type Actor, isHoldfastError, isUuidV4 } from '../../foundation/index.js';
import type { LoopStatus, LoopView } from '../../sessions/loop/index.js';
import { AlreadySettledError, type QuestionView } from '../../sessions/question/index.js';
import { isAskedByRun, isAskedHow, isEnd } from '../questions/ask-person.js';
import { type RunStart, recallStart } from '../records/run-memory.js';
import { findRun } from './find-run.js';
import { type DetachedRun, startDetachedRun } from './run-detached.js';
import type { RunServices } from './run-services.js';

export type { RunStart } from '../records/run-memory.js';

/** A run that can be resumed and that no process is running. */
export interface StoppedRun {
  /** The services of its project, which need not be the one we are in. */
  readonly services: RunServices;
  readonly projectDirectory: string;
  readonly loop: LoopView;
  /** How it was started; undefined if unknown. */
  readonly start: RunStart | undefined;
}

const OVER: readonly LoopStatus[] = ['completed', 'aborted'];

/** The run of this project, if it can be resumed and no process is running it. */
export function findStoppedRun(services: RunServices): StoppedRun | undefined {
  const loop = services.openLoops().get();
  if (loop === undefined || loop.owner.hold === 'held' || OVER.includes(loop.status)) return undefined;
  return {
    services,
    projectDirectory: services.projectDirectory,
    loop,
    start: recallStart(services, loop.sessionId),
  };
}

/** The run that asked a question, if the decision lets it continue and no process is running it. */
export function findStoppedAsker(
  services: RunServices,
  { asker, workingDirectory, outcome }: Pick<QuestionView, 'asker' | 'workingDirectory' | 'outcome'>,
): StoppedRun | undefined {
  const session = asker?.session;
  if (session === undefined || !isUuidV4(session) || workingDirectory === null) return undefined;
  // The person decided that the run ends, so there is nothing to continue.
  if (isAskedByRun({ asker }, session) && isEnd({ outcome })) return undefined;
  try {
    const stopped = findStoppedRun(services.at(workingDirectory));
    return stopped?.loop.sessionId === session ? stopped : undefined;
  } catch (error) {
    // A project that is gone or cannot be read has no run to start.
    if (!isHoldfastError(error)) throw error;
    return undefined;
  }
}

/** Whether a halted run must be told to try again: nobody was asked how to continue, or nothing is waiting for the answer. */
export async function needsReset({ services, loop }: StoppedRun): Promise<boolean> {
  return loop.status === 'halted' && !(await isAskedHow(services.questions, loop.sessionId));
}

/** Throws ALREADY_SETTLED for a question that a run itself asked and withdrew: nobody would hear the answer. */
export function refuseWithdrawn({ id, asker, outcome }: QuestionView): void {
  if (outcome.status === 'abandoned' && isAskedByRun({ asker }, asker?.session ?? ''))
    throw new AlreadySettledError(id, outcome);
}

export interface ResumeStoppedOptions {
  /** As before if absent. */
  readonly permissions?: PermissionMode | undefined;
  readonly isReset: boolean;
  readonly isUnattended: boolean;
  /** Who starts it, for the journal; a person at the command line if absent. */
  readonly actor?: Actor | undefined;
  readonly signal: AbortSignal;
}

/** Starts it again in the background, as it was started before. Throws as `startDetachedRun` and `findRun` do. */
export function resumeStopped(
  { services, loop }: StoppedRun,
  { permissions, isReset, isUnattended, actor, signal }: ResumeStoppedOptions,
): Promise<DetachedRun> {
  const { prpFile, storiesTotal } = loop.state;
  const isChange = storiesTotal !== undefined;
  const prp = services.openLoops().planPath(prpFile);
  const found = findRun(services, {
    plan: isChange ? { change: basename(prpFile) } : { prp },
    verify: [],
    budget: {},
    isUnattended,
  });
  const args = [
    'run',
    isReset ? '--reset' : '--resume',
    isUnattended ? '--unattended' : '--attended',
    '--quiet',
    ...(actor === undefined ? [] : [`--by=${actor}`]),
    ...(permissions === undefined ? [] : [`--permissions=${permissions}`]),
    ...(isChange ? [`--change=${basename(prpFile)}`] : ['--', prp]),
  ];
  return startDetachedRun(services, found, { args, isNew: false, signal });
}
