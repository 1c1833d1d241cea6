import type { Entry } from './schema.js';

/** A queue on files answers at once; one between machines takes a moment. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Whether an agent, or one of its accounts, may be used now. Implemented by the part that knows limits and budgets. */
export interface Admission {
  standing(use: {
    readonly agent: string;
    readonly account?: string;
  }): { readonly may: true } | { readonly may: false; readonly reason: string; readonly until?: string };
}

/** Admits everything. */
export const ALWAYS: Admission = { standing: () => ({ may: true }) };

/** How many runs of the queue may run at once, beside the slots of each worker. */
export interface SlotLimits {
  readonly perAgent: Readonly<Record<string, number>>;
  readonly perAccount: Readonly<Record<string, number>>;
}

export const NO_LIMITS: SlotLimits = { perAgent: {}, perAccount: {} };

/** Who takes an entry, and by which rules. */
export interface Taker {
  readonly limits: SlotLimits;
  readonly admission: Admission;
  /** The agent of an entry that names none. */
  agentOf(entry: Entry): string;
  /** Entries that this worker already has and will not take again. */
  readonly own: ReadonlySet<string>;
}

/** How an entry ended. */
export interface EntryEnd {
  readonly outcome: 'done' | 'failed';
  readonly reason: string | null;
  /** Where it ran; null if it never got that far. */
  readonly worktree: string | null;
  /** Whether an agent was prompted: if so, it is not started again automatically. */
  readonly hasPrompted: boolean;
  /** The report of its run, as JSON; null if there is none. */
  readonly report: string | null;
  /** The question a person was asked about it; null if there was none. */
  readonly question: string | null;
}

/** An entry that is ours until it is finished or released, or somebody proves that we are gone. */
export interface Taken {
  readonly entry: Entry;
  /** Grows each time the entry is taken: a worker with an older number may no longer write anything. */
  readonly fence: number;
  /** Whether another worker had it before. */
  readonly isTakenOver: boolean;
  /** Between machines: which machine had it before, if known, and whether somebody had it moved here. */
  readonly before?: TakenBefore | undefined;
  /** Fires when somebody has taken it away from us. */
  readonly lost: AbortSignal;
  /** Fires when its run should move to another machine. */
  readonly wanted?: AbortSignal | undefined;
  /** Shows that we are alive; on one machine the system shows that. */
  renew(): Promise<void>;
  /** Records the end and lets the entry go. Throws LOCK_LOST. */
  finish(end: EntryEnd): Promise<Entry>;
  /** Lets the entry go unfinished: the next worker that takes it resumes its run. */
  release(): Promise<void>;
}

/** The machine that had an entry before it was taken over. */
export interface TakenBefore {
  readonly machine: string;
  readonly isMoved: boolean;
  /** Whether that is this machine. */
  readonly isHere: boolean;
}

/** What a change of an entry may contain. */
export type EntryChange = Partial<
  Pick<
    Entry,
    'options' | 'after' | 'notBefore' | 'priority' | 'onFailure' | 'retriesLeft' | 'base' | 'continues'
  >
>;

/** A plan to be kept with its entry. */
export interface PlanFiles {
  /** File contents by path. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** What is queued: everything except what the queue itself decides. */
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

/** Everything that is queued. */
export interface QueueContent {
  readonly entries: readonly Entry[];
  readonly pausedAt: string | null;
  /** Entries that cannot be read; they stay where they are. */
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

/** Where entries are kept and taken from: files on one machine, something else between machines. */
export interface Queue {
  add(entry: NewEntry, plan: PlanFiles): Promise<Entry>;
  /** In no particular order. */
  read(): Awaitable<QueueContent>;
  get(id: string): Awaitable<Entry | undefined>;
  /** Throws ENTRY_RUNNING, ENTRY_NOT_FOUND, QUEUE_CYCLE. */
  edit(id: string, change: (entry: Entry) => EntryChange): Promise<Entry>;
  /** Takes the new content of its plan. Throws as `edit`. */
  updatePlan(id: string, plan: Entry['plan'], content: PlanFiles): Promise<Entry>;
  /** Moves it before or after all others of its priority, or next to one. Throws as `edit`. */
  move(id: string, to: Move): Promise<Entry>;
  /** Throws ENTRY_RUNNING, ENTRY_NEEDED, ENTRY_NOT_FOUND. */
  remove(id: string): Promise<Entry>;
  /** Pauses one entry, or the whole queue. Throws ILLEGAL_TRANSITION. */
  pause(id?: string): Promise<void>;
  resume(id?: string): Promise<void>;
  /** Puts a failed entry back into the queue; with `isNewRun` its next run is a new session. Throws ILLEGAL_TRANSITION. */
  retry(id: string, options?: { readonly isNewRun?: boolean }): Promise<Entry>;
  /** Records what a person decided about a failed entry. */
  settle(id: string, onFailure: 'stop' | 'continue'): Promise<Entry>;
  /** Takes the next entry that may run, for this worker alone; an entry whose worker is gone comes first. */
  take(taker: Taker): Promise<Taken | undefined>;
  /** The owner of an entry, in words; undefined if it has none. */
  ownerOf(id: string): Awaitable<string | undefined>;
  /** The kept report; undefined if there is none. */
  reportOf(id: string): Awaitable<string | undefined>;
  /** Where a file of its plan is kept. If the file comes from elsewhere, it is put there first. */
  planPath(entry: Entry, file: string): Awaitable<string>;
  /** Calls back when something may have changed. */
  watch(onHint: () => void): { close(): void };
}

export type Move =
  | { readonly to: 'first' | 'last' }
  | { readonly to: 'before' | 'behind'; readonly other: string };
