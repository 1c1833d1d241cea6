import { listProjects } from '../../catalog/all-projects.js';
import { isUuidV4 } from '../../foundation/index.js';
import {
  AllRuns,
  type AllRunsParts,
  type Elsewhere,
  findRunAnywhere,
  type LocatedRun,
  Overview,
  type OverviewReader,
} from '../../overview/index.js';
import { journalPlace, type ReadJournalOptions } from '../../run/index.js';
import { readRunStart } from '../../run/journal/run-start.js';
import { recallStart } from '../../run/records/run-memory.js';
import { listWorktreeRecords } from '../../run/worktree/record.js';
import type { LoopSessions } from '../../sessions/loop/index.js';
import { ensureDirectory } from '../../storage/index.js';
import { runShelf } from '../run/run-shelf.js';
import { type Services, servicesAt } from '../services.js';
import { conversationStore, openConversations } from '../sessions/open-conversations.js';
import { openLoops } from '../sessions/open-loops.js';
import { projectTools } from '../sessions/remembering.js';
import { hookedRows } from './hooked-rows.js';
import { queueRows } from './queue-rows.js';

/** Every run, chat and question of every project of this user, and of other machines, until disposed. */
export function openOverview(services: Services, elsewhere?: Elsewhere): Overview {
  const { questions } = services;
  const chats = conversationStore(services);
  return new Overview({
    ...runParts(services),
    questions,
    conversations: openConversations(services),
    isChatOpen: (id) => chats.ownerOf(id).hold === 'held',
    sources: [hookedRows(services), queueRows(services)],
    elsewhere,
  });
}

/** The runs of every project of this user. */
export function openAllRuns(services: Services): AllRuns {
  return new AllRuns(runParts(services));
}

function runParts(services: Services): AllRunsParts {
  const { clock, log } = services;
  const shelf = runShelf(services);
  return {
    clock,
    log,
    projects: () => projectsOf(services),
    loopsAt: (directory) => openLoops(servicesAt(services, directory)),
    worktreeAt: (directory) => services.config.at(directory).worktree,
    // How a run was started is forgotten when it ends; its journal is kept.
    agentOf: (sessionId) =>
      recallStart(shelf, sessionId)?.agent ??
      readRunStart(services.tools.fileSystem, shelf.runs, sessionId)?.agent,
    watchNew: (onHint) => watchNew(services, onHint),
  };
}

/** The same for callers that read the current state once. */
export function overviewReader(services: Services, elsewhere?: Elsewhere): OverviewReader {
  return {
    async rows() {
      using overview = openOverview(services, elsewhere);
      return await overview.read();
    },
  };
}

/** The run that was typed, of any project. Throws RUN_NOT_FOUND, AMBIGUOUS_ID. */
export function findRunOf(services: Services, typed: string | undefined): LocatedRun {
  const here = openLoops(services);
  if (typed === undefined) return findRunAnywhere([], undefined, here);
  const found = new Map<string, LoopSessions>();
  for (const path of projectsOf(services)) {
    const loops = openLoops(servicesAt(services, path));
    if (!found.has(loops.directory)) found.set(loops.directory, loops);
  }
  return findRunAnywhere([...found.values()], typed, here);
}

/** Where the journal of a run is. */
export function journalOf({ tools, log, config }: Services, sessionId: string): RunJournalPlace {
  const { directory, path } = journalPlace(config.layout.runs, sessionId);
  return { fileSystem: tools.fileSystem, log, sessionId, path, directory };
}

export interface RunJournalPlace extends ReadJournalOptions {
  readonly directory: string;
}

/** The existing directories where this user started sessions, and the current one. */
export function projectsOf(services: Services): string[] {
  const remembered = listProjects(projectTools(services)).filter(({ isGone }) => !isGone);
  const { fileSystem } = services.tools;
  // The run of a worktree that was removed from disk is still listed.
  const worktrees = listWorktreeRecords({ fileSystem, log: services.log }, services.config.layout).filter(
    ({ status }) => status !== 'removed',
  );
  return [
    ...new Set([
      services.workingDirectory,
      ...remembered.map(({ path }) => path),
      ...worktrees.map(({ path }) => path),
    ]),
  ];
}

/** Watches for new projects and runs: each gets a file of its own when it is first known. */
function watchNew({ tools, config }: Services, onHint: (what: 'project' | 'run') => void): { close(): void } {
  const { fileSystem, watcher } = tools;
  const { projects, runs, worktrees } = config.layout;
  // A directory that does not exist cannot be watched.
  for (const directory of [projects, runs, worktrees]) ensureDirectory(fileSystem, directory);
  const watches = [
    watcher.watch(projects, () => onHint('project')),
    watcher.watch(worktrees, () => onHint('project')),
    // The lines of a run are written to the same directory; they do not mean a new run.
    watcher.watch(runs, (name) => {
      if (name === null || isUuidV4(name.replace(/\.json$/, ''))) onHint('run');
    }),
  ];
  return {
    close() {
      for (const watch of watches) watch.close();
    },
  };
}
