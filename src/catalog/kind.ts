import type { Retirable } from '../foundation/index.js';
import type { ChangeState } from '../sessions/change/index.js';
import type { ConversationView } from '../sessions/conversation/index.js';
import type { LoopReport, ResumeOffer } from '../sessions/loop/index.js';
import type { ProcessInfo } from '../sessions/process/index.js';
import type { QuestionReport } from '../sessions/question/index.js';
import type { TrashEntry } from '../storage/index.js';

export const SESSION_KINDS = ['question', 'conversation', 'loop', 'change', 'process'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** A session of any kind as a list shows it. */
export interface SessionSummary {
  readonly kind: SessionKind;
  /** What cannot be read may have no id; then something that stands for it. */
  readonly id: string;
  /** In the words of its kind; `unreadable` where its files do not tell. */
  readonly status: string;
  readonly title: string;
  readonly agent: string | null;
  readonly workingDirectory: string | null;
  /** Of a run in a worktree of its own: the repository, which is its project. */
  readonly repository?: string | undefined;
  /** What people call the repository, where that is a mirror of ours. */
  readonly repositoryName?: string | undefined;
  readonly branch?: string | undefined;
  /** Null where its files do not tell. */
  readonly createdAt: string | null;
  readonly lastActivity: string | null;
  readonly isDamaged: boolean;
  /** Whether somebody has it now, or it waits for somebody: cleaning never touches it. */
  readonly isLive: boolean;
  /** Whether it is over: left out of lists unless all are wanted. */
  readonly isEnded: boolean;
  /** Whether it belongs to another session: left out of lists unless all are wanted. */
  readonly isHidden: boolean;
}

export const UNREADABLE = 'unreadable';

/** The command that shows what there is. */
export const LISTED_BY = 'holdfast sessions list --all';

/** A session in full, as its kind tells it. */
export type SessionDetail =
  | { readonly kind: 'question'; readonly detail: QuestionReport }
  | { readonly kind: 'conversation'; readonly detail: ConversationView }
  | { readonly kind: 'process'; readonly detail: ProcessInfo }
  | { readonly kind: 'change'; readonly detail: ChangeState }
  | { readonly kind: 'loop'; readonly detail: LoopDetail };

export interface LoopDetail {
  readonly report: LoopReport | null;
  readonly offer: ResumeOffer;
  readonly faults: readonly string[];
}

/** Something that does not verify, and where: null where the file as a whole is meant. */
export interface SessionFault {
  readonly detail: string;
  readonly line: number | null;
  readonly offset: number | null;
}

/** What was done to mend a session. */
export interface Recovery {
  /** What was wrong; empty: nothing was done. */
  readonly found: readonly SessionFault[];
  /** What was done, as a sentence. */
  readonly told: string;
  /** Where the damaged file is kept as it was. */
  readonly keptAt: string | null;
  /** What is still wrong. */
  readonly left: readonly SessionFault[];
}

/** How much of a session is shown, where its kind has more than one page of it. */
export interface ShowOptions {
  /** Of a conversation: the last so many. */
  readonly turns?: number | 'all' | undefined;
}

export type ExportFormat = 'md' | 'json';

/** What was removed from a kind and can be put back. */
export interface KindTrash {
  trashed(): Trashed[];
  /** Puts it back, unless something stands in its place: then false. Throws STORAGE_FAILED. */
  restore(trashed: Trashed): Promise<boolean>;
  /** Removes for good what has lain in the trash for longer than this, and returns the ids. Throws STORAGE_FAILED. */
  purgeTrash(olderThanMs: number): string[];
}

export interface Trashed {
  readonly id: string;
  readonly entry: TrashEntry;
}

/** What retention needs of a kind: it only says what may go, and why something must stay. */
export interface RetainedKind extends Pick<KindTrash, 'purgeTrash'> {
  readonly kind: SessionKind;
  /** Every session that may have had no activity since then, in an order that is the same the next time. */
  retirable(before: number): Iterable<Retirable>;
  /** Removes what killed processes left behind. Throws STORAGE_FAILED. */
  sweep?(): void;
}

/** One kind of session behind what all kinds can do. Ids are full ones that `ids` gave. */
export interface CatalogKind extends RetainedKind, KindTrash {
  /** How long a session is kept after its last activity; null: its sessions never age out. */
  readonly retentionMs: number | null;
  /** The words that `status` of a summary may say. */
  readonly statuses: readonly string[];
  /** All ids, in no order, each once. */
  ids(): string[];
  list(): Promise<SessionSummary[]>;
  /** Throws SESSION_NOT_FOUND. What is damaged has a summary, too. */
  summarize(id: string): Promise<SessionSummary>;
  /** Throws SESSION_NOT_FOUND, DOCUMENT_DAMAGED. */
  get(id: string, options?: ShowOptions): Promise<SessionDetail>;
  /** What is wrong with its files; nothing is changed. Throws SESSION_NOT_FOUND. */
  verify(id: string): Promise<SessionFault[]>;
  /** Throws SESSION_NOT_FOUND, LOCKED, and DOCUMENT_DAMAGED where nothing can be mended. */
  recover(id: string): Promise<Recovery>;
  /** Everything about it, secrets blacked out. Throws as `show`. */
  export(id: string, format: ExportFormat): Promise<string>;
  /** Moves it to the trash. Throws SESSION_NOT_FOUND, LOCKED. */
  remove(id: string): Promise<void>;
  /** What is over, is not cleaned, and why: for whoever wants to clean up. */
  leftAlone?(): Promise<readonly { readonly id: string; readonly reason: string }[]>;
}
