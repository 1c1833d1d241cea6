import { isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { LoopSessions } from '../sessions/loop/index.js';
import type { OverviewRow, RowWorktree } from './row.js';
import { type RunRowOptions, runRow, runRows } from './run-rows.js';

export interface ProjectRunsParts {
  readonly clock: { now(): Date };
  readonly log: Logger;
  readonly agentOf: RunRowOptions['agentOf'];
}

/** The runs of one project, read again only after something in its directory changed. */
export class ProjectRuns {
  readonly #parts: ProjectRunsParts;
  readonly #loops: LoopSessions;
  readonly #worktree: RowWorktree | undefined;
  #rows: readonly OverviewRow[] = [];
  #readDay = Number.NaN;
  #isStale = true;
  #watch: { close(): void } | undefined;
  #onHint: (() => void) | undefined;

  constructor(parts: ProjectRunsParts, loops: LoopSessions, worktree?: RowWorktree) {
    this.#parts = parts;
    this.#worktree = worktree;
    this.#loops = loops;
  }

  /** What cannot be read from disk is logged as a warning and left out. */
  read(dayStart: Date): readonly OverviewRow[] {
    if (!this.#isStale && this.#readDay === dayStart.getTime()) return this.#rows;
    const { clock, agentOf } = this.#parts;
    this.#isStale = false;
    this.#readDay = dayStart.getTime();
    this.#rows = this.#tried(() => {
      this.#follow();
      return runRows(this.#loops, { now: clock.now(), dayStart, agentOf, worktree: this.#worktree });
    }, []);
    return this.#rows;
  }

  /** One of its runs, however long ago it ended. */
  find(sessionId: string): OverviewRow | undefined {
    const { clock, agentOf } = this.#parts;
    const now = clock.now();
    const options = { now, dayStart: now, agentOf, worktree: this.#worktree };
    return this.#tried(() => runRow(this.#loops, sessionId, options), undefined);
  }

  /** The names of all its runs. */
  ids(): readonly string[] {
    return this.#tried(() => this.#loops.list().map(({ id }) => id), []);
  }

  watch(onHint: () => void): void {
    this.#onHint = onHint;
    this.#follow();
  }

  /** A run was started somewhere, perhaps in this project, which had nothing to watch until now. */
  noteNewRun(): void {
    if (this.#watch === undefined) this.#isStale = true;
  }

  /** A wait may be over, or the process that ran it may be gone. */
  lookAtOwner(): void {
    const isRunning = this.#rows.some((row) => row.isRunning);
    const hasWait = this.#rows.some((row) => row.group === 'works' && row.why !== null);
    const hasLeft = this.#rows.some((row) => row.leftBehind !== undefined);
    if (hasWait || hasLeft || (isRunning && this.#loops.owner().hold !== 'held')) this.#isStale = true;
  }

  close(): void {
    this.#watch?.close();
    this.#watch = undefined;
    this.#onHint = undefined;
    this.#isStale = true;
  }

  #tried<Value>(read: () => Value, otherwise: Value): Value {
    try {
      return read();
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      const { log } = this.#parts;
      log.warn('overview.project-unreadable', { path: this.#loops.directory, error: messageOf(error) });
      return otherwise;
    }
  }

  /** A directory that does not exist cannot be watched; the watcher would poll it. */
  #follow(): void {
    if (this.#onHint === undefined || this.#watch !== undefined || !this.#loops.hasDirectory()) return;
    const onHint = this.#onHint;
    this.#watch = this.#loops.watch(() => {
      this.#isStale = true;
      onHint();
    });
  }
}
