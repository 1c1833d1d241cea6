import { isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { LoopSessions } from '../sessions/loop/index.js';
import { ProjectRuns } from './project-runs.js';
import type { OverviewRow, RowWorktree } from './row.js';

export interface AllRunsParts {
  readonly clock: { now(): Date };
  readonly log: Logger;
  /** The directories that are remembered and there. */
  readonly projects: () => readonly string[];
  readonly loopsAt: (directory: string) => LoopSessions;
  /** The worktree of a run that a directory is; undefined for any other. */
  readonly worktreeAt?: ((directory: string) => RowWorktree | undefined) | undefined;
  /** Who works in a run, where that is known. */
  readonly agentOf: (sessionId: string) => string | undefined;
  /** Calls back when projects or runs may have come; `project` says which. */
  readonly watchNew: (onHint: (what: 'project' | 'run') => void) => { close(): void };
}

/** The runs of every project of this user: read once, and then only those of projects in which something changed. */
export class AllRuns {
  readonly #parts: AllRunsParts;
  readonly #projects = new Map<string, ProjectRuns>();
  #watch: { close(): void } | undefined;
  #onHint: (() => void) | undefined;
  #isProjectNew = true;

  constructor(parts: AllRunsParts) {
    this.#parts = parts;
  }

  /** The run that is there in each project, and those of its archive that ended since then. */
  read(dayStart: Date): OverviewRow[] {
    this.#findProjects();
    return [...this.#projects.values()].flatMap((project) => project.read(dayStart));
  }

  /** One of them, however long ago it ended; undefined where no project has it. */
  find(sessionId: string): OverviewRow | undefined {
    this.#findProjects();
    for (const project of this.#projects.values()) {
      const row = project.find(sessionId);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** Of all runs that there are, those of the archive included. */
  ids(): Set<string> {
    this.#findProjects();
    return new Set([...this.#projects.values()].flatMap((project) => project.ids()));
  }

  /** Calls back whenever `read` may tell something else, until it is closed. */
  watch(onHint: () => void): { close(): void } {
    this.#onHint = onHint;
    this.#watch = this.#parts.watchNew((what) => {
      if (what === 'project') this.#isProjectNew = true;
      else for (const project of this.#projects.values()) project.noteNewRun();
      onHint();
    });
    for (const project of this.#projects.values()) project.watch(onHint);
    return { close: () => this.#close() };
  }

  /** A process that dies, and time that passes, leave no trace on the disk. */
  lookAtOwners(): void {
    for (const project of this.#projects.values()) project.lookAtOwner();
  }

  #close(): void {
    this.#onHint = undefined;
    // From now on nobody says what changes.
    this.#isProjectNew = true;
    this.#watch?.close();
    for (const project of this.#projects.values()) project.close();
  }

  /** One loop may be that of several directories of a project. */
  #findProjects(): void {
    if (!this.#isProjectNew) return;
    this.#isProjectNew = false;
    for (const directory of this.#parts.projects()) {
      try {
        const loops = this.#parts.loopsAt(directory);
        if (this.#projects.has(loops.directory)) continue;
        const project = new ProjectRuns(this.#parts, loops, this.#parts.worktreeAt?.(directory));
        this.#projects.set(loops.directory, project);
        if (this.#onHint !== undefined) project.watch(this.#onHint);
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        this.#parts.log.warn('overview.project-unreadable', { path: directory, error: messageOf(error) });
      }
    }
  }
}
