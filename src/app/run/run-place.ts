import { AmbiguousIdError, visibleLine } from '../../foundation/index.js';
import { type LocatedRun, RunNotFoundError, RunReplacedError } from '../../overview/index.js';
import { WorktreeUnfinishedError } from '../../run/worktree/errors.js';
import { isWorktreeThere, listWorktreeRecords, type WorktreeRecord } from '../../run/worktree/record.js';
import { gitCommonDirectory } from '../../storage/index.js';
import { findRunOf } from '../overview/open-overview.js';
import { type Services, servicesAt } from '../services.js';
import { openLoops } from '../sessions/open-loops.js';

const MIN_PREFIX = 4;
const OVER: readonly string[] = ['completed', 'aborted'];

/**
 * The services of the place where a run is: the run typed by its id, in any project, otherwise the one here. If there is none
 * here, it is the run in a worktree of this repository, provided only one of those is not over.
 * Throws RUN_NOT_FOUND, AMBIGUOUS_ID, WORKTREE_UNFINISHED.
 */
export function placeOfRun(services: Services, typed?: string): Services {
  if (typed === undefined) return placeHere(services);
  const meant = typed.toLowerCase();
  const unfinished = worktreesOf(services).find(
    (one) => meant.length >= MIN_PREFIX && one.sessionId.startsWith(meant) && !hasLoop(services, one),
  );
  try {
    const { loops, isArchived, sessionId } = findRunOf(services, typed);
    if (isArchived) throw new RunReplacedError(sessionId);
    return servicesAt(services, loops.projectDirectory);
  } catch (error) {
    if (unfinished === undefined || !(error instanceof RunNotFoundError)) throw error;
    throw unfinishedError(services, unfinished);
  }
}

/** The run that was meant and where it is, for callers that only read it. Throws as `placeOfRun`. */
export function lookForRun(services: Services, typed: string | undefined): LocatedRun {
  return typed === undefined ? findRunOf(placeHere(services), undefined) : findRunOf(services, typed);
}

function placeHere(services: Services): Services {
  const { worktree } = services.config;
  if (openLoops(services).isFound()) return services;
  if (worktree !== undefined) throw unfinishedError(services, worktree);
  const common = gitCommonDirectory(services.tools.fileSystem, services.workingDirectory);
  if (common === undefined) return services;
  const ours = worktreesOf(services).filter((one) => one.gitCommonDirectory === common);
  const open = ours.filter((one) => isOpen(services, one));
  const [first, ...others] = open.length > 0 ? open : ours.slice(-1);
  if (first === undefined) return services;
  if (others.length > 0)
    throw new AmbiguousIdError(
      'a run in a worktree',
      open.map(({ sessionId }) => sessionId),
      { describe: (index) => ` ${visibleLine(open[index]?.plan ?? '')}` },
    );
  if (!hasLoop(services, first)) throw unfinishedError(services, first);
  return servicesAt(services, first.path);
}

/** The worktrees of runs whose sessions have not been deleted. */
export function worktreesOf({ tools, log, config }: Services): WorktreeRecord[] {
  return listWorktreeRecords({ fileSystem: tools.fileSystem, log }, config.layout).filter(
    ({ status }) => status !== 'removed',
  );
}

function hasLoop(services: Services, { path }: WorktreeRecord): boolean {
  return openLoops(servicesAt(services, path)).isFound();
}

function isOpen(services: Services, { path }: WorktreeRecord): boolean {
  const loops = openLoops(servicesAt(services, path));
  return !loops.isFound() || !OVER.includes(loops.get()?.status ?? '');
}

function unfinishedError({ tools }: Services, worktree: WorktreeRecord): WorktreeUnfinishedError {
  return new WorktreeUnfinishedError(worktree, isWorktreeThere(tools.fileSystem, worktree));
}
