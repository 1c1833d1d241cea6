import type { BrowsedSessions, SessionFault, SessionKind } from '../../catalog/index.js';
import type {
  TranscriptFacts,
  TranscriptHits,
  TranscriptItem,
  TranscriptPage,
  TranscriptRecord,
} from '../../sessions/conversation/index.js';

/*
 * What the page can read of sessions. Like everything else it is under `/api`; reads are GETs.
 *
 *   GET  /api/sessions?kind=&project=&agent=&status=&text=&after=        → BrowsedSessions
 *   GET  /api/sessions/:id                                               → TranscriptHead (of a conversation)
 *   GET  /api/sessions/:id/turns?from=start|end, ?after=<offset>, ?before=<offset>, ?turn=<n>, ?line=<n>   → ReaderPage
 *   GET  /api/sessions/:id/find?words=&after=<offset>                    → TranscriptHits
 *   GET  /api/sessions/:id/record?offset=                                → TranscriptRecord
 *   GET  /api/sessions/:id/verify?kind=                                  → Verified
 *   GET  /api/sessions/:id/export?kind=&format=md|json                   → Exported
 *   POST /api/sessions/:id/recover   {kind}                              → Recovered
 */

export type { BrowsedSessions, SessionKind, TranscriptHits, TranscriptItem, TranscriptRecord };
export type BrowsedSession = BrowsedSessions['sessions'][number];

/** A conversation, and how to resume it. */
export interface TranscriptHead extends TranscriptFacts {
  /** The command to type, with the directory to type it in; null if the conversation cannot be resumed. */
  readonly command: string | null;
  /** The run it belongs to. */
  readonly run: string | null;
}

/** Something an agent did between two turns, as recorded in the run's journal. */
export interface ToolLine {
  readonly at: string;
  readonly name: string;
  readonly title: string;
  readonly isError: boolean;
  /** The beginning of its output, if it failed. */
  readonly output: string;
}

/** What the agent did before the turn at the same place or, with `isOpen`, since the last turn. */
export interface ToolsItem {
  readonly kind: 'tools';
  readonly offset: number;
  readonly lines: readonly ToolLine[];
  readonly isOpen: boolean;
}

export type ReaderItem = TranscriptItem | ToolsItem;

export interface ReaderPage extends Omit<TranscriptPage, 'items'> {
  readonly items: readonly ReaderItem[];
  readonly isLive: boolean;
}

export interface Verified {
  readonly faults: readonly SessionFault[];
}

export interface Recovered {
  readonly told: string;
  readonly keptAt: string | null;
  readonly found: readonly SessionFault[];
  readonly left: readonly SessionFault[];
}

export interface Exported {
  readonly name: string;
  readonly text: string;
  readonly faults: readonly SessionFault[];
}
