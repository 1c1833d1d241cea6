import type { LoopSessions } from '../sessions/loop/index.js';
import type { CatalogKind, SessionSummary, Trashed } from './kind.js';
import { loopKind } from './loop.js';

/** The worktree of a run, and everything kept beside it for the run; provided by the composition. */
export interface KeptWorktree {
  readonly repository: string;
  /** Its name for people, if it is one of our mirrors. */
  readonly repositoryName?: string | undefined;
  readonly branch: string;
  /** Throws WORKTREE_HAS_WORK. */
  refuseWork(): Promise<void>;
  /** What to type to clean up the worktree of an ended run; undefined if there is nothing to say. */
  advice(): Promise<string | undefined>;
  /** Moves everything of the run to the trash, including the loop. */
  remove(): void;
  /** Puts everything back; false if something is in its place. */
  restore(): boolean;
  trashed(): Trashed[];
  purge(olderThanMs: number): string[];
}

const OVER: readonly string[] = ['completed', 'aborted'];

/** The loop of a run in a worktree: it is kept with the rest of the run, and goes wherever that goes. */
export function worktreeLoopKind(tools: {
  readonly loops: LoopSessions;
  readonly clock: { now(): Date };
  readonly kept: KeptWorktree;
}): CatalogKind {
  const { loops, clock, kept } = tools;
  const base = loopKind({ loops, clock });
  const placed = (summary: SessionSummary): SessionSummary => ({
    ...summary,
    repository: kept.repository,
    ...(kept.repositoryName === undefined ? {} : { repositoryName: kept.repositoryName }),
    branch: kept.branch,
    title: summary.title === '' ? '' : `${summary.title} (${kept.branch})`,
  });
  return {
    ...base,
    list: async () => (await base.list()).map(placed),
    summarize: async (id) => placed(await base.summarize(id)),
    remove: async (id) => {
      await kept.refuseWork();
      await base.remove(id);
      kept.remove();
    },
    leftAlone: async () => {
      const view = loops.get();
      const reason = view !== undefined && OVER.includes(view.status) ? await kept.advice() : undefined;
      return view === undefined || reason === undefined ? [] : [{ id: view.sessionId, reason }];
    },
    trashed: () => kept.trashed(),
    restore: async () => {
      if (!kept.restore()) return false;
      const inside = loops.trashed().at(-1);
      return inside === undefined || loops.restore(inside);
    },
    purgeTrash: (olderThanMs) => kept.purge(olderThanMs),
  };
}
