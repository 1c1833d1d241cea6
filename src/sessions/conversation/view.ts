import type { LockState, LogDamage } from '../../storage/index.js';
import type { ConversationStatus } from './lifecycle.js';
import type { TurnRole, UsageRecord } from './schema.js';

/** One side of an exchange, as stored. */
export interface Turn {
  /** Counted from 1 over the whole conversation. */
  readonly number: number;
  readonly role: TurnRole;
  readonly content: string;
  readonly timestamp: string;
  readonly tokens: number;
  /** Why its exchange failed; null in a successful turn. A failed turn is kept, but left out of the context. */
  readonly failure: string | null;
  readonly model?: string | undefined;
  readonly reason?: string | undefined;
  readonly usage?: Readonly<Record<string, unknown>> | undefined;
}

/** Identifies the turn just stored; `markFailed` takes it. */
export interface TurnRef {
  readonly turn: number;
  readonly seq: number;
}

/** How a conversation began. */
export interface ConversationMetadata {
  readonly id: string;
  readonly agent: string;
  readonly createdAt: string;
  readonly workingDirectory: string | null;
  /** Whether it belongs to a run and is left out of lists. */
  readonly isHidden: boolean;
}

/** How to resume the agent's own conversation. */
export interface AgentHandle {
  readonly driver: string;
  /** Null if the agent has none. */
  readonly resumeId: string | null;
  /** The process session that held it. */
  readonly processId: string | null;
}

/** How the agent of a conversation is started. */
export interface ConversationLaunch {
  readonly agent: string;
  /** Null if the choice is left to the agent. */
  readonly model: string | null;
  readonly permissions: string;
  readonly workingDirectory: string;
}

/** Bytes or a record that cannot be used: what, and where. Reading continues after them. */
export interface ConversationDamage {
  /** `torn`: an end that a crash cut off. `record`, `metadata`: JSON, but not what it should be. The rest as in a log. */
  readonly reason: LogDamage['reason'] | 'torn' | 'record' | 'metadata';
  /** Counted from 1; null if only the end of the file was read. */
  readonly line: number | null;
  readonly offset: number;
  readonly length: number;
  readonly detail: string;
}

/** A conversation as read from its file. */
export interface ConversationView {
  readonly metadata: ConversationMetadata;
  readonly status: ConversationStatus;
  readonly statusReason: string | null;
  readonly lastActivity: string;
  /** How many turns were ever written; `turns` has fewer if some are damaged or only the last ones were read. */
  readonly turnCount: number;
  /** Every intact turn in order (`readLast`: the last ones). */
  readonly turns: readonly Turn[];
  /** The usage of each reply, in order (`readLast`: of the last turns). Conversations of release 0.1 store it in their turns. */
  readonly usage: readonly UsageRecord[];
  /** Turns up to this number were cleared from the context; 0 = none. */
  readonly clearedAfter: number;
  /** The last one noted; with `readLast`, null unless it is among the last records. */
  readonly agentHandle: AgentHandle | null;
  /** The directory it belongs to; null if none was noted. */
  readonly workingDirectory: string | null;
  /** How the agent was last started; null if not noted. With `readLast`, as for `agentHandle`. */
  readonly launch: ConversationLaunch | null;
  readonly damage: readonly ConversationDamage[];
}

/** A line of a list: what the ends of the file reveal. */
export interface ConversationSummary {
  readonly id: string;
  readonly agent: string;
  readonly turnCount: number;
  readonly createdAt: string;
  readonly status: ConversationStatus;
  readonly lastActivity: string;
  /** The directory it belongs to; null if none was noted. */
  readonly workingDirectory: string | null;
  readonly isHidden: boolean;
  /** Whether something in it is known to be damaged. */
  readonly isDamaged: boolean;
  /** Whether every record was checked just now. Otherwise only the ends were, plus the result of the last full check. */
  readonly isChecked: boolean;
}

/** What `verify` found. */
export interface VerifyReport {
  readonly id: string;
  readonly path: string;
  readonly isOk: boolean;
  readonly records: number;
  readonly bytes: number;
  readonly damage: readonly ConversationDamage[];
}

/** What `recover` did. */
export interface ConversationRecovery {
  readonly id: string;
  /** How many records were kept, byte for byte. */
  readonly kept: number;
  /** What was wrong. If empty, nothing was done. */
  readonly damage: readonly ConversationDamage[];
  /** The old file, under its new name; null if nothing was done. */
  readonly setAside: string | null;
  /** Whether the first line was lost and rebuilt. */
  readonly isMetadataRebuilt: boolean;
}

/**
 * The status to show: an active conversation whose owner is proven dead was interrupted. Otherwise the stored status
 * stands; if none is stored, it is completed.
 */
export function shownStatus(stored: ConversationStatus | null, owner: () => LockState): ConversationStatus {
  if (stored === null) return 'completed';
  if (stored === 'active' && owner().hold === 'dead') return 'interrupted';
  return stored;
}

/** The turns that belong in the prompt: successful ones since the last clear. */
export function contextOf(view: Pick<ConversationView, 'turns' | 'clearedAfter'>): Turn[] {
  return view.turns.filter(({ number, failure }) => failure === null && number > view.clearedAfter);
}
