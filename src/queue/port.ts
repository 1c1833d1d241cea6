import type { Entry } from './schema.js';

/** Read at once from files; between machines it takes a moment. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Whether an agent, or an account of one, may be used now; whoever knows limits and budgets implements it. */
export interface Admission {
  standing(use: {
    readonly agent: string;
    readonly account?: string;
  }): { readonly may: true } | { readonly may: false; readonly reason: string; readonly until?: string };
}

/** Nothing stands in the way of anything. */
export const ALWAYS: Admission = { standing: () => ({ may: true }) };

/** How many runs of the queue there may be at once, beside the slots of each worker. */
export interface SlotLimits {
  readonly perAgent: Readonly<Record<string, number>>;
  readonly perAccount: Readonly<Record<string, number>>;
}

export const NO_LIMITS: SlotLimits = { perAgent: {}, perAccount: {} };

/** Who takes, and by which rules. */
export interface Taker {
  readonly limits: SlotLimits;
  readonly admission: Admission;
  /** The agent of an entry that names none. */
  agentOf(entry: Entry): string;
  /** Entries that this worker has itself, and will not take again. */
  readonly own: ReadonlySet<string>;
}

/** How an entry ended. */
export interface EntryEnd {
  readonly outcome: 'done' | 'failed';
  readonly reason: string | null;
  /** Where it ran; null where it came to nothing. */
  readonly worktree: string | null;
  /** Whether an agent was prompted: then it is not started again by itself. */
  readonly hasPrompted: boolean;
  /** The report of its run, as JSON; null where there was none. */
  readonly report: string | null;
  /** What a person was asked about it; null where nobody was. */
  readonly question: string | null;
}

/** An entry that is ours until it is finished or released, or somebody proves that we are gone. */
export interface Taken {
  readonly entry: Entry;
  /** Grows with each taking of the entry: whoever has an older one writes nothing any more. */
  readonly fence: number;
  /** Whether another worker had it before. */
  readonly isTakenOver: boolean;
  /** Between machines: which one that was, where it is known, and whether somebody had it moved here. */
  readonly before?: TakenBefore | undefined;
  /** Fires when somebody took it away from us. */
  readonly lost: AbortSignal;
  /** Fires when its run is to be given to another machine. */
  readonly wanted?: AbortSignal | undefined;
  /** Says that we live; on one machine the system says it. */
  renew(): Promise<void>;
  /** Writes the end down, and lets it go. Throws LOCK_LOST. */
  finish(end: EntryEnd): Promise<Entry>;
  /** Lets it go as it is: its run is gone on with by whoever takes it next. */
  release(): Promise<void>;
}

/** The machine that had an entry before the one that took it over. */
export interface TakenBefore {
  readonly machine: string;
  readonly isMoved: boolean;
  /** It is the same machine. */
  readonly isHere: boolean;
}

/** What a change of an entry may be about. */
export type EntryChange = Partial<
  Pick<
    Entry,
    'options' | 'after' | 'notBefore' | 'priority' | 'onFailure' | 'retriesLeft' | 'base' | 'continues'
  >
>;

/** A plan that is to be kept with its entry. */
export interface PlanFiles {
  /** Contents by their paths. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** What is queued: everything but what the queue decides itself. */
export type NewEntry = Omit<
  Entry,
  | 'version'
  | 'id'
  | 'status'
  | 'position'
  | 'addedAt'
  | 'runId'
  | 'worker'
  | 'startedAt'
  | 'endedAt'
  | 'reason'
  | 'worktree'
  | 'question'
>;

/** Everything that is queued, as it stands. */
export interface QueueContent {
  readonly entries: readonly Entry[];
  readonly pausedAt: string | null;
  /** Entries that cannot be read: they stay where they are. */
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

/** Where entries are kept and taken from: files on one machine; between machines something else. */
export interface Queue {
  add(entry: NewEntry, plan: PlanFiles): Promise<Entry>;
  /** In no order. */
  read(): Awaitable<QueueContent>;
  get(id: string): Awaitable<Entry | undefined>;
  /** Throws ENTRY_RUNNING, ENTRY_NOT_FOUND, QUEUE_CYCLE. */
  edit(id: string, change: (entry: Entry) => EntryChange): Promise<Entry>;
  /** Takes the new content of its plan. Throws as `edit`. */
  updatePlan(id: string, plan: Entry['plan'], content: PlanFiles): Promise<Entry>;
  /** Before all others of its priority, behind them, or next to one. Throws as `edit`. */
  move(id: string, to: Move): Promise<Entry>;
  /** Throws ENTRY_RUNNING, ENTRY_NEEDED, ENTRY_NOT_FOUND. */
  remove(id: string): Promise<Entry>;
  /** One entry, or all of it. Throws ILLEGAL_TRANSITION. */
  pause(id?: string): Promise<void>;
  resume(id?: string): Promise<void>;
  /** A failed one goes back into the queue; with `isNewRun` its next run is a new session. Throws ILLEGAL_TRANSITION. */
  retry(id: string, options?: { readonly isNewRun?: boolean }): Promise<Entry>;
  /** What a person decided about one that failed. */
  settle(id: string, onFailure: 'stop' | 'continue'): Promise<Entry>;
  /** The next entry that may run, for this worker alone; one whose worker is gone comes first. */
  take(taker: Taker): Promise<Taken | undefined>;
  /** Who has it, in words, where somebody has; undefined where nobody does. */
  ownerOf(id: string): Awaitable<string | undefined>;
  /** The report that was kept; undefined where there is none. */
  reportOf(id: string): Awaitable<string | undefined>;
  /** Where a file of its plan is kept; it is put there if it came from elsewhere. */
  planPath(entry: Entry, file: string): Awaitable<string>;
  /** Calls back when something may have changed. */
  watch(onHint: () => void): { close(): void };
}

export type Move =
  | { readonly to: 'first' | 'last' }
  | { readonly to: 'before' | 'behind'; readonly other: string };
