import { dirname } from 'node:path';
import { loopPlace, plansPlace, runOfWorktree, type WorktreeRecord } from '../../run/worktree/record.js';
import { type Budget, LoopSessions, type LoopSessionsOptions } from '../../sessions/loop/index.js';
import { findLoopAbove, findLoopDirectory } from '../../storage/index.js';
import { type LibraryOptions, libraryServices } from '../library-services.js';
import { builtOnce, type Services } from '../services.js';
import { remembering } from './remembering.js';

/** The loop of the project that the services work in. */
export function openLoops(services: Services, overrides: LoopOverrides = {}): LoopSessions {
  if (overrides.callsPerHour !== undefined || overrides.sessionId !== undefined)
    return buildLoops(services, overrides);
  return builtOnce(services, 'loops', () => buildLoops(services, {}));
}

interface LoopOverrides {
  readonly callsPerHour?: number | undefined;
  /** The id for a new session, if it was chosen already. */
  readonly sessionId?: string | undefined;
}

function buildLoops(services: Services, { callsPerHour, sessionId }: LoopOverrides): LoopSessions {
  const { actor, config, tools } = services;
  return new LoopSessions({
    ...tools,
    actor,
    directory: config.layout.loop,
    projectDirectory: projectDirectoryOf(services),
    sessionId,
    ...worktreeOptions(services),
    isPlaceFound: config.worktree === undefined && config.get('loop.dir') === undefined,
    findAbove: () => findLoopAbove(tools.fileSystem, services.workingDirectory),
    callsPerHour: callsPerHour ?? config.get('loop.callsPerHour'),
    budget: configuredBudget(services),
    phases: config.get('loop.phases'),
    leftBehindBy: (owner) => services.programs.leftBehindBy(owner),
    // The project of a run in a worktree is its repository.
    onStarted: (project) => remembering(services)(config.worktree?.repository ?? project),
  });
}

/** A worktree belongs to one run: the run's id was chosen with it, and its plan is kept next to its loop. */
function worktreeOptions({ config }: Services): Pick<LoopSessionsOptions, 'sessionId' | 'plansDirectory'> {
  const { worktree, layout } = config;
  if (worktree === undefined) return {};
  return { sessionId: runOfWorktree(worktree), plansDirectory: plansPlace(layout, worktree) };
}

/** The loop of a run in a worktree. The worktree may be gone, and the session may be in the trash. */
export function loopsOfWorktree(services: Services, worktree: WorktreeRecord): LoopSessions {
  const { actor, config, tools } = services;
  return new LoopSessions({
    ...tools,
    actor,
    directory: loopPlace(config.layout, worktree),
    projectDirectory: worktree.path,
    plansDirectory: plansPlace(config.layout, worktree),
    sessionId: runOfWorktree(worktree),
    leftBehindBy: (owner) => services.programs.leftBehindBy(owner),
  });
}

export interface OpenLoopsOptions extends Omit<LibraryOptions, 'home'> {
  /** The project; the working directory if absent. */
  readonly directory?: string | undefined;
}

/** Opens the loop of a project as the command line does. Throws CONFIG_INVALID. */
export function createLoopSessions(options: OpenLoopsOptions = {}): LoopSessions {
  return openLoops(libraryServices(options, options.directory));
}

/** The top of the project, even if loop.dir moved the session: plans are named from there, and agents work there. */
export function projectDirectoryOf({ tools, workingDirectory, config }: Services): string {
  return config.worktree?.path ?? dirname(findLoopDirectory(tools.fileSystem, workingDirectory));
}

/** What a loop may use up by default. */
export function configuredBudget({ config }: Services): Budget {
  return {
    ...positive('iterations', config.get('loop.maxIterations')),
    ...positive('activeMs', config.get('loop.maxMinutes') * 60_000),
    ...positive('tokens', config.get('loop.maxTokens')),
    ...positive('costUsd', config.get('loop.maxCostUsd')),
  };
}

/** 0 means no limit. */
function positive<Key extends string>(key: Key, value: number): { [Name in Key]?: number } {
  return (value > 0 ? { [key]: value } : {}) as { [Name in Key]?: number };
}
