import type { TestPoint } from '../run/index.js';
import type { CostSource } from '../sessions/loop/index.js';
import type { QuestionView } from '../sessions/question/index.js';

/** How a row stands to the person: it asks them something, rests until they let it go on, works, or has ended. */
export type RowGroup = 'asks' | 'rests' | 'works' | 'ended';

/** One thing that runs, waits or has ended, as the overview tells it: facts only. All its texts are as somebody wrote them. */
export interface OverviewRow {
  /** Of all rows: which one it is. */
  readonly key: string;
  /** `agent`: an interactive one that somebody else started, known by its hooks. `entry`: what is queued and no run yet. */
  readonly kind: 'run' | 'chat' | 'question' | 'agent' | 'entry' | 'worker';
  /** The id of its session; of a question that no run and no chat asked, its own. */
  readonly id: string;
  /** The machine of the fleet that it is on; absent for this one. */
  readonly machine?: string | undefined;
  /** Since when nothing newer is known of it: its machine gave no sign, or the hub is away. Absent where it is up to date. */
  readonly asOf?: string | undefined;
  /** What somebody sent to it and its machine has not taken yet. */
  readonly onItsWay?: RowRequest | undefined;
  /** The directory that it belongs to, on its machine; null where nobody noted it. */
  readonly project: string | null;
  /** Where a run works, where that is a worktree of its own; its project is the repository then. */
  readonly worktree?: RowWorktree | undefined;
  /** The plan of a run, or what else it is about. */
  readonly title: string;
  readonly agent: string | null;
  readonly group: RowGroup;
  /** The word of its kind for how it stands. */
  readonly status: string;
  /** The phase or the story; null for what has none. */
  readonly phase: string | null;
  /** What its tests came to, oldest first. */
  readonly tests: readonly TestPoint[];
  readonly cost: { readonly usd: number; readonly source: CostSource } | null;
  readonly startedAt: string;
  /** Since when it asks, rests or works, or when it ended. */
  readonly since: string;
  /** Why it waits or how it ended; null where there is nothing to say. */
  readonly why: string | null;
  /** The question that waits longest, and how many more do. */
  readonly question: RowQuestion | null;
  /** Whether a process has it. */
  readonly isRunning: boolean;
  /** The process that a killed run left running. */
  readonly leftBehind?: number | undefined;
  /** Whether a newer run of its project took its place: then it can only be looked at. */
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
  /** What people call the repository, where that above is a mirror of ours: then its path tells nobody anything. */
  readonly repositoryName?: string | undefined;
}

/** The directory where whoever steers or visits a row goes. */
export function directoryOfRow({
  worktree,
  project,
}: Pick<OverviewRow, 'worktree' | 'project'>): string | null {
  return worktree?.path ?? project;
}

export interface RowQuestion {
  readonly id: string;
  readonly title: string;
  /** What it asks, in one line and without marks. */
  readonly prompt: string;
  readonly more: number;
}

/** Where further rows come from, such as agents that are known by their hooks. */
export interface RowSource {
  /** The rows as they are now. Reads no more than has changed since the last time. */
  read(): readonly OverviewRow[];
  /** Calls back whenever there may be other rows, perhaps too often, until it is closed. */
  watch(onHint: () => void): { close(): void };
}

/** What other machines say of themselves: as it was known last, so that nobody waits for the network. */
export interface Elsewhere {
  /** Their runs: what is open, and what ended today. */
  rows(): readonly OverviewRow[];
  /** Their question sets that wait for a person, oldest first. */
  pending(): readonly QuestionView[];
  /** Reads again whenever something changed there, and calls back then, until it is closed. */
  watch(onHint: () => void): { close(): void };
}
