import type { TestPoint } from '../run/index.js';
import type { CostSource } from '../sessions/loop/index.js';
import type { QuestionView } from '../sessions/question/index.js';

/** How a row stands towards the person: it asks them something, rests until they continue it, is working, or has ended. */
export type RowGroup = 'asks' | 'rests' | 'works' | 'ended';

/**
 * One thing that is running, waiting or has ended, as the overview reports it: facts only. All texts are as somebody
 * wrote them.
 */
export interface OverviewRow {
  /** Unique among all rows. */
  readonly key: string;
  /** `agent`: an interactive one that somebody else started, known by its hooks. `entry`: queued, with no run yet. */
  readonly kind: 'run' | 'chat' | 'question' | 'agent' | 'entry' | 'worker';
  /** The id of its session, or the question's own id if no run and no chat asked it. */
  readonly id: string;
  /** The machine it is on; absent for this one. */
  readonly machine?: string | undefined;
  /** Nothing newer than this is known: its machine is silent, or the hub is unreachable. Absent if it is up to date. */
  readonly asOf?: string | undefined;
  /** What somebody sent to it and its machine has not taken yet. */
  readonly onItsWay?: RowRequest | undefined;
  /** The directory it belongs to, on its machine; null if that was not recorded. */
  readonly project: string | null;
  /** The worktree a run works in, if it has one of its own; its project is then the repository. */
  readonly worktree?: RowWorktree | undefined;
  /** The plan of a run, or what else it is about. */
  readonly title: string;
  readonly agent: string | null;
  readonly group: RowGroup;
  /** Its state, in the word of its kind. */
  readonly status: string;
  /** The phase or the story; null if it has none. */
  readonly phase: string | null;
  /** The results of its tests, oldest first. */
  readonly tests: readonly TestPoint[];
  readonly cost: { readonly usd: number; readonly source: CostSource } | null;
  readonly startedAt: string;
  /** Since when it has been asking, resting or working, or when it ended. */
  readonly since: string;
  /** Why it is waiting or how it ended; null if there is nothing to say. */
  readonly why: string | null;
  /** The question that has been waiting longest, and how many more there are. */
  readonly question: RowQuestion | null;
  /** Whether a process is running it. */
  readonly isRunning: boolean;
  /** The process that a killed run left running. */
  readonly leftBehind?: number | undefined;
  /** Whether a newer run of its project has replaced it: it can then only be looked at. */
  readonly isArchived: boolean;
}

/** A request to a run of another machine. */
export interface RowRequest {
  readonly request: string;
  readonly kind: string;
  /** The login that sent it. */
  readonly by: string;
}

export interface RowWorktree {
  readonly path: string;
  readonly branch: string;
  readonly repository: string;
  /** The repository's usual name, if the path above is a mirror of ours, which would mean nothing to a person. */
  readonly repositoryName?: string | undefined;
}

/** The directory in which a person steers or visits a row. */
export function directoryOfRow({
  worktree,
  project,
}: Pick<OverviewRow, 'worktree' | 'project'>): string | null {
  return worktree?.path ?? project;
}

export interface RowQuestion {
  readonly id: string;
  readonly title: string;
  /** The question in one line, without markup. */
  readonly prompt: string;
  readonly more: number;
}

/** Where more rows come from, such as agents known by their hooks. */
export interface RowSource {
  /** The current rows. Reads only what has changed since the last call. */
  read(): readonly OverviewRow[];
  /** Calls back whenever the rows may have changed, perhaps too often, until closed. */
  watch(onHint: () => void): { close(): void };
}

/** What other machines report about themselves, as last known, so that reading it never waits for the network. */
export interface Elsewhere {
  /** Their runs: those still open, and those that ended today. */
  rows(): readonly OverviewRow[];
  /** Their question sets that are waiting for a person, oldest first. */
  pending(): readonly QuestionView[];
  /** Reads again whenever something changes there and then calls back, until closed. */
  watch(onHint: () => void): { close(): void };
}
