import type { Retirable } from '../foundation/index.js';
import type { ChangeState } from '../sessions/change/index.js';
import type { ConversationView } from '../sessions/conversation/index.js';
import type { LoopReport, ResumeOffer } from '../sessions/loop/index.js';
import type { ProcessInfo } from '../sessions/process/index.js';
import type { QuestionReport } from '../sessions/question/index.js';
import type { TrashEntry } from '../storage/index.js';

export const SESSION_KINDS = ['question', 'conversation', 'loop', 'change', 'process'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** A session of any kind as shown in a list. */
export interface SessionSummary {
  readonly kind: SessionKind;
  /** The id. A session that cannot be read may have none; then something that stands in for it. */
  readonly id: string;
  /** In the words of its kind; `unreadable` if its files do not say. */
  readonly status: string;
  readonly title: string;
  readonly agent: string | null;
  readonly workingDirectory: string | null;
  /** For a run in its own worktree: the repository, which is its project. */
  readonly repository?: string | undefined;
  /** The repository's name for people, if it is one of our mirrors. */
  readonly repositoryName?: string | undefined;
  readonly branch?: string | undefined;
  /** Null if its files do not say. */
  readonly createdAt: string | null;
  readonly lastActivity: string | null;
  readonly isDamaged: boolean;
  /** Whether it is in use or waiting for someone: cleaning never touches it. */
  readonly isLive: boolean;
  /** Whether it has ended: left out of lists unless all are wanted. */
  readonly isEnded: boolean;
  /** Whether it belongs to another session: left out of lists unless all are wanted. */
  readonly isHidden: boolean;
}

export const UNREADABLE = 'unreadable';

/** The command that lists all sessions. */
export const LISTED_BY = 'holdfast sessions list --all';

/** A session in full, as reported by its kind. */
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

/** Something that does not verify, and where; null means the file as a whole. */
export interface SessionFault {
  readonly detail: string;
  readonly line: number | null;
  readonly offset: number | null;
}

/** What was done to mend a session. */
export interface Recovery {
  /** What was wrong; if empty, nothing was done. */
  readonly found: readonly SessionFault[];
  /** What was done, as a sentence. */
  readonly told: string;
  /** Where the damaged file is kept unchanged. */
  readonly keptAt: string | null;
  /** What is still wrong. */
  readonly left: readonly SessionFault[];
}

/** How much of a session to show, if its kind has more than one page of it. */
export interface ShowOptions {
  /** For a conversation: how many of the last turns. */
  readonly turns?: number | 'all' | undefined;
}

export type ExportFormat = 'md' | 'json';

/** The sessions that were removed from a kind and can be put back. */
export interface KindTrash {
  trashed(): Trashed[];
  /** Puts it back, or returns false if something is in its place. Throws STORAGE_FAILED. */
  restore(trashed: Trashed): Promise<boolean>;
  /** Permanently removes what has been in the trash longer than this, and returns the ids. Throws STORAGE_FAILED. */
  purgeTrash(olderThanMs: number): string[];
}

export interface Trashed {
  readonly id: string;
  readonly entry: TrashEntry;
}

/** What retention needs from a kind: the kind only says what may go, and why something must stay. */
export interface RetainedKind extends Pick<KindTrash, 'purgeTrash'> {
  readonly kind: SessionKind;
  /** Every session that may have had no activity since `before`, always in the same order. */
  retirable(before: number): Iterable<Retirable>;
  /** Removes what killed processes left behind. Throws STORAGE_FAILED. */
  sweep?(): void;
}

/** One kind of session, with what all kinds can do. All ids passed in are full ids from `ids`. */
export interface CatalogKind extends RetainedKind, KindTrash {
  /** How long a session is kept after its last activity; null: its sessions never age out. */
  readonly retentionMs: number | null;
  /** The possible values of `status` in a summary. */
  readonly statuses: readonly string[];
  /** All ids, in no order, each once. */
  ids(): string[];
  list(): Promise<SessionSummary[]>;
  /** Throws SESSION_NOT_FOUND. Damaged sessions have a summary, too. */
  summarize(id: string): Promise<SessionSummary>;
  /** Throws SESSION_NOT_FOUND, DOCUMENT_DAMAGED. */
  get(id: string, options?: ShowOptions): Promise<SessionDetail>;
  /** What is wrong with its files; changes nothing. Throws SESSION_NOT_FOUND. */
  verify(id: string): Promise<SessionFault[]>;
  /** Throws SESSION_NOT_FOUND, LOCKED, and DOCUMENT_DAMAGED if nothing can be mended. */
  recover(id: string): Promise<Recovery>;
  /** Everything about it, with secrets blacked out. Throws as `get`. */
  export(id: string, format: ExportFormat): Promise<string>;
  /** Moves it to the trash. Throws SESSION_NOT_FOUND, LOCKED. */
  remove(id: string): Promise<void>;
  /** Ended sessions that are not cleaned, and why, for anyone who wants to clean up. */
  leftAlone?(): Promise<readonly { readonly id: string; readonly reason: string }[]>;
}
