import { isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { LoopSessions } from '../sessions/loop/index.js';
import { ProjectRuns } from './project-runs.js';
import type { OverviewRow, RowWorktree } from './row.js';

export interface AllRunsParts {
  readonly clock: { now(): Date };
  readonly log: Logger;
  /** The remembered directories that still exist. */
  readonly projects: () => readonly string[];
  readonly loopsAt: (directory: string) => LoopSessions;
  /** The run's worktree, if the directory is one; undefined for any other directory. */
  readonly worktreeAt?: ((directory: string) => RowWorktree | undefined) | undefined;
  /** The agent that works in a run, if known. */
  readonly agentOf: (sessionId: string) => string | undefined;
  /** Calls back when a new project or run may have appeared; `project` or `run` says which. */
  readonly watchNew: (onHint: (what: 'project' | 'run') => void) => { close(): void };
}

/** The runs of all of this user's projects. Read once; after that only projects in which something changed are read again. */
export class AllRuns {
  readonly #parts: AllRunsParts;
  readonly #projects = new Map<string, ProjectRuns>();
  #watch: { close(): void } | undefined;
  #onHint: (() => void) | undefined;
  #isProjectNew = true;

  constructor(parts: AllRunsParts) {
    this.#parts = parts;
  }

  /** Each project's current run, and the archived runs that ended since `dayStart`. */
  read(dayStart: Date): OverviewRow[] {
    this.#findProjects();
    return [...this.#projects.values()].flatMap((project) => project.read(dayStart));
  }

  /** One run, however long ago it ended; undefined if no project has it. */
  find(sessionId: string): OverviewRow | undefined {
    this.#findProjects();
    for (const project of this.#projects.values()) {
      const row = project.find(sessionId);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** The ids of all runs, archived ones included. */
  ids(): Set<string> {
    this.#findProjects();
    return new Set([...this.#projects.values()].flatMap((project) => project.ids()));
  }

  /** Calls back whenever `read` may give a different result, until closed. */
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

  /** A process that dies and time that passes leave no trace on disk, so this checks for them. */
  lookAtOwners(): void {
    for (const project of this.#projects.values()) project.lookAtOwner();
  }

  #close(): void {
    this.#onHint = undefined;
    // From now on no hint reports a change.
    this.#isProjectNew = true;
    this.#watch?.close();
    for (const project of this.#projects.values()) project.close();
  }

  /** Several directories of a project may share one loop. */
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
