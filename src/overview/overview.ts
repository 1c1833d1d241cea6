import { isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { ConversationSessions } from '../sessions/conversation/index.js';
import type { LoopSessions } from '../sessions/loop/index.js';
import type { QuestionSessions, QuestionView } from '../sessions/question/index.js';
import { ChatRows } from './chats.js';
import { PendingQuestions } from './pending.js';
import { ProjectRuns } from './project-runs.js';
import type { OverviewRow, RowSource, RowWorktree } from './row.js';
import { withQuestions } from './with-questions.js';

export interface OverviewParts {
  readonly clock: { now(): Date };
  readonly log: Logger;
  readonly questions: QuestionSessions;
  readonly conversations: Pick<ConversationSessions, 'glance' | 'glanceAt' | 'watch'>;
  /** Whether somebody has a chat open now. */
  readonly isChatOpen: (id: string) => boolean;
  /** The directories that are remembered and there. */
  readonly projects: () => readonly string[];
  readonly loopsAt: (directory: string) => LoopSessions;
  /** The worktree of a run that a directory is; undefined for any other. */
  readonly worktreeAt?: ((directory: string) => RowWorktree | undefined) | undefined;
  /** Who works in a run, where that is known. */
  readonly agentOf: (sessionId: string) => string | undefined;
  /** Calls back when projects or runs may have come; `project` says which. */
  readonly watchNew: (onHint: (what: 'project' | 'run') => void) => { close(): void };
  /** Where further rows come from. */
  readonly sources: readonly RowSource[];
}

/** What changed is looked at together, this long after the first hint. */
const SETTLE_MS = 50;
/** A process that dies, and time that passes, leave no trace on the disk. */
const LOOK_MS = 10_000;

/**
 * Every run, chat and question of every project of this user. It is read once; after that only what a hint names is read
 * again, so that what it costs does not depend on how many there are.
 */
export class Overview implements Disposable {
  readonly #parts: OverviewParts;
  readonly #projects = new Map<string, ProjectRuns>();
  readonly #chats: ChatRows;
  readonly #pending: PendingQuestions;
  readonly #watches: { close(): void }[] = [];
  #onChange: (() => void) | undefined;
  #settling: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #isProjectNew = true;

  constructor(parts: OverviewParts) {
    this.#parts = parts;
    this.#chats = new ChatRows(parts);
    this.#pending = new PendingQuestions(parts);
  }

  /** All rows as they are now, in no order; what ended before today is left out. Throws STORAGE_FAILED. */
  async read(): Promise<OverviewRow[]> {
    this.#findProjects();
    const dayStart = startOfDay(this.#parts.clock.now());
    const runs = [...this.#projects.values()].flatMap((project) => project.read(dayStart));
    const rows = [
      ...runs,
      ...this.#chats.read(dayStart),
      ...this.#parts.sources.flatMap((source) => source.read()),
    ];
    const isShown = ({ group, since }: OverviewRow) =>
      group !== 'ended' || Date.parse(since) >= dayStart.getTime();
    return withQuestions(rows.filter(isShown), await this.#pending.read());
  }

  /** The question sets that wait, oldest first, as `read` found them or newer. Throws STORAGE_FAILED. */
  readPending(): Promise<QuestionView[]> {
    return this.#pending.read();
  }

  /** Calls back whenever `read` may tell something else, until it is disposed of. */
  watch(onChange: () => void): void {
    this.#onChange = onChange;
    const settle = () => this.#settle();
    this.#watches.push(
      this.#pending.watch(settle),
      this.#chats.watch(settle),
      ...this.#parts.sources.map((source) => source.watch(settle)),
      this.#parts.watchNew((what) => {
        if (what === 'project') this.#isProjectNew = true;
        else for (const project of this.#projects.values()) project.noteNewRun();
        settle();
      }),
    );
    for (const project of this.#projects.values()) project.watch(settle);
    this.#looking = setInterval(() => this.#look(), LOOK_MS);
  }

  [Symbol.dispose](): void {
    this.#onChange = undefined;
    clearTimeout(this.#settling);
    clearInterval(this.#looking);
    for (const one of [...this.#watches, ...this.#projects.values()]) one.close();
  }

  #settle(): void {
    if (this.#onChange === undefined) return;
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      this.#onChange?.();
    }, SETTLE_MS);
  }

  /** What dies is looked for; time passes for everybody. */
  #look(): void {
    for (const project of this.#projects.values()) project.lookAtOwner();
    this.#chats.lookAtOwners();
    this.#pending.lookAtAskers();
    this.#settle();
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
        if (this.#onChange !== undefined) project.watch(() => this.#settle());
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        this.#parts.log.warn('overview.project-unreadable', { path: directory, error: messageOf(error) });
      }
    }
  }
}

function startOfDay(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}
